import { isSameLane, laneName } from "../journal/exec/lane.ts";
import type { LaneState } from "../journal/exec/state.ts";
import { type Attempts, inOrderOfSize } from "./attempts.ts";
import type { Lanes } from "./context.ts";
import { mergeLane, mergeTogether, type Unmerged } from "./merge_lane.ts";

/** What was not landed of a task, and why: the lane that was tried first. */
export interface Left {
  readonly lane: LaneState;
  readonly unmerged: Unmerged;
}

/** What came of a task: landed where nothing is left. */
interface Landing {
  readonly passed: Attempts;
  readonly left: Left | undefined;
}

/**
 * Lands one lane of each task. Several are merged one upon the other and tested once; where that fails, one half is landed
 * before the other is tried, down to the task that is at fault.
 */
export async function landTasks(tasks: readonly Attempts[], lanes: Lanes): Promise<readonly Landing[]> {
  const [passed, ...others] = tasks;
  if (passed === undefined) return [];
  if (others.length === 0) return [{ passed, left: await landTask(passed, lanes) }];
  const preferred = await Promise.all(
    tasks.map(async (task) => (await inOrder(task, lanes))[0] ?? { lane: task[0], how: "" }),
  );
  if (await mergeTogether(preferred, lanes)) return tasks.map((passed) => ({ passed, left: undefined }));
  const half = Math.ceil(tasks.length / 2);
  return [...await landTasks(tasks.slice(0, half), lanes), ...await landTasks(tasks.slice(half), lanes)];
}

/** Lands one of a task's attempts that have passed: the first in order that passes also where it is merged. */
async function landTask(passed: Attempts, lanes: Lanes): Promise<Left | undefined> {
  let first: Left | undefined;
  for (const { how, lane } of await inOrder(passed, lanes)) {
    const unmerged = await mergeLane(lane, { how, lanes });
    if (unmerged === undefined) return undefined;
    first ??= { lane, unmerged };
  }
  return first;
}

/** In which order attempts are tried: the one that was chosen, then the smallest. What a person has chosen is alone. */
async function inOrder(
  passed: Attempts,
  lanes: Lanes,
): Promise<readonly { readonly lane: LaneState; readonly how: string }[]> {
  const { chosen = [] } = lanes.run.state();
  const choice = chosen.find((one) => passed.some((lane) => isSameLane(lane, one)));
  const isChosen = (lane: LaneState) => choice !== undefined && isSameLane(lane, choice);
  const sized = await inOrderOfSize(passed, lanes);
  const ordered = [
    ...sized.filter(({ lane }) => isChosen(lane)),
    ...choice?.by === "person" ? [] : sized.filter(({ lane }) => !isChosen(lane)),
  ];
  return ordered.map(({ lane, size }) => {
    const others = sized.filter((other) => other.lane !== lane).map((other) =>
      `${laneName(other.lane)}: ${other.size}`
    );
    const by = isChosen(lane) ? choice?.detail ?? "" : "the smallest that passes";
    return { lane, how: others.length === 0 ? "" : `${by}: ${size} lines; ${others.join(", ")}` };
  });
}
