import { isSameLane, laneName } from "../journal/exec/lane.ts";
import type { LaneState } from "../journal/exec/state.ts";
import { type Attempts, inOrderOfSize } from "./attempts.ts";
import type { Lanes } from "./context.ts";
import { mergeLane, type Unmerged } from "./merge_lane.ts";

/**
 * Lands one of a task's attempts that have passed: the one that was chosen, else the smallest change that passes also where
 * it is merged. What a person has chosen is landed, or nothing.
 *
 * @returns the first one that was tried, and why none is landed; nothing where one is
 */
export async function landTask(
  passed: Attempts,
  lanes: Lanes,
): Promise<{ readonly lane: LaneState; readonly unmerged: Unmerged } | undefined> {
  const { chosen = [] } = lanes.run.state();
  const choice = chosen.find((one) => passed.some((lane) => isSameLane(lane, one)));
  const isChosen = (lane: LaneState) => choice !== undefined && isSameLane(lane, choice);
  const sized = await inOrderOfSize(passed, lanes);
  const ordered = [
    ...sized.filter(({ lane }) => isChosen(lane)),
    ...choice?.by === "person" ? [] : sized.filter(({ lane }) => !isChosen(lane)),
  ];
  let first: { readonly lane: LaneState; readonly unmerged: Unmerged } | undefined;
  for (const { lane, size } of ordered) {
    const others = sized.filter((other) => other.lane !== lane).map((other) =>
      `${laneName(other.lane)}: ${other.size}`
    );
    const by = isChosen(lane) ? choice?.detail ?? "" : "the smallest that passes";
    const how = others.length === 0 ? "" : `${by}: ${size} lines; ${others.join(", ")}`;
    const unmerged = await mergeLane(lane, { how, lanes });
    if (unmerged === undefined) return undefined;
    first ??= { lane, unmerged };
  }
  return first;
}
