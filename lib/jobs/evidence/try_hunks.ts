import { RuntimeError } from "../../base/errors.ts";
import { present } from "../../base/schema.ts";
import { type Hunk, hunksOf } from "../../evidence/hunks.ts";
import type { EvidencePlan } from "../../evidence/settings.ts";
import { partsBy } from "../../evidence/test_files.ts";
import { noticedBy } from "../../evidence/compare_results.ts";
import type { TestResults } from "../../evidence/test_results.ts";
import type { TriedHunk } from "../../evidence/verdict.ts";
import { commitWithout, patchBetween } from "../../workspace/trees.ts";
import type { Workspace } from "../../workspace/workspace.ts";
import { type DecidingCheck, trialOf, type TrialRun } from "./trial.ts";
import { inParallel } from "./trials.ts";

interface Trying extends TrialRun {
  readonly workspace: Workspace;
  readonly settings: Pick<EvidencePlan, "budgetMinutes" | "tests">;
  readonly commit: string;
  readonly checks: readonly DecidingCheck[];
  /** What the tests of the result have come to. */
  readonly results: TestResults | undefined;
  readonly junit: string | undefined;
  /** How many are tried at a time. */
  readonly width: number;
}

/**
 * Takes back each place that was changed, alone, to see whether a check misses it, until the time for it is used up.
 *
 * @returns `untried`: how many were not tried, or could not be judged
 */
export async function tryHunks(
  trying: Trying,
): Promise<{ readonly hunks: readonly TriedHunk[]; readonly untried: number }> {
  const { commit, run: { clock, signal }, settings, width, workspace: { base, store } } = trying;
  if (settings.budgetMinutes === 0) return { hunks: [], untried: 0 };
  const all = hunksOf(await patchBetween({ base, commit, store, signal }), partsBy(settings.tests ?? []));
  const untilMs = clock.now() + settings.budgetMinutes * 60_000;
  const acts = all.map((hunk) => async () => {
    if (clock.now() >= untilMs) return [];
    const by = await whoMisses(hunk.patch, trying) ?? await whoMisses(allIn(hunk.path, all), trying);
    if (by === undefined) return [];
    const told = by === "somebody" ? undefined : by.slice(0, MOST_NAMED);
    const noticed = by === "somebody" || by.length > 0;
    return [{ path: hunk.path, lines: hunk.lines, noticed, ...present({ by: noticed ? told : undefined }) }];
  });
  const hunks = (await inParallel(acts, width)).flat();
  return { hunks, untried: all.length - hunks.length };
}

/** So many tests are named that a place is missed by. */
const MOST_NAMED = 3;

/** All of a file, the last lines first: what is taken back does not move what follows. */
function allIn(file: string, hunks: readonly Hunk[]): string {
  return hunks.filter(({ path }) => path === file)
    .toSorted((one, other) => Number.parseInt(other.lines) - Number.parseInt(one.lines))
    .map(({ patch }) => patch).join("");
}

/** The tests that fail without a part of the change, or `somebody`; `undefined` where nothing is built without it. */
async function whoMisses(patch: string, trying: Trying): Promise<readonly string[] | "somebody" | undefined> {
  const { commit, results, run: { signal }, workspace: { name, store } } = trying;
  try {
    const at = await commitWithout({ commit, name, store, signal }, patch);
    const { notMade, passed, results: without } = await trialOf("clean", { ...trying, at });
    if (notMade === true) return undefined;
    if (passed) return [];
    const by = results === undefined ? [] : noticedBy(without, results);
    return by?.length === 0 ? "somebody" : by;
  } catch (error) {
    signal.throwIfAborted();
    if (error instanceof RuntimeError) return undefined;
    throw error;
  }
}
