import type { LaneState } from "../journal/exec/state.ts";
import { diffOf, sizeBetween } from "../workspace/result.ts";
import type { Lanes } from "./context.ts";

/** What has passed of a task: one lane for each attempt. */
export type Attempts = readonly [LaneState, ...LaneState[]];

/** What is looked at of an attempt: its own commits are in the store of the target. */
type Looking = Pick<Lanes, "signal" | "target">;

export function inOrderOfBegin(passed: Attempts): Attempts {
  const [first = passed[0], ...others] = passed.toSorted(({ attempt: one = 1 }, { attempt: other = 1 }) => one - other);
  return [first, ...others];
}

/** How many lines an attempt has changed. */
export async function sizeOf(
  { base, commit = base }: LaneState,
  { signal, target: { store } }: Looking,
): Promise<number> {
  return await sizeBetween([base, commit], { store, signal });
}

/** The smallest change first. */
export async function inOrderOfSize(
  passed: Attempts,
  looking: Looking,
): Promise<readonly { readonly lane: LaneState; readonly size: number }[]> {
  const sized = await Promise.all(passed.map(async (lane) => ({ lane, size: await sizeOf(lane, looking) })));
  return sized.toSorted((one, other) => one.size - other.size);
}

export async function patchOf({ base, commit = base }: LaneState, { signal, target }: Looking): Promise<string> {
  return await diffOf({ ...target, base }, { commit }, { signal });
}
