import type { Role } from "../../base/roles.ts";
import { atLevel, type Change, levelOf, type Progress } from "../progress.ts";
import { allWaiting, waitsNoLonger } from "../waiting.ts";
import { changeWorker } from "../workers.ts";

export function inRound(before: Progress, { number, of }: { readonly number: number; readonly of: number }): Change {
  return atLevel(before, { unit: "round", number, of });
}

export function waitEnds(
  { activity }: Progress,
  { role: worker, at }: { readonly role: Role; readonly at: string },
): Pick<Change, "activity"> {
  const waited = (activity?.kind === "usage_limit" || activity?.kind === "retry") && activity.worker === worker;
  return waited ? { activity: { kind: "turn", worker, since: at } } : {};
}

export function turnActivity(
  { activity }: Progress,
  role: Role,
  detail: string | undefined,
): Change {
  if (activity?.kind !== "turn" || activity.worker !== role) return {};
  const { detail: _before, ...turn } = activity;
  return { activity: detail === undefined ? turn : { ...turn, detail } };
}

export function turnBegins(
  before: Progress,
  { role, round, cycle, at }: {
    readonly role: Role;
    readonly round: number;
    readonly cycle: number;
    readonly at: string;
  },
  status: "prompting" | "prompted",
): Change {
  const of = levelOf(before, "round")?.of ?? round;
  const place = inRound(before, { number: round, of }).place ?? [];
  return {
    ...changeWorker(before, role, { status, since: at }),
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

/** Whether a record is of the turn of a message from outside: what the loop does is not changed by it. */
export function isOfMessage({ messages }: Progress, turnId: string): boolean {
  return messages.some(({ id }) => id === turnId);
}

export function turnPlace({ round, cycle }: { readonly round: number; readonly cycle: number }): string {
  return cycle === 0 ? `round ${round}` : `round ${round}, cycle ${cycle}`;
}
