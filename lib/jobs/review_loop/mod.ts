import { type Check, type FactTable, isObject } from "../../base/schema.ts";
import type { Job } from "../../journal/job.ts";
import type { ReviewFact } from "../../journal/loop/facts.ts";
import { foldEvent } from "./fold.ts";
import { meterLoop } from "./meter.ts";
import { recallResponse } from "./recall_response.ts";
import type { RunState } from "./state.ts";
import { REVIEW_RECORDS } from "./records.ts";
import { DEFAULT_REVIEW_LOOP_SETTINGS, type ReviewLoopSettings } from "./settings.ts";

/** Settings as some version had them: those that are there must be of their type. */
const settings: Check<ReviewLoopSettings> = (value): value is ReviewLoopSettings =>
  isObject(value) &&
  Object.entries(DEFAULT_REVIEW_LOOP_SETTINGS).every(([name, standard]) =>
    value[name] === undefined || standard === undefined || typeof value[name] === typeof standard
  );

/** The job of `panewright run`: five roles pass the work on until its test passes. */
export const REVIEW_LOOP: Job<ReviewFact, RunState | undefined> = {
  ...REVIEW_RECORDS,
  facts: withSettings(REVIEW_RECORDS.facts),
  initial: undefined,
  fold: foldEvent,
  meter: meterLoop,
  recall: recallResponse,
};

function withSettings(facts: FactTable): FactTable {
  const { run_started, run_resumed } = facts;
  return { ...facts, run_started: { ...run_started, settings }, run_resumed: { ...run_resumed, settings } };
}
