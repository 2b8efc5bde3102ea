import { type Check, type FactTable, isObject } from "../../base/schema.ts";
import { DEFAULT_REVIEW_LOOP_SETTINGS, type ReviewLoopSettings } from "./settings.ts";
import type { JobRecords } from "../../journal/job.ts";
import { levelOf } from "../../journal/progress.ts";
import { usageOfAll } from "../../journal/usage.ts";
import { REVIEW_FOLDS, type ReviewFact } from "../../journal/loop/facts.ts";

/** Settings as some version had them: those that are there must be of their type. */
const settings: Check<ReviewLoopSettings> = (value): value is ReviewLoopSettings =>
  isObject(value) &&
  Object.entries(DEFAULT_REVIEW_LOOP_SETTINGS).every(([name, standard]) =>
    value[name] === undefined || standard === undefined || typeof value[name] === typeof standard
  );

/** The job of `panewright run`: five roles pass the work on until its test passes. */
export const REVIEW_RECORDS: JobRecords<ReviewFact> = {
  id: "run",
  ...REVIEW_FOLDS,
  facts: withSettings(REVIEW_FOLDS.facts),
  stopped: (progress, end) => ({
    ...end,
    rounds: levelOf(progress, "round")?.number ?? 0,
    usage: usageOfAll(progress.tokens),
    usageByRole: progress.tokens.byWorker,
  }),
};

function withSettings(facts: FactTable): FactTable {
  const { run_started, run_resumed } = facts;
  return { ...facts, run_started: { ...run_started, settings }, run_resumed: { ...run_resumed, settings } };
}
