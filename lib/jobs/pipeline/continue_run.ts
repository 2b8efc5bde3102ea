import { UsageError } from "../../base/errors.ts";
import type { Clock } from "../../base/ports/clock.ts";
import { present } from "../../base/schema.ts";
import type { ExecFact } from "../../journal/exec/facts.ts";
import type { ExecState } from "../../journal/exec/state.ts";
import { findCarried } from "../../run/carried.ts";
import { endLeftProcesses } from "../../run/left_processes.ts";
import type { RunFolder } from "../../run/run_folder.ts";
import { readInterruptedLog } from "./left_over.ts";
import { planMismatch } from "./machine.ts";
import type { ExecPlan } from "./plan.ts";

interface ContinueOptions {
  readonly clock: Clock;
  readonly plan: ExecPlan;
  readonly configFile?: string;
  readonly beforeResume?: (pipelines: readonly string[]) => Promise<void>;
}

/**
 * Makes ready for another process to continue a run, and gives its first fact.
 *
 * @throws {UsageError} when the run has passed, or cannot continue with its pipelines
 */
export async function continueRun(
  folder: RunFolder,
  state: ExecState,
  { clock, plan, ...options }: ContinueOptions,
): Promise<ExecFact> {
  const { id: runId } = folder;
  if (state.finished?.outcome === "pass") {
    throw new UsageError(`Cannot resume run ${runId}: it has passed`, { code: "run_over" });
  }
  const begun = [...(state.current === undefined ? [] : [state.current]), ...state.parked];
  const [mismatch] = begun.flatMap((task) => planMismatch(task, plan.pipelines) ?? []);
  if (mismatch !== undefined) {
    throw new UsageError(`Cannot resume run ${runId}: ${mismatch}`, {
      hint: "Give the pipeline its steps back, or start the task again.",
    });
  }
  await options.beforeResume?.([...new Set(begun.map(({ pipeline }) => pipeline))]);
  const carried = state.run && findCarried(folder, state.run.folder);
  await endLeftProcesses(folder, { clock, recorded: state.run?.folder });
  const interruptedLog = readInterruptedLog(folder, state);
  return {
    type: "run_resumed",
    runId,
    folder: folder.path,
    modelAnswers: plan.permissions.modelAnswers,
    answersFrom: plan.permissions.answersFrom,
    ...(carried === undefined ? {} : { carriedFrom: carried.workdir }),
    ...(carried?.isCopy === true ? { isCopy: true } : {}),
    ...present({ configFile: options.configFile, interruptedLog }),
  };
}
