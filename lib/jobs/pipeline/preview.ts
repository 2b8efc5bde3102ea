import { sandboxModeOf } from "../whole_sandbox.ts";
import type { AutonomyLevel, ExecOverrides, ExecTarget } from "../../journal/exec/fields.ts";
import type { SandboxKind } from "../../base/terms.ts";
import { runFolderAt } from "../../run/run_folder.ts";
import { stepDriverOf } from "../../agents/drivers.ts";
import { argvOf } from "../../agents/launch_of.ts";
import { agentRequest, stepTextOf } from "./agent_request.ts";
import { describeCheck } from "./checks.ts";
import { fingerprintTask } from "./fingerprint_task.ts";
import type { Next, OnlyIf } from "../flow.ts";
import type { StepPlace } from "./machine.ts";
import { openPassedTasks } from "./passed_tasks.ts";
import type { ExecPlan, StepPlan } from "./plan.ts";
import { buildStepPrompt } from "./prompts/step_prompt.ts";
import { newStep, type StepOutput } from "../../journal/exec/state.ts";
import { whoPermits } from "./step_judge.ts";
import { stepFolder } from "./step_folders.ts";
import { choosePipeline, parseTask } from "./task.ts";
import { filesOf, sourceOf } from "./task_folder.ts";
import { present } from "../../base/schema.ts";

export interface TaskPreview {
  readonly file: string;
  readonly text?: string;
  readonly pipeline: string;
  /** The run that has passed it before, where it would be left out. */
  readonly passedBy?: string;
  readonly steps: readonly StepPreview[];
}

export interface StepPreview {
  readonly name: string;
  readonly provider: string;
  readonly model?: string;
  readonly autonomyLevel: AutonomyLevel;
  readonly argv: readonly string[];
  readonly prompt: string;
  /** Whether its CLI's sandbox is switched on. */
  readonly sandbox: SandboxKind;
  readonly permissions: ReturnType<typeof whoPermits>;
  readonly allowWrite?: readonly string[];
  readonly checks: readonly string[];
  readonly needs?: readonly string[];
  readonly onlyIf?: OnlyIf;
  readonly next?: Next & { readonly maxRepeats: number };
  readonly retry: number;
  readonly timeLimitSeconds: number;
}

interface PreviewOptions {
  readonly plan: ExecPlan;
  readonly overrides: ExecOverrides;
  readonly passedTasksFile?: string;
  readonly path: string;
}

const RUN = "RUN";

export async function previewRun(target: ExecTarget, options: PreviewOptions): Promise<readonly TaskPreview[]> {
  const files = await filesOf(target, options.overrides);
  return await Array.fromAsync(files.entries(), ([index, file]) => previewTask(file, { ...options, target, index }));
}

async function previewTask(
  file: string,
  options: PreviewOptions & { readonly target: ExecTarget; readonly index: number },
): Promise<TaskPreview> {
  const { plan, overrides, passedTasksFile, target, index } = options;
  const parsed = parseTask(sourceOf(file, target), { file });
  const pipeline = choosePipeline(plan, { task: parsed, overrides, file });
  const steps = plan.pipelines[pipeline] ?? [];
  const fingerprint = await fingerprintTask({ ...parsed, file, pipeline }, { plan, overrides });
  const mayBeLeftOut = target.kind === "folder" && overrides.force !== true && passedTasksFile !== undefined;
  const passedBy = mayBeLeftOut
    ? openPassedTasks(passedTasksFile, { workdir: plan.workdir, run: RUN }).find(fingerprint)
    : undefined;
  const task = {
    ...parsed,
    number: index + 1,
    file,
    pipeline,
    fingerprint,
    steps: steps.map(({ name }) => name),
    outputs: steps.map(standIn),
    failed: undefined,
  };
  return {
    file,
    ...(target.text === undefined ? {} : { text: parsed.text }),
    pipeline,
    ...present({ passedBy }),
    steps: await Promise.all(steps.map((step, at) => {
      const autonomyLevel = overrides.autonomyLevel ?? step.autonomyLevel ?? parsed.autonomyLevel ??
        plan.settings.autonomyLevel;
      return previewStep(
        { task: { ...task, step: newStep(at + 1) }, step: newStep(at + 1), plan: step, autonomyLevel },
        options,
      );
    })),
  };
}

async function previewStep(
  at: StepPlace,
  options: PreviewOptions & { readonly target: ExecTarget },
): Promise<StepPreview> {
  const { plan, path, target } = options;
  const { task, step, plan: stepPlan, autonomyLevel } = at;
  const { stepsDir, binDir: launcherFolder } = runFolderAt(plan.workdir, RUN);
  const prompt = buildStepPrompt({
    at,
    attempt: { number: 1, reason: "first", resumeSessionId: undefined },
    settings: plan.settings,
    workdir: plan.workdir,
    stepText: stepTextOf(stepPlan),
    interactions: [],
    launcherFolder,
  });
  const folder = `${stepsDir}/${
    stepFolder({ target, task: task.number, step: step.number, round: 1, name: stepPlan.name })
  }/attempt-1`;
  const request = agentRequest(stepPlan, { plan, prompt, folder, launcherFolder });
  return {
    name: stepPlan.name,
    provider: stepPlan.provider.id,
    autonomyLevel,
    argv: await argvOf(stepDriverOf(stepPlan), { ...request, name: "agent", path }),
    prompt,
    sandbox: sandboxModeOf(plan),
    permissions: whoPermits(plan),
    checks: stepPlan.checks.map(describeCheck),
    retry: stepPlan.retry,
    timeLimitSeconds: stepPlan.timeLimitSeconds,
    ...optionsOf(stepPlan),
    ...(stepPlan.next === undefined ? {} : { next: { ...stepPlan.next, maxRepeats: plan.settings.maxRepeatsPerStep } }),
  };
}

function standIn({ name }: StepPlan, index: number): StepOutput {
  const files = { names: [`(the files that step "${name}" will have changed)`], more: 0 };
  return { step: index + 1, name, rounds: 1, finalText: `(what step "${name}" will have said at last)`, files };
}

function optionsOf(
  { allowWrite, model, needs, onlyIf }: StepPlan,
): Pick<StepPreview, "model" | "allowWrite" | "needs" | "onlyIf"> {
  return { ...present({ model, allowWrite, needs, onlyIf }) };
}
