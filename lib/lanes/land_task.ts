import { laneName } from "../journal/exec/lane.ts";
import type { LaneState } from "../journal/exec/state.ts";
import { sizeBetween } from "../workspace/result.ts";
import type { Lanes } from "./context.ts";
import { mergeLane, type Unmerged } from "./merge_lane.ts";

/**
 * Lands one of a task's attempts that have passed: the smallest change that passes also where it is merged.
 *
 * @returns the smallest one, and why none is landed; nothing where one is
 */
export async function landTask(
  passed: readonly LaneState[],
  lanes: Lanes,
): Promise<{ readonly lane: LaneState; readonly unmerged: Unmerged } | undefined> {
  const sized = await Promise.all(passed.map(async (lane) => ({ lane, ...await sizeOf(lane, lanes) })));
  let first: { readonly lane: LaneState; readonly unmerged: Unmerged } | undefined;
  for (const { lane, size } of sized.toSorted((one, other) => one.size - other.size)) {
    const others = sized.filter((other) => other.lane !== lane).map((other) =>
      `${laneName(other.lane)}: ${other.size}`
    );
    const how = others.length === 0 ? "" : `the smallest that passes: ${size} lines; ${others.join(", ")}`;
    const unmerged = await mergeLane(lane, { how, lanes });
    if (unmerged === undefined) return undefined;
    first ??= { lane, unmerged };
  }
  return first;
}

async function sizeOf({ base, commit = base }: LaneState, { signal, target: { store } }: Lanes) {
  return { size: await sizeBetween([base, commit], { store, signal }) };
}
