import type { Recorded } from "../job.ts";
import type { Role } from "../../base/roles.ts";
import { atLevel, type Change, levelOf, type Progress } from "../progress.ts";
import { allWaiting, waitsFor, waitsNoLonger } from "../waiting.ts";
import { changeWorker, workerOf } from "../workers.ts";
import { isAtRest } from "../../base/status.ts";
import type { ReviewFact } from "./facts.ts";

/** A record of that type. */
export type RecordOf<Type extends ReviewFact["type"]> = Extract<Recorded<ReviewFact>, { readonly type: Type }>;

/** A place in a round. */
export function inRound(before: Progress, { number, of }: { readonly number: number; readonly of: number }): Change {
  return atLevel(before, { unit: "round", number, of });
}

/**
 * An agent that was seen at work before is at work with it: a person has pressed Enter, or this process was gone. Its
 * status is recorded when it changes, not once more.
 */
export function messageSent(before: Progress, { role, at }: RecordOf<"message_sent">): Change {
  const isAtWork = workerOf(before, role)?.status === "processing";
  return isAtWork ? {} : changeWorker(before, role, { status: "prompted", since: at });
}

/** An agent that rests before it was seen at work has not ended anything: it has yet to take its prompt up. */
export function statusChanged(before: Progress, { role, status, at }: RecordOf<"status_changed">): Change {
  const worker = workerOf(before, role)?.status;
  const isYetToBegin = worker === "prompting" || worker === "prompted";
  return isYetToBegin && isAtRest(status) ? {} : changeWorker(before, role, { status, since: at });
}

/** A turn that waited to be tried again continues. */
export function waitEnds(
  { activity }: Progress,
  { role: worker, at }: { readonly role: Role; readonly at: string },
): Pick<Change, "activity"> {
  const waited = (activity?.kind === "usage_limit" || activity?.kind === "retry") && activity.worker === worker;
  return waited ? { activity: { kind: "turn", worker, since: at } } : {};
}

/** What changes when a message cannot be sent yet. */
export function messageHeld(before: Progress, record: RecordOf<"message_held">): Change {
  const { role: by, what, obstacle, at } = record;
  switch (obstacle) {
    case "at_work":
      return {
        ...turnActivity(before, record, `at work on something else, its ${what} waits`),
        ...waitsNoLonger(before, by),
      };
    case "draft": {
      const text = `a person's draft is in its composer, and its ${what} waits`;
      return { ...turnActivity(before, record, text), ...waitsFor(before, { id: undefined, by, text, askedAt: at }) };
    }
  }
}

/** What changes when it does not wait any longer. */
export function messageReleased(before: Progress, record: RecordOf<"message_released">): Change {
  return { ...turnActivity(before, record, undefined), ...waitsNoLonger(before, record.role) };
}

function turnActivity(
  { activity }: Progress,
  { role }: { readonly role: Role },
  detail: string | undefined,
): Change {
  if (activity?.kind !== "turn" || activity.worker !== role) return {};
  const { detail: _before, ...turn } = activity;
  return { activity: detail === undefined ? turn : { ...turn, detail } };
}

/** What changes when a turn begins, or continues in another process. */
export function turnBegins(
  before: Progress,
  { type, role, round, cycle, at }: RecordOf<"turn_started"> | RecordOf<"turn_resumed">,
): Change {
  const of = levelOf(before, "round")?.of ?? round;
  const place = inRound(before, { number: round, of }).place ?? [];
  return {
    ...changeWorker(before, role, { status: type === "turn_started" ? "prompting" : "prompted", since: at }),
    place: cycle === 0 ? place : [...place, { unit: "cycle", number: cycle }],
    activity: { kind: "turn", worker: role, since: at },
    // A draft that an earlier process waited for is looked for anew.
    ...withoutDraftOf(before, role),
  };
}

function withoutDraftOf(before: Progress, role: Role): Change {
  const isDraft = allWaiting(before).some(({ by, dialog }) => by === role && dialog === undefined);
  return isDraft ? waitsNoLonger(before, role) : {};
}
