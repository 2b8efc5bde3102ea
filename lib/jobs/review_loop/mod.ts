import type { Job } from "../../journal/job.ts";
import type { ReviewFact } from "../../journal/loop/facts.ts";
import { foldEvent } from "./fold.ts";
import { meterLoop } from "./meter.ts";
import { recallResponse } from "./recall_response.ts";
import type { RunState } from "./state.ts";
import { REVIEW_RECORDS } from "./records.ts";

/** The job of `panewright run`: five roles pass the work on until its test passes. */
export const REVIEW_LOOP: Job<ReviewFact, RunState | undefined> = {
  ...REVIEW_RECORDS,
  initial: undefined,
  fold: foldEvent,
  meter: meterLoop,
  recall: recallResponse,
};
