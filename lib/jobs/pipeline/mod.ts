import type { Job } from "../../journal/job.ts";
import { tasksPassed } from "../../journal/progress.ts";
import { usageOfAll } from "../../journal/usage.ts";
import { EXEC_FACTS, type ExecFact, mapExecPaths } from "../../journal/exec/facts.ts";
import { applyFact } from "../../journal/exec/fold.ts";
import { meterExec } from "../../journal/exec/meter.ts";
import { execProgress } from "../../journal/exec/progress.ts";
import { type ExecState, INITIAL_STATE } from "../../journal/exec/state.ts";

/** The job of `panewright exec`: the steps of a pipeline, each with an agent of its own. */
export const PIPELINE: Job<ExecFact, ExecState> = {
  id: "exec",
  facts: EXEC_FACTS,
  initial: INITIAL_STATE,
  fold: applyFact,
  progress: execProgress,
  meter: meterExec,
  mapPaths: mapExecPaths,
  // A question may have to be answered first, so nothing is said about how to resume it.
  stopped: (progress, { resumeCommand: _, ...end }) => ({
    ...end,
    tasks: tasksPassed(progress),
    usage: usageOfAll(progress.tokens),
    usageByStep: progress.tokens.byWorker,
  }),
};
