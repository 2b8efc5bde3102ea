import type { ExecOverrides, ExecTarget } from "../../journal/exec/fields.ts";
import { UsageError } from "../../base/errors.ts";
import { runHeadless } from "../../agents/process/headless.ts";
import type { AttemptRequest, HeadlessResult } from "../../agents/process/seam.ts";
import type { Execution, PlannedOptions, RunReport } from "../../run/execution.ts";
import { resumeRun, startRun } from "../../run/conduct.ts";
import { findCarried } from "../../run/carried.ts";
import { endLeftProcesses } from "../../run/left_processes.ts";
import type { RunFolder } from "../../run/run_folder.ts";
import type { AskPerson } from "./await_answer.ts";
import { driveRun } from "./drive.ts";
import type { ExecEvent, ExecFact } from "../../journal/exec/facts.ts";
import { readInterruptedLog } from "./left_over.ts";
import { planMismatch } from "./machine.ts";
import { PIPELINE } from "./mod.ts";
import { openPassedTasks } from "./passed_tasks.ts";
import type { ExecPlan } from "./plan.ts";
import { type ExecState, type RunHead, stepWorker } from "../../journal/exec/state.ts";
import { usageOfAll } from "../../journal/usage.ts";
import { present } from "../../base/schema.ts";

export interface ExecOptions extends PlannedOptions<ExecEvent, ExecPlan, AskPerson> {
  /**
   * Whether the run waits for answers although nobody sits at a terminal; otherwise a question ends it, to be resumed.
   */
  readonly isPatient?: boolean;
  /** Absolute path of the record of passed tasks; without one, none of a folder's tasks is left out. */
  readonly passedTasksFile?: string;
  readonly beforeResume?: (pipelines: readonly string[]) => Promise<void>;
  /** @default {runHeadless of lib/agents} */
  readonly runHeadless?: (request: AttemptRequest) => Promise<HeadlessResult>;
}

interface ExecStart {
  readonly target: ExecTarget;
  readonly overrides: ExecOverrides;
  /** Absolute path of the config file; null where there is none. */
  readonly configFile: string | null;
}

export type ExecReport = RunReport<ExecState>;

export async function executeExec(start: ExecStart, options: ExecOptions): Promise<ExecReport> {
  const { plan: { workdir, permissions: { modelAnswers } } } = options;
  return await startRun<ExecFact, ExecState>(
    execExecution(options),
    ({ id: runId, path: folder }) => (
      { type: "run_started", job: "exec", runId, folder, workdir, ...start, modelAnswers }
    ),
    options,
  );
}

export async function resumeExec(folder: RunFolder, options: ExecOptions): Promise<ExecReport> {
  return await resumeRun<ExecFact, ExecState>(execExecution(options), folder, options);
}

function execExecution(options: ExecOptions): Execution<ExecFact, ExecState> {
  const { plan, passedTasksFile } = options;
  const steps = Object.entries(plan.pipelines).flatMap(([pipeline, all]) =>
    all.map((step) => ({ worker: stepWorker(pipeline, step.name), step }))
  );
  return {
    job: PIPELINE,
    plan,
    agents: () => steps.map(({ step }) => step),
    workerCaps: () => Object.fromEntries(steps.map(({ worker, step: { caps = {} } }) => [worker, caps])),
    subfolders: ["stepsDir"],
    async resume(folder, state, { clock }) {
      const { id: runId } = folder;
      if (state.finished?.outcome === "pass") {
        throw new UsageError(`Cannot resume run ${runId}: it has passed`, { code: "run_over" });
      }
      const mismatch = state.current === undefined ? undefined : planMismatch(state.current, plan.pipelines);
      if (mismatch !== undefined) {
        throw new UsageError(`Cannot resume run ${runId}: ${mismatch}`, {
          hint: "Give the pipeline its steps back, or start the task again.",
        });
      }
      await options.beforeResume?.(state.current === undefined ? [] : [state.current.pipeline]);
      const carried = state.run && findCarried(folder, state.run.folder);
      await endLeftProcesses(folder, { clock, recorded: state.run?.folder });
      const interruptedLog = readInterruptedLog(folder, state);
      return {
        type: "run_resumed",
        runId,
        folder: folder.path,
        modelAnswers: plan.permissions.modelAnswers,
        ...(carried === undefined ? {} : { carriedFrom: carried.workdir }),
        ...(carried?.isCopy === true ? { isCopy: true } : {}),
        ...present({ configFile: options.configFile, interruptedLog }),
      };
    },
    isCopy: (state) => begun(state).isCopy,
    async play(run) {
      const { target, overrides } = begun(run.state());
      return await driveRun({
        ...run,
        plan: withOverrides(plan, overrides),
        target,
        overrides,
        passedTasks: passedTasksFile === undefined
          ? undefined
          : openPassedTasks(passedTasksFile, { workdir: plan.workdir, run: run.folder.id }),
        // The attempt's log has it word for word.
        onActivity: (event) => options.onEvent?.({ ...event, fact: run.redactor.value(event.fact) }),
        person: options.person,
        isPatient: options.isPatient ?? false,
        runHeadless: options.runHeadless ?? runHeadless,
      });
    },
    warning: (message) => ({ type: "warning", message }),
    // The question that waits says how to continue.
    isOver: (outcome) => outcome === "pass" || outcome === "waiting",
    finish: (end, { passed, tokens }, last) => ({
      type: "run_finished",
      ...end,
      tasks: passed.length,
      usage: usageOfAll(tokens),
      usageByStep: tokens.byWorker,
      ...last(tokens),
    }),
  };
}

function begun({ run }: ExecState): RunHead {
  if (run === undefined) throw new TypeError("Cannot tell what the run is about: it has not begun");
  return run;
}

function withOverrides(plan: ExecPlan, { resume }: ExecOverrides): ExecPlan {
  return resume === undefined ? plan : { ...plan, settings: { ...plan.settings, resume } };
}
