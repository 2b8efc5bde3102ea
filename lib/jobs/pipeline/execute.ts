import type { ExecOverrides, ExecTarget } from "../../journal/exec/fields.ts";
import { runHeadless } from "../../agents/process/headless.ts";
import type { AttemptRequest, HeadlessResult } from "../../agents/process/seam.ts";
import type { Execution, PlannedOptions, Run, RunReport, RunResult } from "../../run/execution.ts";
import { resumeRun, startRun } from "../../run/conduct.ts";
import type { RunFolder } from "../../run/run_folder.ts";
import type { AskPerson } from "./await_answer.ts";
import { playOnGround } from "../ground.ts";
import { readInterruptedLog } from "./left_over.ts";
import { continueRun } from "./continue_run.ts";
import { driveRun } from "./drive.ts";
import type { ExecEvent, ExecFact } from "../../journal/exec/facts.ts";
import { PIPELINE } from "./mod.ts";
import { present } from "../../base/schema.ts";
import { openLeftCommands } from "../left_running.ts";
import { openStepsSandbox } from "./steps_sandbox.ts";
import { openPassedTasks } from "./passed_tasks.ts";
import type { ExecPlan } from "./plan.ts";
import { proveSteps } from "./prove_steps.ts";
import { type ExecState, type RunHead, stepWorker } from "../../journal/exec/state.ts";
import { usageOfAll } from "../../journal/usage.ts";

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
  const { plan: { workdir, permissions: { modelAnswers, answersFrom } } } = options;
  return await startRun<ExecFact, ExecState>(
    execExecution(options),
    ({ id: runId, path: folder }) => (
      { type: "run_started", job: "exec", runId, folder, workdir, ...start, modelAnswers, answersFrom }
    ),
    options,
  );
}

export async function resumeExec(folder: RunFolder, options: ExecOptions): Promise<ExecReport> {
  return await resumeRun<ExecFact, ExecState>(execExecution(options), folder, options);
}

function execExecution(options: ExecOptions): Execution<ExecFact, ExecState> {
  const { plan } = options;
  const steps = Object.entries(plan.pipelines).flatMap(([pipeline, all]) =>
    all.map((step) => ({ worker: stepWorker(pipeline, step.name), step }))
  );
  return {
    job: PIPELINE,
    plan,
    agents: () => steps.map(({ step }) => step),
    // Who plays the steps himself has no CLI to be tried.
    prove: async (proving) => options.runHeadless === undefined ? await proveSteps(steps, { ...proving, plan }) : [],
    workerCaps: () => Object.fromEntries(steps.map(({ worker, step: { caps = {} } }) => [worker, caps])),
    subfolders: ["stepsDir"],
    resume: (folder, state, { clock }) => continueRun(folder, state, { ...options, clock }),
    isCopy: (state) => begun(state).isCopy,
    play: (run) =>
      playOnGround(() => playSteps(run, options), {
        ...{ signal: run.signal, maxRestarts: MOST_RESTARTS },
        restarts: () => run.state().groundRestarts ?? 0,
        onLost: (lost) =>
          run.record({
            type: "ground_lost",
            ...lost,
            ...present({ interruptedLog: readInterruptedLog(run.folder, run.state()) }),
          }),
      }),
    warning: (message) => ({ type: "warning", message }),
    // The question that waits says how to continue.
    isOver: (outcome) => outcome === "pass" || outcome === "waiting",
    finish: (end, { passed, tokens, left }, last) => ({
      type: "run_finished",
      ...end,
      tasks: passed.length,
      usage: usageOfAll(tokens),
      usageByStep: tokens.byWorker,
      ...present({ left }),
      ...last(tokens),
    }),
  };
}

/** How often the sandbox around the agents is opened anew. */
const MOST_RESTARTS = 2;

async function playSteps(run: Run<ExecFact, ExecState>, options: ExecOptions): Promise<RunResult> {
  const { plan } = options;

      const { target, overrides } = begun(run.state());
      await using inside = await openStepsSandbox(plan, run);
      await using left = openLeftCommands({
        ...run,
        patterns: plan.leaveRunning,
        warn: (message) => run.record({ type: "warning", message }),
        onEnded: (left) => run.record({ type: "commands_ended", left, passable: true }),
      });
      return await driveRun({
        ...run,
        left,
        signal: inside.signal,
        plan: withOverrides(inside.plan, overrides),
        target,
        overrides,
        passedTasks: options.passedTasksFile === undefined
          ? undefined
          : openPassedTasks(options.passedTasksFile, { workdir: plan.workdir, run: run.folder.id }),
        // The attempt's log has it word for word.
        onActivity: (event) => options.onEvent?.({ ...event, fact: run.redactor.value(event.fact) }),
        person: options.person,
        isPatient: options.isPatient ?? false,
        runHeadless: options.runHeadless ?? runHeadless,
      });
    }

function begun({ run }: ExecState): RunHead {
  if (run === undefined) throw new TypeError("Cannot tell what the run is about: it has not begun");
  return run;
}

function withOverrides(plan: ExecPlan, { resume }: ExecOverrides): ExecPlan {
  return resume === undefined ? plan : { ...plan, settings: { ...plan.settings, resume } };
}
