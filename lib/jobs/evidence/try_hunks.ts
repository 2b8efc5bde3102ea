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
  readonly env?: Readonly<Record<string, string>>;
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
  const isTime = () => clock.now() < untilMs;
  const alone = await inParallel(
    all.map(({ patch }) => async () => isTime() ? await whoMisses(patch, trying) : undefined),
    width,
  );
  const known = new Map(all.map((hunk, index) => [hunk, alone[index]]));
  const together = await inParallel(
    all.map((hunk, index) => async () => {
      const by = alone[index];
      return by === "not built" && isTime() ? await whoMissesBeside(hunk, { known, trying }) : by;
    }),
    width,
  );
  const hunks = all.flatMap(({ lines, path }, index) => {
    const by = together[index];
    if (by === undefined || by === "not built") return [];
    const names = by === "somebody" ? [] : by.slice(0, MOST_NAMED);
    const noticed = by.length > 0;
    return [{ path, lines, noticed, ...present({ by: names.length === 0 ? undefined : names }) }];
  });
  return { hunks, untried: all.length - hunks.length };
}

/** So many tests are named that a place is missed by. */
const MOST_NAMED = 3;

/** So many neighbours are taken back with a place without which nothing is built. */
const MOST_NEIGHBOURS = 4;

/** The names of tests; `somebody`, where it is not told who; `not built`: nobody can tell. */
type Missed = readonly string[] | "somebody" | "not built";

/** Takes back a place with one of its neighbours, of which it is known who misses them. */
async function whoMissesBeside(
  hunk: Hunk,
  { known, trying }: { readonly known: ReadonlyMap<Hunk, Missed | undefined>; readonly trying: Trying },
): Promise<Missed> {
  const away = (other: Hunk) => Math.abs(Number.parseInt(other.lines) - Number.parseInt(hunk.lines));
  const neighbours = [...known.keys()].filter((other) => other !== hunk && other.path === hunk.path)
    .toSorted((one, other) => away(one) - away(other)).slice(0, MOST_NEIGHBOURS);
  for (const neighbour of neighbours) {
    // The last lines first: what is taken back does not move what stands above.
    const both = [hunk, neighbour].toSorted((one, other) => Number.parseInt(other.lines) - Number.parseInt(one.lines));
    const by = await whoMisses(both.map(({ patch }) => patch).join(""), trying);
    if (by.length === 0) return by;
    const others = known.get(neighbour);
    const theirs = typeof others === "object" ? others : [];
    if (typeof by !== "string" && others !== "somebody") {
      const own = by.filter((name) => !theirs.includes(name));
      if (own.length > 0) return own;
    }
  }
  return "not built";
}

/** The tests that fail without a part of the change. */
async function whoMisses(patch: string, trying: Trying): Promise<Missed> {
  const { commit, results, run: { signal }, workspace: { name, store } } = trying;
  try {
    const at = await commitWithout({ commit, name, store, signal }, patch);
    const { notMade, passed, results: without } = await trialOf("clean", { ...trying, at });
    if (notMade === true) return "not built";
    if (passed) return [];
    const by = results === undefined ? [] : noticedBy(without, results);
    return by === undefined ? "not built" : by.length === 0 ? "somebody" : by;
  } catch (error) {
    signal.throwIfAborted();
    if (error instanceof RuntimeError) return "not built";
    throw error;
  }
}
