import { type Check, isObject } from "../../base/schema.ts";
import { DEFAULT_REVIEW_LOOP_SETTINGS, type ReviewLoopSettings } from "./settings.ts";
import type { RunState } from "./state.ts";
import type { Job } from "../../journal/job.ts";
import { levelOf } from "../../journal/progress.ts";
import { usageOfAll } from "../../journal/usage.ts";
import { mapReviewPaths, REVIEW_FACTS, type ReviewFact } from "../../journal/loop/facts.ts";
import { foldEvent } from "./fold.ts";
import { meterLoop } from "./meter.ts";
import { reviewProgress } from "../../journal/loop/progress.ts";
import { recallResponse } from "./recall_response.ts";

/** Settings as some version had them: those that are there must be of their type. */
const settings: Check<ReviewLoopSettings> = (value): value is ReviewLoopSettings =>
  isObject(value) &&
  Object.entries(DEFAULT_REVIEW_LOOP_SETTINGS).every(([name, standard]) =>
    value[name] === undefined || standard === undefined || typeof value[name] === typeof standard
  );

/** The job of `panewright run`: five roles pass the work on until its test passes. */
export const REVIEW_LOOP: Job<ReviewFact, RunState | undefined> = {
  id: "run",
  facts: withSettings(REVIEW_FACTS),
  initial: undefined,
  fold: foldEvent,
  progress: reviewProgress,
  meter: meterLoop,
  mapPaths: mapReviewPaths,
  stopped: (progress, end) => ({
    ...end,
    rounds: levelOf(progress, "round")?.number ?? 0,
    usage: usageOfAll(progress.tokens),
    usageByRole: progress.tokens.byWorker,
  }),
  recall: recallResponse,
};

function withSettings({ run_started, run_resumed, ...facts }: typeof REVIEW_FACTS) {
  return { ...facts, run_started: { ...run_started, settings }, run_resumed: { ...run_resumed, settings } };
}
