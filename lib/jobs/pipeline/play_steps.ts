import { runHeadless } from "../../agents/process/headless.ts";
import type { Run, RunResult } from "../../run/execution.ts";
import type { ExecFact } from "../../journal/exec/facts.ts";
import type { ExecOverrides } from "../../journal/exec/fields.ts";
import { type ExecState, headOf } from "../../journal/exec/state.ts";
import { present } from "../../base/schema.ts";
import { playOnGround } from "../ground.ts";
import { openLeftCommands } from "../left_running.ts";
import { driveRun } from "./drive.ts";
import type { Drive, ExecOptions } from "./context.ts";
import { readInterruptedLog } from "./left_over.ts";
import { openPassedTasks } from "./passed_tasks.ts";
import type { CheckPlan, ExecPlan } from "./plan.ts";
import { openBaseTrial } from "../evidence/base_trial.ts";
import { createJudge, withEvidence } from "../evidence/gather.ts";
import { requireHidden } from "../evidence/hidden.ts";
import { withNotes } from "../evidence/noted.ts";
import { checksOfAll } from "./checks.ts";
import { setUpWorkspace } from "../set_up.ts";
import { openStepsSandbox } from "./steps_sandbox.ts";

/** Plays the steps of a run: once more where only the sandbox that its agents were in is lost. */
export async function playSteps(run: Run<ExecFact, ExecState>, options: ExecOptions): Promise<RunResult> {
  const { plan } = options;
  await requireHidden(plan, run.signal);
  const isNew = run.state().begun === 0;
  return await withNotes(run, { plan, isNew }, (noted) => playAndJudge(run, { ...options, isNew, noted }));
}

async function playAndJudge(
  run: Run<ExecFact, ExecState>,
  { isNew, ...options }: ExecOptions & { readonly isNew: boolean; readonly noted: Promise<void> },
): Promise<RunResult> {
  const { plan } = options;
  const shellChecks = () =>
    checksOfAll((run.state().pipelines ?? []).map((name) => plan.pipelines[name])).filter(isShell);
  await using early = await openBaseTrial({ run, plan });
  const judge = createJudge({ run, plan, early });
  const onAtWork = () => isNew && early.begin(shellChecks());
  const result = await playOnGround(() => playOnce(run, { ...options, judge, onAtWork }), {
    ...{ signal: run.signal, maxRestarts: MOST_RESTARTS },
    restarts: () => run.state().groundRestarts ?? 0,
    onLost: (lost) =>
      run.record({
        type: "ground_lost",
        ...lost,
        ...present({ interruptedLog: readInterruptedLog(run.folder, run.state()) }),
      }),
  });
  return await withEvidence(result, () => judge(shellChecks()));
}

function isShell(check: CheckPlan) {
  return check.type === "shell";
}

/** How often the sandbox around the agents is opened anew. */
const MOST_RESTARTS = 2;

async function playOnce(
  run: Run<ExecFact, ExecState>,
  { judge, noted, onAtWork, ...options }: ExecOptions & Pick<Drive, "judge" | "noted"> & {
    readonly onAtWork: () => void;
  },
): Promise<RunResult> {
  const { plan } = options;
  // What a sandbox around agents shows in the checkout is nobody's work.
  if (plan.sandbox?.whole !== undefined) await noted;
  const { target, overrides } = headOf(run.state());
  await using inside = await openStepsSandbox(options, run);
  const { lookAtObeyed, signal } = inside;
  await setUpWorkspace({ run: { ...run, signal }, plan, around: inside.plan.sandboxOfCommands });
  await using left = openLeftCommands({
    ...run,
    patterns: plan.leaveRunning,
    warn: (message) => run.record({ type: "warning", message }),
    onEnded: (left) => run.record({ type: "commands_ended", left, passable: true }),
  });
  return await driveRun({
    ...run,
    judge,
    noted,
    left,
    lookAtObeyed,
    signal,
    plan: withOverrides(inside.plan, overrides),
    target,
    overrides,
    passedTasks: options.passedTasksFile === undefined
      ? undefined
      : openPassedTasks(options.passedTasksFile, { workdir: plan.workdir, run: run.folder.id }),
    // The attempt's log has it word for word.
    onActivity(event) {
      // Outside of the sandbox its tests and these could meet at a port.
      if (inside.plan.sandboxOfCommands !== undefined && event.fact.type !== "session") onAtWork();
      options.onEvent?.({ ...event, fact: run.redactor.value(event.fact) });
    },
    person: options.person,
    isPatient: options.isPatient ?? false,
    runHeadless: options.runHeadless ?? runHeadless,
  });
}

function withOverrides(plan: ExecPlan, { resume }: ExecOverrides): ExecPlan {
  return resume === undefined ? plan : { ...plan, settings: { ...plan.settings, resume } };
}
