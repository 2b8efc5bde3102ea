import type { ReviewFact } from "../../jobs/review_loop/facts.ts";
import { describeEvent, type ProgressLine } from "./describe_event.ts";
import { createEventProgress, type Progress, type ProgressFace, type ProgressOptions } from "./event_progress.ts";
import { advanceProgress, initialProgress, type ProgressState, renderLiveLine } from "./live_state.ts";
import { sanitizeText } from "../../text/sanitize.ts";

/** Progress of the review loop. */
export function createProgress(options: ProgressOptions): Progress<ReviewFact> {
  return createEventProgress(REVIEW_LOOP, options);
}

const REVIEW_LOOP: ProgressFace<ReviewFact, ProgressState> = {
  describe: describeWithOutput,
  isResult: ({ type }) => type === "run_finished",
  isUnasked: ({ type }) => ["warning", "panes_left", "dialog_waiting"].includes(type),
  live: { initial: initialProgress, advance: advanceProgress, render: renderLiveLine },
};

/** What a person is told of an event; the output of tests is a detail. */
export function describeWithOutput(event: ReviewFact): readonly ProgressLine[] {
  return [describeEvent(event), ...outputOf(event)];
}

function outputOf(event: ReviewFact): ProgressLine[] {
  if (event.type !== "test_command_finished" || event.output === "") return [];
  return [{ text: sanitizeText(event.output), tone: "plain", detail: true }];
}
