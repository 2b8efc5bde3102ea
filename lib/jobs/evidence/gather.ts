import { present } from "../../base/schema.ts";
import { lastLines } from "../../base/text/lines.ts";
import { filesForCanaries, saidBy, withCanary } from "../../evidence/canaries.ts";
import { changedTests } from "../../evidence/changed_tests.ts";
import type { ChangedTestFile } from "../../evidence/remarks.ts";
import { testInputsIn } from "../../evidence/test_inputs.ts";
import { testPartOf } from "../../evidence/test_files.ts";
import { guardedIn, newTestsIn, type TriedHunk, verdictOf } from "../../evidence/verdict.ts";
import { plural } from "../../journal/words/words.ts";
import type { RunResult } from "../../run/execution.ts";
import { changedPaths, dropChecks, keepResult } from "../../workspace/result.ts";
import { commitWith, commitWithText, filesIn, patchBetween, textIn, textsIn, treeOf } from "../../workspace/trees.ts";
import { type Workspace, workspaceAround } from "../../workspace/workspace.ts";
import { formatTestCommand } from "../test_command.ts";
import { bringHidden } from "./hidden.ts";
import { testsSinceNoted } from "./noted.ts";
import { tryHunks } from "./try_hunks.ts";
import { type DecidingCheck, trialOf, type TrialRun, type Tried } from "./trial.ts";

/** What was looked into, and why a PASS does not hold. */
export interface Judged {
  /** `it holds in 3 trials`. */
  readonly how: string;
  /** Missing where it holds. */
  readonly problem?: string;
  /** The end of what the check has written that failed; may be empty. */
  readonly output: string;
}

/**
 * Looks whether what passes holds: in a workspace by making the checks once more where no agent has worked; there and in
 * the checkout itself by what was done to the tests. What is merged by a queue that does the same is left as it is.
 *
 * @param target what was made in it was checked where no agent has worked already
 */
export type Judge = (
  checks: readonly DecidingCheck[],
  target?: Workspace,
) => Promise<Judged>;

/** A judge of a run, which looks at the same work once. */
export function createJudge({ plan, run }: TrialRun): Judge {
  let last: { readonly of: string; readonly judged: Judged } | undefined;
  return async (checks, target) => {
    const { evidence: settings } = plan;
    const workspace = target ?? workspaceAround(plan.workdir);
    if (settings === undefined) return held("nothing was looked into");
    if (workspace?.partOf !== undefined) return held("it is judged where it is merged");
    if (workspace === undefined) return await judgeNoted({ plan, run, settings });
    const { base, name, store } = workspace;
    const { signal } = run;
    await dropChecks(name);
    const { commit } = await keepResult(workspace, { signal });
    if (commit === base) return held("nothing was changed");
    const tree = await treeOf(commit, { store, signal });
    const of = JSON.stringify([tree, checks]);
    if (last?.of === of) return last.judged;
    const tried = { plan, run, workspace, settings, commit, tree, checks, isMerged: target !== undefined };
    last = { of, judged: await judgeWork(tried) };
    return last.judged;
  };
}

function held(how: string): Judged {
  return { how, output: "" };
}

/** A PASS that holds, or the FAIL that it is. */
export async function withEvidence(result: RunResult, judge: () => ReturnType<Judge>): Promise<RunResult> {
  const { problem } = result.outcome === "pass" ? await judge() : held("");
  return problem === undefined ? result : { outcome: "fail", reason: problem };
}

interface Work extends TrialRun {
  readonly workspace: Workspace;
  readonly settings: NonNullable<TrialRun["plan"]["evidence"]>;
  readonly commit: string;
  readonly tree: string;
  readonly checks: readonly DecidingCheck[];
  readonly isMerged: boolean;
}

async function judgeWork(work: Work): Promise<Judged> {
  const { commit, plan, run, settings, workspace: { base, store } } = work;
  const { signal } = run;
  const setup = plan.workspace?.setup?.command;
  const files = await changedTests([base, commit], { store, signal });
  const trials = await trialsOf(work, files);
  const holds = trials.every(({ kind, passed }) => passed || kind !== "clean" && kind !== "hidden");
  const { hunks, untried } = holds && settings.cleanRoom && work.checks.length > 0
    ? await tryHunks(work)
    : { hunks: [], untried: 0 };
  const inputs = await inputsOf(work);
  const { problem, remarks } = verdictOf({ files, inputs, settings, trials, hunks });
  run.record({
    ...{ type: "evidence_gathered", base, commit, tree: work.tree },
    checks: work.checks.map(({ command, timeLimitSeconds }) => ({
      ...{ command: formatTestCommand(command), timeLimitSeconds },
    })),
    ...present({ setup: setup === undefined ? undefined : formatTestCommand(setup) }),
    trials: trials.map(({ output: _, ...trial }) => trial),
    remarks,
    ...present({ problem, hunks: told(hunks), untried: untried === 0 ? undefined : untried }),
    passable: true,
  });
  const tried = trials.length + hunks.length;
  if (problem === undefined) {
    return held(tried === 0 ? "nothing was run once more" : `it holds in ${plural(tried, "trial")}`);
  }
  const shown = trials.find(({ kind, output, passed }) => !passed && output !== "" && OBJECTS.has(kind));
  return { how: problem, problem, output: lastLines(shown?.output ?? "", MOST_LINES).join("\n") };
}

const MOST_LINES = 100;

/** Which lines of the change know what is in tests. */
async function inputsOf({ commit, run: { signal }, workspace: { base, store } }: Work): Promise<readonly string[]> {
  const where = { store, signal };
  const paths = (await filesIn(commit, where)).filter((path) => TOLD_PARTS.has(testPartOf(path) ?? ""));
  const tests = await textsIn(commit, { paths: paths.slice(0, MOST_READ), ...where });
  return testInputsIn(await patchBetween({ base, commit, ...where }), tests);
}

const TOLD_PARTS: ReadonlySet<string> = new Set(["test", "snapshot"]);

/** Of more test files what they have is not looked for. */
const MOST_READ = 400;

/** What of the trials that failed an agent is shown. */
const OBJECTS: ReadonlySet<string> = new Set(["clean", "hidden", "original", "again"]);

function told(hunks: readonly TriedHunk[]): readonly TriedHunk[] | undefined {
  return hunks.length === 0 ? undefined : hunks;
}

async function trialsOf(work: Work, files: readonly ChangedTestFile[]): Promise<readonly Tried[]> {
  const { checks, commit, isMerged, run: { signal }, settings, workspace: { base, name, store } } = work;
  const trials: Tried[] = [];
  const hidden = settings.hidden ?? [];
  if (!settings.cleanRoom && hidden.length === 0) return trials;
  const attempt = async (
    kind: Tried["kind"],
    more: Omit<Parameters<typeof trialOf>[1], keyof Work> & { at: string },
  ) => {
    const trial = await trialOf(kind, { ...work, ...more });
    trials.push(trial);
    return trial;
  };
  if (settings.cleanRoom && checks.length > 0) {
    if (isMerged) trials.push({ kind: "clean", passed: true, detail: "", output: "" });
    else await attempt("clean", { at: commit });
    if (trials[0]?.passed !== true) return trials;
    const swap = { store, signal };
    const [guarded, news] = [guardedIn(files), newTestsIn(files)];
    if (guarded.length > 0) {
      await attempt("original", { at: await commitWith({ base, commit, ...swap }, { name, paths: guarded }) });
    }
    if (news.length > 0) {
      await attempt("red", { at: await commitWith({ base: commit, commit: base, ...swap }, { name, paths: news }) });
    }
    if (settings.canaries) await tryCanaries(work, trials);
    for (const env of Array.from({ length: settings.repeat }, (_, number) => elsewhere(number))) {
      const of = Object.entries(env).map(([key, value]) => `${key}=${value}`).join(" ");
      await attempt("again", { at: commit, env, of });
    }
  }
  if (hidden.length > 0) {
    const { hiddenCmd: command, hiddenTell } = settings;
    const own = command === undefined ? checks : [{ command, timeLimitSeconds: HIDDEN_SECONDS }];
    if (own.length === 0) {
      trials.push({ kind: "hidden", passed: false, detail: "no command runs them", notMade: true, output: "" });
      return trials;
    }
    const from = work.workspace;
    const trial = await trialOf("hidden", {
      ...work,
      ...{ at: commit, checks: own, prepare: (into) => bringHidden(hidden, { from, into, signal }) },
    });
    trials.push(hiddenTell === "output" ? trial : { ...trial, output: "" });
  }
  return trials;
}

const HIDDEN_SECONDS = 600;

/** Where tests that lean on the time or the place of one machine fail. */
const ZONES = ["Pacific/Kiritimati", "America/St_Johns", "UTC", "Asia/Kathmandu", "Pacific/Pago_Pago"];

function elsewhere(number: number): Readonly<Record<string, string>> {
  const TZ = ZONES[number % ZONES.length] ?? "UTC";
  return number % 2 === 0 ? { TZ } : { TZ, LC_ALL: "C" };
}

/** Puts a test that must fail into test files: if the checks pass all the same, it is tried whether they did before. */
async function tryCanaries(work: Work, trials: Tried[]): Promise<void> {
  const { checks, commit, run: { signal }, workspace: { base, name, store } } = work;
  const where = { store, signal };
  const changed = await changedPaths([base, commit], where);
  const commands = checks.map(({ command }) => formatTestCommand(command)).join("\n");
  // What a check names is run as it was when the run began.
  const own = (await filesIn(commit, where)).filter((path) =>
    !commands.includes(path.slice(path.lastIndexOf("/") + 1))
  );
  for (const path of filesForCanaries(own, changed)) {
    const word = `c${crypto.randomUUID().slice(0, 8)}`;
    const tryIn = async (kind: "canary" | "canary_before", at: string) => {
      const text = await textIn(at, { path, ...where });
      const put = text === undefined ? undefined : withCanary({ path, text }, word);
      if (put === undefined) return undefined;
      const trial = await trialOf(kind, {
        ...work,
        ...{ at: await commitWithText({ commit: at, name, ...where }, { path, text: put }), of: path },
      });
      // A check that fails of something else says nothing.
      return trial.passed || trial.output.includes(saidBy(word)) ? trial : { ...trial, notMade: true };
    };
    const now = await tryIn("canary", commit);
    if (now === undefined) continue;
    trials.push(now);
    const isHeard = !now.passed && now.notMade !== true;
    const before = isHeard ? undefined : await tryIn("canary_before", base);
    if (before !== undefined) trials.push(before);
  }
}

/** Tells what was done to the tests of the checkout itself. */
async function judgeNoted(
  { plan, run, settings }: TrialRun & Pick<Work, "settings">,
): Promise<Judged> {
  const how = "nothing was run once more: agents work in the checkout itself";
  const since = await testsSinceNoted(run, plan);
  if (since === undefined || since.files?.length === 0) return held(how);
  const { problem, remarks } = verdictOf({ files: since.files, settings, trials: [] });
  if (remarks.length > 0) {
    run.record({ type: "evidence_gathered", trials: [], remarks, ...present({ problem }), passable: true });
  }
  return problem === undefined ? held(how) : { how: problem, problem, output: "" };
}
