import type { Job } from "../../run/job.ts";
import { tasksPassed } from "../../run/progress.ts";
import { usageOfAll } from "../../run/usage.ts";
import { EXEC_FACTS, type ExecFact, mapExecPaths } from "./facts.ts";
import { applyFact } from "./fold.ts";
import { meterExec } from "./meter.ts";
import { execProgress } from "./progress.ts";
import { type ExecState, INITIAL_STATE } from "./state.ts";

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
