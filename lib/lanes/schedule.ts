import { isSameLane, isSameWork, type Lane } from "../journal/exec/lane.ts";
import { present } from "../base/schema.ts";
import type { Chooser } from "../journal/exec/fields.ts";
import type { ExecState, LaneState } from "../journal/exec/state.ts";
import type { Attempts } from "./attempts.ts";
import { type LaneTask, writesSame } from "./lane_tasks.ts";

export type LaneAction =
  | {
    readonly do: "begin";
    readonly task: LaneTask;
    readonly lane: Lane;
    readonly purpose: "task" | "lead";
    /** What it begins with, where other roles have done their part before. */
    readonly led: LaneState | undefined;
  }
  /** Its run was left by an earlier process, or waits for an answer that may be there. */
  | { readonly do: "continue"; readonly lane: LaneState }
  /** One of these, of the same task, is to be chosen by a judge or a person. */
  | { readonly do: "choose"; readonly lanes: Attempts }
  /** One lane of each of these tasks is to be landed, in this order. */
  | { readonly do: "land"; readonly tasks: readonly [Attempts, ...Attempts[]] };

/** What this process has under way. */
export interface UnderWay {
  readonly running: readonly Lane[];
  /** Of those, the ones that wait for a person. */
  readonly asking: readonly Lane[];
  /** Those whose run has found no answer, and the tasks of which a person has chosen no attempt. */
  readonly unanswered: readonly Lane[];
  readonly isMerging: boolean;
}

export interface Width {
  /** How many lanes at a time. */
  readonly parallel: number;
  /** How often each task is tried. */
  readonly attempts: number;
  readonly choose: Chooser;
  readonly keepGoing: boolean;
  /** Whether the attempts have a beginning in common, which is done first. @default {false} */
  readonly hasLead?: boolean;
}

/**
 * What is to be begun now. What waits for a person takes nobody's place; what has passed meanwhile is merged at a time, in
 * the order in which it did.
 */
export function dueLanes(
  state: Pick<ExecState, "lanes" | "failed" | "chosen">,
  { tasks, underWay, width: { attempts, choose, hasLead = false, keepGoing, parallel } }: {
    readonly tasks: readonly LaneTask[];
    readonly width: Width;
    readonly underWay: UnderWay;
  },
): readonly LaneAction[] {
  const { chosen = [], failed, lanes = [] } = state;
  const { asking, isMerging, running, unanswered } = underWay;
  const places = Math.max(0, parallel - running.filter((lane) => !has(asking, lane)).length);
  const continued = lanes.filter((lane) =>
    !has(running, lane) && (lane.stage === "working" || lane.stage === "waiting" && !has(unanswered, lane))
  ).slice(0, places);
  const fresh: Extract<LaneAction, { readonly do: "begin" }>[] = [];
  for (const task of failed.length > 0 && !keepGoing ? [] : tasks) {
    const isDue = task.needs.every((need) => isLanded(need, lanes));
    const besides = tasks.filter((one) => isUnderWay(one, lanes) || fresh.some(({ lane }) => isSameWork(lane, one)));
    const isOver = choose === "first" && lanes.some((lane) => isSameWork(lane, task) && isDone(lane));
    if (!isDue || isOver || besides.some((other) => other !== task && writesSame(task, other))) continue;
    const led = lanes.find((lane) => isSameWork(lane, task) && lane.stage === "led");
    const isLead = hasLead && led === undefined && !lanes.some((lane) => isSameWork(lane, task) && isAttempt(lane));
    const due = lanesOfTask(task, isLead ? 1 : attempts).filter((lane) => !has(lanes, lane));
    const purpose = isLead ? "lead" : "task";
    fresh.push(
      ...due.slice(0, places - continued.length - fresh.length).map((lane) =>
        ({ do: "begin", task, lane, purpose, led }) as const
      ),
    );
  }
  const isReady = (of: Lane) => choose === "first" || !isAtWork(of, { attempts, lanes, running });
  const ready = passedOf(lanes).filter(([one]) => isReady(one) && !has(unanswered, workOf(one)));
  const toChoose = choose === "judge" || choose === "person"
    ? ready.filter((own) => isOpen(own, { chosen, lanes }))
    : [];
  const [due, ...others] = isMerging ? [] : ready.filter((own) => !toChoose.includes(own));
  return [
    ...(due === undefined ? [] : [{ do: "land", tasks: [due, ...others] } as const]),
    ...toChoose.map((lanes) => ({ do: "choose", lanes }) as const),
    ...continued.map((lane) => ({ do: "continue", lane }) as const),
    ...fresh,
  ];
}

/** What has passed of a task; nothing where none of its attempts has. */
export function passedAs(of: Lane, lanes: readonly LaneState[] = []): Attempts | undefined {
  return passedOf(lanes).find(([one]) => isSameWork(one, of));
}

/** What has passed, task by task, in the order in which it did. */
function passedOf(lanes: readonly LaneState[]): readonly Attempts[] {
  const passed = lanes.filter(({ stage }) => stage === "passed");
  const firsts = passed.filter((lane) => passed.find((other) => isSameWork(other, lane)) === lane);
  return firsts.map((first) => [first, ...passed.filter((lane) => lane !== first && isSameWork(lane, first))]);
}

/** Whether one of these has to be chosen: what was chosen before may have been merged in vain. */
function isOpen(
  [first, ...others]: Attempts,
  { chosen, lanes }: { readonly chosen: readonly Lane[]; readonly lanes: readonly LaneState[] },
): boolean {
  if (has(chosen, first) || others.some((lane) => has(chosen, lane))) return false;
  return others.length > 0 || lanes.some((lane) => isSameWork(lane, first) && has(chosen, lane));
}

/** A lane without the attempt that it is. */
export function workOf({ file, part }: Lane): Pick<Lane, "file"> & { readonly part?: string } {
  return { file, ...present({ part }) };
}

function isDone({ stage }: LaneState): boolean {
  return stage === "passed" || stage === "landed";
}

/** Whether a task, or a step of one, is in the target. */
export function isLanded(work: Lane, lanes: readonly LaneState[]): boolean {
  return lanes.some((lane) => isSameWork(lane, work) && lane.stage === "landed");
}

/** The lanes that a task is to have. */
function lanesOfTask(of: Lane, attempts: number): readonly Lane[] {
  const work = workOf(of);
  return attempts === 1 ? [work] : Array.from({ length: attempts }, (_, index) => ({ ...work, attempt: index + 1 }));
}

/** Whether an attempt of a task may still pass: nobody knows before which is the smallest. */
function isAtWork(
  of: Lane,
  { attempts, lanes, running }: {
    readonly attempts: number;
    readonly lanes: readonly LaneState[];
    readonly running: readonly Lane[];
  },
): boolean {
  const own = lanes.filter((lane) => isSameWork(lane, of));
  const isBegun = lanesOfTask(of, attempts).every((lane) => has(own, lane));
  return !isBegun || own.some(({ stage }) => stage === "working") || running.some((lane) => isSameWork(lane, of));
}

function isUnderWay(of: Lane, lanes: readonly LaneState[]): boolean {
  const own = lanes.filter((lane) => isSameWork(lane, of) && lane.purpose !== "judge");
  const tries = triesOf(own, of);
  if (own.length === 0 || own.some(({ stage }) => stage === "landed")) return false;
  return !(tries.length === 0 ? own : tries).every(({ stage }) => stage === "failed");
}

/** The lanes in which a task itself is done. */
function triesOf(lanes: readonly LaneState[], of: Lane): readonly LaneState[] {
  return lanes.filter((lane) => isSameWork(lane, of) && lane.purpose !== "judge" && lane.purpose !== "lead");
}

function isAttempt({ attempt }: Lane): boolean {
  return attempt !== undefined;
}

function has(lanes: readonly Lane[], lane: Lane): boolean {
  return lanes.some((one) => isSameLane(one, lane));
}

/** Whether nothing of a task can come to pass any more. */
export function isLost({ lanes = [] }: Pick<ExecState, "lanes">, of: Lane, attempts: number): boolean {
  const own = triesOf(lanes, of);
  return own.length >= attempts && own.every(({ stage }) => stage === "failed" || stage === "unmerged");
}
