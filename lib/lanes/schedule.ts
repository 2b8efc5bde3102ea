import type { ExecState, LaneState } from "../journal/exec/state.ts";
import { type LaneTask, writesSame } from "./lane_tasks.ts";

export type LaneAction =
  | { readonly do: "begin"; readonly task: LaneTask }
  /** Its run was left by an earlier process, or waits for an answer that may be there. */
  | { readonly do: "continue"; readonly lane: LaneState }
  | { readonly do: "merge"; readonly lane: LaneState };

/** What this process has under way, by the files of the tasks. */
export interface UnderWay {
  readonly running: ReadonlySet<string>;
  /** Of those, the ones that wait for a person. */
  readonly asking: ReadonlySet<string>;
  /** Those whose run has found no answer. */
  readonly unanswered: ReadonlySet<string>;
  readonly isMerging: boolean;
}

/**
 * What is to be begun now. What waits for a person takes no other task's place; one merge is made at a time, in the order in
 * which the tasks have passed.
 */
export function dueLanes(
  { failed, lanes = [], passed }: Pick<ExecState, "lanes" | "passed" | "failed">,
  { keepGoing, parallel, tasks, underWay: { asking, isMerging, running, unanswered } }: {
    readonly tasks: readonly LaneTask[];
    readonly parallel: number;
    readonly keepGoing: boolean;
    readonly underWay: UnderWay;
  },
): readonly LaneAction[] {
  const left = lanes.filter(({ file, stage }) =>
    !running.has(file) && (stage === "working" || stage === "waiting" && !unanswered.has(file))
  );
  const begun = new Set(lanes.map(({ file }) => file));
  const atWork = tasks.filter(({ file }) => running.has(file) && !asking.has(file));
  const fresh: LaneTask[] = [];
  const places = Math.max(0, parallel - atWork.length);
  const continued = left.slice(0, places);
  for (const task of failed.length > 0 && !keepGoing ? [] : tasks) {
    if (continued.length + fresh.length >= places) break;
    const isDue = !begun.has(task.file) && task.needs.every((file) => passed.includes(file));
    const besides = [...tasks.filter(({ file }) => isUnderWay(file, lanes)), ...fresh];
    if (isDue && !besides.some((other) => writesSame(task, other))) fresh.push(task);
  }
  const first = isMerging ? undefined : lanes.find(({ file, stage }) => stage === "passed" && !running.has(file));
  return [
    ...(first === undefined ? [] : [{ do: "merge", lane: first } as const]),
    ...continued.map((lane) => ({ do: "continue", lane }) as const),
    ...fresh.map((task) => ({ do: "begin", task }) as const),
  ];
}

function isUnderWay(file: string, lanes: readonly LaneState[]): boolean {
  return lanes.some((lane) => lane.file === file && lane.stage !== "landed" && lane.stage !== "failed");
}
