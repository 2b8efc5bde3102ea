import { RuntimeError } from "../../base/errors.ts";
import { type Hunk, hunksOf } from "../../evidence/hunks.ts";
import type { EvidencePlan } from "../../evidence/settings.ts";
import type { TriedHunk } from "../../evidence/verdict.ts";
import { commitWithout, patchBetween } from "../../workspace/trees.ts";
import type { Workspace } from "../../workspace/workspace.ts";
import { type DecidingCheck, trialOf, type TrialRun } from "./trial.ts";

interface Trying extends TrialRun {
  readonly workspace: Workspace;
  readonly settings: Pick<EvidencePlan, "budgetMinutes">;
  readonly commit: string;
  readonly checks: readonly DecidingCheck[];
}

/** So many are tried at a time. */
const WIDTH = 2;

/**
 * Takes back each place that was changed, alone, to see whether a check misses it, until the time for it is used up.
 *
 * @returns `untried`: how many were not tried, or could not be judged
 */
export async function tryHunks(
  trying: Trying,
): Promise<{ readonly hunks: readonly TriedHunk[]; readonly untried: number }> {
  const { commit, run: { clock, signal }, settings: { budgetMinutes }, workspace: { base, store } } = trying;
  if (budgetMinutes === 0) return { hunks: [], untried: 0 };
  const all = hunksOf(await patchBetween({ base, commit, store, signal }));
  const untilMs = clock.now() + budgetMinutes * 60_000;
  const queue = [...all];
  const hunks: TriedHunk[] = [];
  const work = async () => {
    for (let hunk = queue.shift(); hunk !== undefined && clock.now() < untilMs; hunk = queue.shift()) {
      const noticed = await isNoticed(hunk, trying);
      if (noticed !== undefined) hunks.push({ path: hunk.path, lines: hunk.lines, noticed });
    }
  };
  await Promise.all(Array.from({ length: WIDTH }, work));
  const told = hunks.toSorted((one, other) => placeOf(one, all) - placeOf(other, all));
  return { hunks: told, untried: all.length - hunks.length };
}

function placeOf({ lines, path }: TriedHunk, all: readonly Hunk[]): number {
  return all.findIndex((hunk) => hunk.path === path && hunk.lines === lines);
}

/** `undefined` where it cannot be told. */
async function isNoticed(hunk: Hunk, trying: Trying): Promise<boolean | undefined> {
  const { commit, run: { signal }, workspace: { name, store } } = trying;
  try {
    const at = await commitWithout({ commit, name, store, signal }, hunk.patch);
    const { notMade, passed } = await trialOf("clean", { ...trying, at });
    return notMade === true ? undefined : !passed;
  } catch (error) {
    signal.throwIfAborted();
    if (error instanceof RuntimeError) return undefined;
    throw error;
  }
}
