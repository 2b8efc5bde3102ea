import { dirname } from "@std/path/posix";
import { RuntimeError } from "../base/errors.ts";
import { errorText } from "../base/text/error_text.ts";
import { changedTests } from "../evidence/changed_tests.ts";
import { changedSinceNoted, isNoted, noteTests } from "../evidence/noted_tests.ts";
import { guardedIn, newTestsIn, type Trial, type TrialKind, verdictOf } from "../evidence/verdict.ts";
import type { RunFactOf } from "../journal/run_facts.ts";
import type { RunResult } from "../run/execution.ts";
import type { RunPlan } from "../run/plan.ts";
import { nameInState } from "../run/state_names.ts";
import { openWorkspace } from "../workspace/open_workspace.ts";
import { dropChecks, dropWorkspace, keepResult } from "../workspace/result.ts";
import { commitWith } from "../workspace/trees.ts";
import { type Workspace, workspaceAround } from "../workspace/workspace.ts";
import { listByGit, UntoldError } from "./files/list.ts";
import { setUpWorkspace } from "./set_up.ts";
import { couldNotRun, formatTestCommand, type TestCommand } from "./test_command.ts";
import { runTestOf } from "./test_of_run.ts";
import { openWholeSandbox, type SandboxPlan } from "./whole_sandbox.ts";

/** A command that must pass. */
export interface DecidingCheck {
  readonly command: TestCommand;
  readonly timeLimitSeconds: number;
}

type Planned = Pick<RunPlan, "workdir" | "evidence">;

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

/** Notes what is known of the tests before an agent has worked in the checkout itself: no commit says it afterwards. */
export async function noteTestsOf(
  run: Pick<Gathering["run"], "folder" | "signal">,
  { evidence, workdir }: Planned,
): Promise<void> {
  const file = noteOf(run.folder);
  if (evidence === undefined || file === undefined || workspaceAround(workdir) !== undefined) return;
  const paths = await pathsIn(workdir, run.signal);
  if (paths !== undefined) await noteTests(file, { workdir, paths });
}

/** Beside the journal that is believed: no agent in a sandbox can write there. */
function noteOf({ copyPath, journalPath }: Gathering["run"]["folder"]): string | undefined {
  return journalPath === copyPath ? undefined : `${dirname(journalPath)}/tests.json`;
}

async function pathsIn(workdir: string, signal: AbortSignal): Promise<readonly string[] | undefined> {
  try {
    return await listByGit({ folder: workdir, signal });
  } catch (error) {
    if (error instanceof UntoldError) return undefined;
    throw error;
  }
}

/**
 * Looks whether a PASS holds. In a workspace it makes the checks once more where no agent has worked; there and in the
 * checkout itself it tells what was done to the tests. What is merged by a queue that does the same is left as it is.
 *
 * @returns the result as it was, or a FAIL with the reason
 */
export async function withEvidence(result: RunResult, gathering: Gathering): Promise<RunResult> {
  const { checks, plan, run, target } = gathering;
  const { evidence: settings } = plan;
  const workspace = target ?? workspaceAround(plan.workdir);
  if (result.outcome !== "pass" || settings === undefined || workspace?.partOf !== undefined) return result;
  if (workspace === undefined) return await withRemarks(result, { ...gathering, settings });
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

/** Tells what was done to the tests of the checkout itself. */
async function withRemarks(
  result: RunResult,
  { plan: { workdir }, run, settings }: Gathering & { readonly settings: NonNullable<Planned["evidence"]> },
): Promise<RunResult> {
  const note = noteOf(run.folder);
  if (note === undefined || !isNoted(note)) return result;
  const paths = await pathsIn(workdir, run.signal);
  const files = paths && await changedSinceNoted(note, { workdir, paths });
  if (files?.length === 0) return result;
  const { problem, remarks } = verdictOf({ files, settings, trials: [] });
  if (remarks.length > 0) run.record({ type: "evidence_gathered", trials: [], remarks, passable: true });
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
      const result = await runTestOf(here.run, {
        ...{ command, cwd: workdir, timeoutSeconds, around: inside.around },
      });
      if (result.passed) continue;
      const how = result.timedOut ? `no end within ${timeoutSeconds} s` : `exit code ${result.exitCode}`;
      const notMade = result.timedOut || couldNotRun(result) ? { notMade: true } : {};
      return { kind, passed: false, detail: `${formatTestCommand(command)}: ${how}`, ...notMade };
    }
    return { kind, passed: true, detail: "" };
  } catch (error) {
    signal.throwIfAborted();
    if (!(error instanceof RuntimeError)) throw error;
    // What could not be made has failed.
    return { kind, passed: false, detail: errorText(error), notMade: true };
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
