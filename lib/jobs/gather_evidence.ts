import { RuntimeError } from "../base/errors.ts";
import { errorText } from "../base/text/error_text.ts";
import { changedTests } from "../evidence/changed_tests.ts";
import { EVIDENCE_SETTINGS } from "../evidence/settings.ts";
import { guardedIn, newTestsIn, type Trial, type TrialKind, verdictOf } from "../evidence/verdict.ts";
import { defaultsOf } from "../base/settings.ts";
import type { RunFactOf } from "../journal/run_facts.ts";
import type { RunResult } from "../run/execution.ts";
import type { RunPlan } from "../run/plan.ts";
import { nameInState } from "../run/state_names.ts";
import { openWorkspace } from "../workspace/open_workspace.ts";
import { dropChecks, dropWorkspace, keepResult } from "../workspace/result.ts";
import { commitWith } from "../workspace/trees.ts";
import { type Workspace, workspaceAround } from "../workspace/workspace.ts";
import { setUpWorkspace } from "./set_up.ts";
import { formatTestCommand, type TestCommand } from "./test_command.ts";
import { runTestOf } from "./test_of_run.ts";
import { openWholeSandbox, type SandboxPlan } from "./whole_sandbox.ts";

/** A command that must pass. */
export interface DecidingCheck {
  readonly command: TestCommand;
  readonly timeLimitSeconds: number;
}

interface Gathering {
  readonly run: Parameters<typeof runTestOf>[0] & {
    readonly wallClock: () => Date;
    readonly record: (
      fact:
        | RunFactOf<"evidence_gathered">
        | RunFactOf<"workspace_set_up">
        | RunFactOf<"warning">
        | RunFactOf<"sandbox_refused">,
    ) => void;
  };
  readonly plan: Pick<RunPlan, "workdir" | "workspace" | "evidence"> & { readonly sandbox?: SandboxPlan };
  readonly checks: readonly DecidingCheck[];
  /** What was made in it was checked where no agent has worked already. @default {the workspace of the run, which was not} */
  readonly target?: Workspace;
}

/**
 * Looks whether a PASS in a workspace holds: makes the checks once more where no agent has worked, and tells what was done to
 * the tests. What works in the checkout itself, or is merged by a queue that does the same, is left as it is.
 *
 * @returns the result as it was, or a FAIL with the reason
 */
export async function withEvidence(result: RunResult, { checks, plan, run, target }: Gathering): Promise<RunResult> {
  const workspace = target ?? workspaceAround(plan.workdir);
  const settings = plan.evidence ?? defaultsOf(EVIDENCE_SETTINGS);
  if (result.outcome !== "pass" || workspace === undefined || workspace.partOf !== undefined) return result;
  const { base, name, store } = workspace;
  const { signal } = run;
  await dropChecks(name);
  const { commit } = await keepResult(workspace, { signal });
  if (commit === base) return result;
  const files = await changedTests([base, commit], { store, signal });
  const trials: Trial[] = [];
  const attempt = async (kind: TrialKind, at: string) => {
    trials.push(await trialOf(kind, at, { checks, plan, run, workspace }));
  };
  if (settings.cleanRoom && checks.length > 0) {
    const [guarded, news] = [guardedIn(files), newTestsIn(files)];
    if (target === undefined) await attempt("clean", commit);
    else trials.push({ kind: "clean", passed: true, detail: "" });
    const swap = { store, signal };
    if (guarded.length > 0 && trials[0]?.passed === true) {
      const original = await commitWith({ base, commit, ...swap }, { name, paths: guarded });
      await attempt("original", original);
    }
    if (news.length > 0 && trials[0]?.passed === true) {
      const red = await commitWith({ base: commit, commit: base, ...swap }, { name, paths: news });
      await attempt("red", red);
    }
  }
  const { problem, remarks } = verdictOf({ files, settings, trials });
  run.record({ type: "evidence_gathered", base, commit, trials, remarks, passable: true });
  return problem === undefined ? result : { outcome: "fail", reason: problem };
}

/** Makes all checks in a workspace of a commit, which is removed again. */
async function trialOf(
  kind: TrialKind,
  at: string,
  { checks, plan, run, workspace: { name, origin } }: Gathering & { readonly workspace: Workspace },
): Promise<Trial> {
  const { signal } = run;
  const place = await openWorkspace(origin, {
    ...{ at, task: `${name} ${kind}`, now: run.wallClock(), signal, share: plan.workspace?.share ?? [] },
    partOf: { target: name, as: "check" },
  });
  try {
    const { workdir } = place;
    await using inside = await openAround({ plan, run, workdir });
    const here = { run: { ...run, signal: inside.signal }, around: inside.around };
    await setUpWorkspace({ ...here, plan: { ...plan, workdir } });
    for (const { command, timeLimitSeconds: timeoutSeconds } of checks) {
      const { exitCode, passed, timedOut } = await runTestOf(here.run, {
        ...{ command, cwd: workdir, timeoutSeconds, around: inside.around },
      });
      const how = timedOut ? `no end within ${timeoutSeconds} s` : `exit code ${exitCode}`;
      if (!passed) return { kind, passed, detail: `${formatTestCommand(command)}: ${how}` };
    }
    return { kind, passed: true, detail: "" };
  } catch (error) {
    signal.throwIfAborted();
    if (!(error instanceof RuntimeError)) throw error;
    // What could not be made has failed.
    return { kind, passed: false, detail: errorText(error) };
  } finally {
    await dropWorkspace(place).catch((error) =>
      run.record({ type: "warning", message: `the workspace ${place.name} could not be removed: ${errorText(error)}` })
    );
  }
}

/** The sandbox for the commands of a run in another folder; none where it has none. */
async function openAround(
  { plan: { sandbox }, run, workdir }: Omit<Gathering, "checks"> & { readonly workdir: string },
) {
  const { clock, folder, record, signal } = run;
  const none = { around: undefined, signal, [Symbol.asyncDispose]: () => Promise.resolve() };
  if (sandbox?.whole === undefined) return none;
  const { whole, writable } = sandbox;
  const gone = new AbortController();
  const open = await openWholeSandbox(new Map(), {
    ...{ clock, folder, signal, workdir, writable, whole, name: await nameInState(folder, false) },
    onGone: (error) => gone.abort(error),
    onRefusal: (refusal) => record({ type: "sandbox_refused", ...refusal, passable: true }),
  });
  if ("notOpened" in open) return none;
  return {
    around: open.commands,
    signal: AbortSignal.any([signal, gone.signal]),
    [Symbol.asyncDispose]: () => open[Symbol.asyncDispose](),
  };
}
