import type { AroundAgent } from "../../agents/launch_plan.ts";
import { RuntimeError } from "../../base/errors.ts";
import { present } from "../../base/schema.ts";
import { errorText } from "../../base/text/error_text.ts";
import { named } from "../../evidence/compare_results.ts";
import { joinResults, resultsIn, type TestResults, testsThat } from "../../evidence/test_results.ts";
import type { Trial, TrialKind } from "../../evidence/verdict.ts";
import type { JudgingFact } from "../../journal/run_facts.ts";
import type { RunPlan } from "../../run/plan.ts";
import type { Contract } from "../../run/contract.ts";
import { nameInState } from "../../run/state_names.ts";
import { openWorkspace } from "../../workspace/open_workspace.ts";
import { dropWorkspace } from "../../workspace/result.ts";
import type { Workspace } from "../../workspace/workspace.ts";
import { setUpWorkspace } from "../set_up.ts";
import { couldNotRun, formatTestCommand, type TestCommand, type TestCommandResult } from "../test_command.ts";
import { runTestOf } from "../test_of_run.ts";
import { openWholeSandbox, type SandboxPlan } from "../whole_sandbox.ts";
import { readReports, reportsIn } from "./reports.ts";

/** A command that must pass. */
export interface DecidingCheck {
  readonly command: TestCommand;
  readonly timeLimitSeconds: number;
}

/** What trials need of a run. */
export interface TrialRun {
  readonly run: Parameters<typeof runTestOf>[0] & {
    readonly wallClock: () => Date;
    readonly record: (fact: JudgingFact) => void;
  };
  readonly plan: Pick<RunPlan, "workdir" | "workspace" | "evidence"> & { readonly sandbox?: SandboxPlan };
}

interface TrialOptions extends TrialRun {
  readonly workspace: Workspace;
  /** As what its workspace is known. @default {"check"} */
  readonly as?: "check" | "base";
  /** The commit that is tried. */
  readonly at: string;
  readonly checks: readonly DecidingCheck[];
  /** What makes it another trial than others of its kind: a file, an environment. */
  readonly of?: string;
  /** Variables of the checks besides those that they have. @default {{}} */
  readonly env?: Readonly<Record<string, string>>;
  /** The reports that the checks write. */
  readonly junit?: string | undefined;
  /** Whether the tests that failed may be told by name. @default {true} */
  readonly isNamed?: boolean;
  /** Scripts of the checks that are others than those that the run began with. @default {{}} */
  readonly scripts?: Contract;
  /** Puts what no commit has into the files, before the checks. */
  readonly prepare?: (tree: string) => Promise<void>;
}

/** A trial, and the end of what the check that failed has written; empty where all passed. */
export interface Tried extends Trial {
  readonly output: string;
  /** What its tests have come to; missing where no known runner tells it. */
  readonly results?: TestResults;
}

/** So much of what a check writes is read: the names of some ten thousand tests. */
export const OUTPUT_BYTES = 4 * 1024 * 1024;

/** So many tests that failed are kept by name. */
const MOST_FAILED = 20;

/** Makes all checks in a workspace of a commit in which no agent has worked, and which is removed again. */
export async function trialOf(kind: TrialKind, options: TrialOptions): Promise<Tried> {
  const {
    as = "check",
    at,
    checks,
    env = {},
    isNamed = true,
    junit,
    of,
    plan,
    prepare,
    run,
    scripts,
    workspace: { isPlain, name, origin },
  } = options;
  const { signal } = run;
  const place = await openWorkspace(origin, {
    ...{ at, task: `${name} ${kind}`, now: run.wallClock(), signal, share: plan.workspace?.share ?? [] },
    ...{ partOf: { target: name, as }, isPlain },
  });
  const about = { kind, ...present({ of }) };
  const results: (TestResults | undefined)[] = [];
  try {
    const { workdir } = place;
    await using inside = await openAround({ plan, run, workdir });
    const bound = { ...run.bound, contract: { ...run.bound.contract, ...scripts } };
    const here = { run: { ...run, bound, signal: inside.signal }, around: inside.around };
    await setUpWorkspace({ ...here, plan: { ...plan, workdir } });
    await prepare?.(place.tree);
    for (const { command, timeLimitSeconds: timeoutSeconds } of checks) {
      const before = await reportsIn(workdir, junit);
      const where = { cwd: workdir, timeoutSeconds, maxOutputBytes: OUTPUT_BYTES, around: inside.around };
      const result = await runTestOf(here.run, { command, env, ...where });
      const { problem, results: told = resultsIn(result.output) } = await readReports(workdir, {
        before,
        pattern: junit,
      });
      results.push(told);
      if (!result.passed || problem !== undefined) {
        const tests = isNamed ? joinResults(results) : undefined;
        const failing = tests === undefined ? [] : testsThat("failed", tests).slice(0, MOST_FAILED);
        const how = failed(result, { command, timeoutSeconds, problem, failing });
        return { ...about, ...how, ...present({ results: tests, failed: failing.length === 0 ? undefined : failing }) };
      }
    }
    return { ...about, passed: true, detail: "", output: "", ...present({ results: joinResults(results) }) };
  } catch (error) {
    signal.throwIfAborted();
    if (!(error instanceof RuntimeError)) throw error;
    // What could not be made has failed.
    return { ...about, passed: false, detail: errorText(error), notMade: true, output: "" };
  } finally {
    await dropWorkspace(place).catch((error) =>
      run.record({ type: "warning", message: `the workspace ${place.name} could not be removed: ${errorText(error)}` })
    );
  }
}

function failed(
  result: TestCommandResult,
  { command, failing, problem, timeoutSeconds }: {
    readonly command: TestCommand;
    readonly timeoutSeconds: number;
    /** Why a command that ended with 0 has not passed. */
    readonly problem: string | undefined;
    readonly failing: readonly string[];
  },
): Omit<Tried, "kind"> {
  const code = `exit code ${result.exitCode}`;
  const end = result.timedOut ? `no end within ${timeoutSeconds} s` : result.passed ? problem ?? code : code;
  const how = failing.length === 0 ? end : `${end}: ${named(failing)}`;
  return {
    passed: false,
    detail: `${formatTestCommand(command)}: ${how}`,
    output: result.output,
    ...(result.timedOut || couldNotRun(result) ? { notMade: true } : {}),
  };
}

/** The sandbox for the commands of a run in another folder; none where it has none. */
async function openAround(
  { plan: { sandbox }, run, workdir }: TrialRun & { readonly workdir: string },
): Promise<{ readonly around: AroundAgent | undefined; readonly signal: AbortSignal } & AsyncDisposable> {
  const { clock, folder, record, signal } = run;
  const none = { around: undefined, signal, [Symbol.asyncDispose]: () => Promise.resolve() };
  if (sandbox?.whole === undefined) return none;
  const { whole, writable } = sandbox;
  const gone = new AbortController();
  const open = await openWholeSandbox(new Map(), {
    ...{ clock, folder, signal, workdir, writable, whole, name: await nameInState(folder, false) },
    isBeside: true,
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
