import { basename } from "@std/path/posix";
import { plainName } from "../../jobs/pipeline/task_folder.ts";
import type { RunOverview } from "../../run/overview.ts";
import { type Activity, type Level, levelOf, type Progress, type Waiting, workerOf } from "../../run/progress.ts";
import { sanitizeLine } from "../../text/sanitize.ts";
import { cut } from "../console/layout.ts";
import { dialogRequest } from "./dialog_text.ts";
import { forHowLong, localTime, timeOfDay, workerStatusText } from "./words.ts";

/** How a run is, with the question that it waits for. */
export function conditionText(
  { condition, question, answered }: Pick<RunOverview, "condition" | "question" | "answered">,
) {
  if (condition !== "waiting") return condition === "needs_person" ? "needs a person" : condition;
  if (question?.id === undefined) {
    return question?.dialog === undefined ? "waiting for a person" : "waiting at a dialog";
  }
  const id = sanitizeLine(question.id);
  return answered ? `${id} is answered` : `waiting for ${id}`;
}

/** What waits for a person, in a line: who asks, and what for. */
export function waitingText({ by, text, dialog }: Waiting): string {
  if (dialog === undefined) return sanitizeLine(`${by}: ${text.trim().split("\n")[0]}`);
  const subject = dialog.subject?.split("\n").join(", ");
  return sanitizeLine(`${by} ${dialogRequest(dialog)}${subject === undefined ? "" : `: ${subject}`}`);
}

/**
 * The name of the task under way, where it is one of a folder's; `undefined` elsewhere.
 *
 * @example
 * ```ts
 * import { assertEquals } from "@std/assert";
 * const place = [{ unit: "task", number: 2, name: "/w/tasks/02-login.md" }] as const;
 * assertEquals(taskName({ about: "tasks", place }), "02-login");
 * assertEquals(taskName({ about: "02-login.md", place }), undefined);
 * ```
 */
export function taskName({ about, place }: Pick<Progress, "about" | "place">): string | undefined {
  const file = levelOf({ place }, "task")?.name;
  if (file === undefined || [file, basename(file)].includes(about)) return undefined;
  return sanitizeLine(plainName(file));
}

/**
 * What a run is at, or was at when it was broken off, without its times: `round 2 of 8, cycle 1, programmer`.
 *
 * @example
 * ```ts
 * import { assertEquals } from "@std/assert";
 * const place = [{ unit: "task", number: 1 }, { unit: "step", number: 2, of: 3, name: "build" }] as const;
 * assertEquals(placeText({ place, workers: [], activity: undefined }), "step 2 of 3, build");
 * ```
 */
export function placeText(progress: Pick<Progress, "place" | "workers" | "activity">): string {
  return [...levelTexts(progress.place), ...activityTexts(progress)].join(", ") || "not begun";
}

function levelTexts(place: readonly Level[], of = " of "): readonly string[] {
  return place.flatMap(({ unit, number, of: count, name }) => {
    // The first attempt goes without saying, and so does the task: it has a line of its own.
    if (unit === "task" || number === 0 || unit === "attempt" && number === 1) return [];
    const shown = count === undefined ? `${unit} ${number}` : `${unit} ${Math.min(number, count)}${of}${count}`;
    return name === undefined ? [shown] : [shown, sanitizeLine(name)];
  });
}

function activityTexts(progress: Pick<Progress, "place" | "workers" | "activity">): readonly string[] {
  const { activity, place, workers } = progress;
  switch (activity?.kind) {
    case undefined:
      return [];
    case "starting":
      return [`starting ${workers.filter(({ status }) => status === "starting").map(({ name }) => name).join(", ")}`];
    case "turn":
      // The agent of a step has the step's name.
      return levelOf({ place }, "step") === undefined && activity.worker !== undefined ? [activity.worker] : [];
    case "tests":
      return ["project tests"];
    case "check":
      return [`check: ${sanitizeLine(activity.detail ?? "")}`];
    case "usage_limit":
      return [...whoWaits(activity), "waiting for the usage limit to be reset"];
    case "retry":
      return [...whoWaits(activity), "waiting to try again"];
  }
}

function whoWaits({ worker }: Activity): readonly string[] {
  return worker === undefined ? [] : [worker];
}

/** Until when, and of what, a turn waits that is to be tried again; `undefined` where none does. */
function waitText({ activity }: Pick<Progress, "activity">, timeText: (at: string) => string): string | undefined {
  if (activity?.kind !== "usage_limit" && activity?.kind !== "retry") return undefined;
  const { until, detail = "" } = activity;
  return [until === undefined ? "" : `until ${timeText(until)}`, detail].filter((part) => part !== "").join(": ");
}

/**
 * What the agent whose turn it is does, and since when, or what it waits for; `undefined` where it is nobody's turn.
 */
export function turnText(progress: Progress, now: Date): string | undefined {
  const { activity } = progress;
  const waits = waitText(progress, localTime);
  if (waits !== undefined) return waits;
  const worker = activity?.kind === "turn" ? workerOf(progress, activity.worker) : undefined;
  const status = worker && (heldText(progress) ?? workerStatusText(worker.status));
  return worker && `${status}, for ${forHowLong(worker.since, now)}`;
}

/** Why the message of the turn under way cannot be sent yet. */
function heldText({ activity }: Pick<Progress, "activity">): string | undefined {
  return activity?.kind === "turn" ? activity.detail : undefined;
}

/** Where and how {@linkcode liveText} is shown. */
export interface LiveTextOptions {
  readonly now: Date;
  readonly columns: number;
  /** What the agent does at this moment, where more is known of it than is recorded. */
  readonly doing?: string | undefined;
}

/**
 * The line that shows what happens at this moment, at most `columns` wide; empty while nothing does, and while a person
 * may be asked at the terminal.
 */
export function liveText(progress: Progress, { now, columns, doing }: LiveTextOptions): string {
  const { activity, waiting, finished, executedSince } = progress;
  if (activity === undefined || finished !== undefined || waiting?.id !== undefined) return "";
  const worker = activity.kind === "turn" ? workerOf(progress, activity.worker) : undefined;
  const status = waiting !== undefined ? "waiting for a person" : sanitizeLine(
    heldText(progress) ?? waitText(progress, (at) => timeOfDay(new Date(at))) ?? doing ??
      (worker === undefined ? "" : workerStatusText(worker.status)),
  );
  const place = [...levelTexts(progress.place, "/"), ...activityTexts(progress)].join(", ");
  const since = waiting?.askedAt ?? activity.since;
  const elapsed = `${forHowLong(since, now)} (run ${forHowLong(executedSince || since, now)})`;
  const room = Math.max(10, columns - place.length - elapsed.length - 6);
  return cut([place, cut(status, room), elapsed].filter((part) => part !== "").join(" · "), columns);
}
