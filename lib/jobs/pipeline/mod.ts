import type { Job } from "../../journal/job.ts";
import { tasksPassed } from "../../journal/progress.ts";
import { usageOfAll } from "../../journal/usage.ts";
import { EXEC_FOLDS, type ExecFact } from "../../journal/exec/facts.ts";
import { type ExecState, INITIAL_STATE, inStep } from "../../journal/exec/state.ts";

/** The job of `panewright exec`: the steps of a pipeline, each with an agent of its own. */
export const PIPELINE: Job<ExecFact, ExecState> = {
  id: "exec",
  ...EXEC_FOLDS,
  initial: INITIAL_STATE,
  distrust: (state) =>
    state.current === undefined ? state : inStep(state, ({ said: _, ...step }) => ({ ...step, verdicts: [] })),
  // A question may have to be answered first, so nothing is said about how to resume it.
  stopped: (progress, { resumeCommand: _, ...end }) => ({
    ...end,
    tasks: tasksPassed(progress),
    usage: usageOfAll(progress.tokens),
    usageByStep: progress.tokens.byWorker,
  }),
};
