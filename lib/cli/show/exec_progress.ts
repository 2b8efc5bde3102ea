import type { ExecEvent } from "../../jobs/pipeline/facts.ts";
import { describeExecEvent } from "./describe_exec_event.ts";
import { createEventProgress, type Progress, type ProgressFace, type ProgressOptions } from "./event_progress.ts";
import {
  advanceExecProgress,
  type ExecProgressState,
  initialExecProgress,
  renderExecLiveLine,
} from "./exec_live_state.ts";

/** Progress of `panewright exec`. */
export function createExecProgress(options: ProgressOptions): Progress<ExecEvent> {
  return createEventProgress(EXEC, options);
}

const EXEC: ProgressFace<ExecEvent, ExecProgressState> = {
  describe: describeExecEvent,
  isResult: ({ type }) => type === "question_waiting" || type === "run_finished",
  isUnasked: ({ type }) => type === "warning",
  live: { initial: initialExecProgress, advance: advanceExecProgress, render: renderExecLiveLine },
};
