import { present } from "../../base/schema.ts";
import { sha256Hex } from "../../base/text/digest.ts";
import { lastLines } from "../../base/text/lines.ts";
import { changedTests } from "../../evidence/changed_tests.ts";
import type { TestResults } from "../../evidence/test_results.ts";
import { testInputsIn } from "../../evidence/test_inputs.ts";
import { partsBy } from "../../evidence/test_files.ts";
import { type TriedHunk, verdictOf } from "../../evidence/verdict.ts";
import { plural } from "../../journal/words/words.ts";
import type { RunResult } from "../../run/execution.ts";
import { keepResult } from "../../workspace/result.ts";
import { filesIn, patchBetween, textsIn, treeOf } from "../../workspace/trees.ts";
import { type Workspace, workspaceAround } from "../../workspace/workspace.ts";
import { formatTestCommand } from "../test_command.ts";
import type { BaseTrial } from "./base_trial.ts";
import { keptOfCheckout, notedCheckout, remarksOnGiven } from "./noted.ts";
import { tryHunks } from "./try_hunks.ts";
import type { DecidingCheck, TrialRun } from "./trial.ts";
import { trialsOf, widthOf, type Work } from "./trials.ts";

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
 * Looks whether what passes holds, by what was done to the tests, and by making the checks once more where no agent has
 * worked. What is merged by a queue that does the same is left as it is.
 *
 * @param target what was made in it was checked where no agent has worked already
 */
export type Judge = (
  checks: readonly DecidingCheck[],
  target?: Workspace,
) => Promise<Judged>;

/** A judge of a run, which looks at the same work once. */
export function createJudge({ early, plan, run }: TrialRun & { readonly early?: BaseTrial }): Judge {
  let last: { readonly of: string; readonly judged: Judged } | undefined;
  const once = async (of: string, judge: () => Judged | Promise<Judged>) => {
    if (last?.of !== of) last = { of, judged: await judge() };
    return last.judged;
  };
  return async (checks, target) => {
    const { evidence: settings } = plan;
    const apart = target ?? workspaceAround(plan.workdir);
    if (settings === undefined) return held("nothing was looked into");
    if (apart?.partOf !== undefined) return held("it is judged where it is merged");
    const workspace = apart ?? notedCheckout(run, plan);
    const untold = (why: string) => once(why, () => tellUntold(why, { run, settings }));
    if (workspace === undefined) return await untold("what was there before is not known");
    if ("problem" in workspace) return await untold(workspace.problem);
    const { base, store } = workspace;
    const { signal } = run;
    const isCheckout = apart === undefined;
    const kept = await (isCheckout ? keptOfCheckout(workspace, run) : keepResult(workspace, { signal }));
    if ("problem" in kept) return await untold(kept.problem);
    const { commit } = kept;
    if (commit === base) return held("nothing was changed");
    const tree = await treeOf(commit, { store, signal });
    const tried = { plan, run, early, workspace, settings, commit, tree, checks, isCheckout };
    return await once(JSON.stringify([tree, checks]), () => judgeWork(tried));
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

/** What is judged where it cannot be told what was changed. */
function tellUntold(why: string, { run, settings }: Pick<TrialRun, "run"> & Pick<Work, "settings">): Judged {
  const how = `nothing was run once more: ${why}`;
  const { problem, remarks } = verdictOf({ files: undefined, inputs: [how], settings, trials: [] });
  run.record({ type: "evidence_gathered", trials: [], remarks, ...present({ problem }), passable: true });
  return problem === undefined ? held(how) : { how: problem, problem, output: "" };
}

async function judgeWork(work: Work & { readonly isCheckout: boolean }): Promise<Judged> {
  const { commit, isCheckout, plan, run, settings, workspace: { base, store } } = work;
  const { signal } = run;
  const setup = plan.workspace?.setup?.command;
  // Told at last, and asked with what else git is asked.
  const asked = inputsOf(work);
  asked.catch(() => {});
  const files = await changedTests([base, commit], { store, signal, partOf: partsBy(settings.tests ?? []) });
  const width = widthOf(plan.sandbox);
  const { checks, env, trials } = await trialsOf({ ...work, width, junit: settings.junit }, files);
  const resultsOf = (of: string) => trials.find(({ kind }) => kind === of)?.results;
  const [now, before, red] = ["clean", "base", "red"].map(resultsOf);
  const holds = trials.every(({ kind, passed }) => passed || kind !== "clean" && kind !== "hidden");
  const { hunks, untried } = holds && settings.cleanRoom && work.checks.length > 0
    ? await tryHunks({ ...work, checks, results: now, width, junit: settings.junit, ...present({ env }) })
    : { hunks: [], untried: 0 };
  const given = isCheckout && trials.length > 0 ? await remarksOnGiven(work.workspace, { plan, run }) : [];
  const inputs = [...await asked, ...given];
  const { problem, remarks } = verdictOf({
    ...{ files, inputs, isCheckout, settings, trials, hunks },
    results: { now, before, red },
  });
  run.record({
    ...{ type: "evidence_gathered", base, commit, tree: work.tree },
    checks: work.checks.map(({ command, timeLimitSeconds }) => ({
      ...{ command: formatTestCommand(command), timeLimitSeconds },
    })),
    ...present({ setup: setup === undefined ? undefined : formatTestCommand(setup) }),
    trials: trials.map(({ output: _, results: __, ...trial }) => trial),
    remarks,
    ...present({ problem, hunks: told(hunks), untried: untried === 0 ? undefined : untried }),
    ...present({ tests: now === undefined ? undefined : await toldResults(now) }),
    passable: true,
  });
  const tried = trials.length + hunks.length;
  if (problem === undefined) {
    return held(tried === 0 ? "nothing was run once more" : `it holds in ${plural(tried, "trial")}`);
  }
  const shown = trials.find(({ kind, output, passed }) => !passed && output !== "" && OBJECTS.has(kind));
  // What else there is to know is for whoever mends it, too.
  const others = remarks.filter((remark) => !problem.includes(remark)).map((remark) => `remark: ${remark}\n`).join("");
  return { how: problem, problem, output: others + lastLines(shown?.output ?? "", MOST_LINES).join("\n") };
}

const MOST_LINES = 100;

/** Which lines of the change know what is in tests. */
async function inputsOf(
  { commit, run: { signal }, settings, workspace: { base, store } }: Work,
): Promise<readonly string[]> {
  const where = { store, signal };
  const partOf = partsBy(settings.tests ?? []);
  const [all, patch] = await Promise.all([filesIn(commit, where), patchBetween({ base, commit, ...where })]);
  const paths = all.filter((path) => TOLD_PARTS.has(partOf(path) ?? ""));
  const tests = await textsIn(commit, { paths: paths.slice(0, MOST_READ), ...where });
  return testInputsIn(patch, { tests, partOf });
}

const TOLD_PARTS: ReadonlySet<string> = new Set(["test", "snapshot"]);

/** Of more test files what they have is not looked for. */
const MOST_READ = 400;

/** What of the trials that failed an agent is shown. */
const OBJECTS: ReadonlySet<string> = new Set(["clean", "hidden", "original", "again"]);

/** Of more tests their number and a hash of their names and results are kept. */
const MOST_KEPT = 2000;

async function toldResults({ tests, total }: TestResults) {
  const named = [...tests].toSorted(([one], [other]) => one < other ? -1 : 1);
  const sha256 = await sha256Hex(named.map(([name, how]) => `${how} ${name}\n`).join(""));
  return { total, sha256, ...(named.length > MOST_KEPT ? {} : { results: Object.fromEntries(named) }) };
}

function told(hunks: readonly TriedHunk[]): readonly TriedHunk[] | undefined {
  return hunks.length === 0 ? undefined : hunks;
}
