import type { Job } from "../../run/job.ts";
import { levelOf } from "../../run/progress.ts";
import { usageOfAll } from "../../run/usage.ts";
import { mapReviewPaths, REVIEW_FACTS, type ReviewFact } from "./facts.ts";
import { foldEvent } from "./fold.ts";
import { meterReview } from "./meter.ts";
import { reviewProgress } from "./progress.ts";
import { recallResponse } from "./recall_response.ts";
import type { RunState } from "./run_state.ts";

/** The job of `panewright run`: five roles pass the work on until its test passes. */
export const REVIEW_LOOP: Job<ReviewFact, RunState | undefined> = {
  id: "run",
  facts: REVIEW_FACTS,
  initial: undefined,
  fold: foldEvent,
  progress: reviewProgress,
  meter: meterReview,
  mapPaths: mapReviewPaths,
  stopped: (progress, end) => ({
    ...end,
    rounds: levelOf(progress, "round")?.number ?? 0,
    usage: usageOfAll(progress.tokens),
    usageByRole: progress.tokens.byWorker,
  }),
  recall: recallResponse,
};
