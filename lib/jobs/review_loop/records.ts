import type { JobRecords } from "../../journal/job.ts";
import { levelOf } from "../../journal/progress.ts";
import { usageOfAll } from "../../journal/usage.ts";
import { REVIEW_FOLDS, type ReviewFact } from "../../journal/loop/facts.ts";

/** What readers of its journals know of the job of `panewright run`. */
export const REVIEW_RECORDS: JobRecords<ReviewFact> = {
  id: "run",
  ...REVIEW_FOLDS,
  facts: REVIEW_FOLDS.facts,
  stopped: (progress, end) => ({
    ...end,
    rounds: levelOf(progress, "round")?.number ?? 0,
    usage: usageOfAll(progress.tokens),
    usageByRole: progress.tokens.byWorker,
  }),
};
