import type { ExecOverrides, ExecTarget } from "../../journal/exec/fields.ts";
import type { Execution, RunReport } from "../../run/execution.ts";
import { resumeRun, startRun } from "../../run/conduct.ts";
import type { RunFolder } from "../../run/run_folder.ts";
import { plannedAgents } from "./plan.ts";
import type { ExecOptions } from "./context.ts";
import { continueRun } from "./continue_run.ts";
import type { ExecFact } from "../../journal/exec/facts.ts";
import { playSteps } from "./play_steps.ts";
import { PIPELINE } from "./mod.ts";
import { present } from "../../base/schema.ts";
import { proveSteps } from "./prove_steps.ts";
import { type ExecState, headOf, stepWorker } from "../../journal/exec/state.ts";
import { usageOfAll } from "../../journal/usage.ts";

export type { ExecOptions } from "./context.ts";
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
    agents: () => plannedAgents(plan),
    // Who plays the steps himself has no CLI to be tried.
    prove: async (proving) => options.runHeadless === undefined ? await proveSteps(steps, { ...proving, plan }) : [],
    workerCaps: () => Object.fromEntries(steps.map(({ worker, step: { caps = {} } }) => [worker, caps])),
    subfolders: ["stepsDir"],
    resume: (folder, state, { clock }) => continueRun(folder, state, { ...options, clock }),
    isCopy: (state) => headOf(state).isCopy,
    play: options.play ?? ((run) => playSteps(run, options)),
    warning: (message) => ({ type: "warning", message }),
    // The question that waits says how to continue.
    isOver: (outcome) => outcome === "pass" || outcome === "waiting",
    recovered: (state) => state.recovered ?? [],
    finish: (end, { passed, tokens, left, recovered }, last) => ({
      type: "run_finished",
      ...end,
      tasks: passed.length,
      usage: usageOfAll(tokens),
      usageByStep: tokens.byWorker,
      ...present({ left, recovered }),
      ...last(tokens),
    }),
  };
}
