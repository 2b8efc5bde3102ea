import { plainName } from "../../journal/exec/place.ts";
import { cut } from "../../base/text/display_width.ts";
import { basename } from "@std/path/posix";
import type { RunOverview } from "../../run/overview.ts";
import { type Activity, type Level, levelOf, type Progress } from "../../journal/progress.ts";
import type { OutsideMessageProgress } from "../../journal/message_progress.ts";
import type { Waiting } from "../../journal/waiting.ts";
import { workerOf } from "../../journal/workers.ts";
import { sanitizeLine } from "../../base/text/sanitize.ts";
import { dialogRequest } from "../../journal/words/lines.ts";
import { forHowLong, localTime, plural, senderText, timeOfDay, workerStatusText } from "../../journal/words/words.ts";

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

/** The name of the task under way, where it is one of a folder's; `undefined` elsewhere. */
export function taskName({ about, place }: Pick<Progress, "about" | "place">): string | undefined {
  const file = levelOf({ place }, "task")?.name;
  if (file === undefined || [file, basename(file)].includes(about)) return undefined;
  return sanitizeLine(plainName(file));
}

/** What a run is at, or was at when it was broken off, without its times: `round 2 of 8, cycle 1, programmer`. */
export function placeText(progress: Pick<Progress, "place" | "workers" | "activity">): string {
  return [...levelTexts(progress.place), ...laneTexts(progress), ...activityTexts(progress)].join(", ") || "not begun";
}

function levelTexts(place: readonly Level[], of = " of "): readonly string[] {
  return place.flatMap(({ unit, number, of: count, name }) => {
    // The first attempt goes without saying, and so does the task: it has a line of its own.
    if (unit === "task" || number === 0 || unit === "attempt" && number === 1) return [];
    const shown = count === undefined ? `${unit} ${number}` : `${unit} ${Math.min(number, count)}${of}${count}`;
    return name === undefined ? [shown] : [shown, sanitizeLine(name)];
  });
}

/** The tasks that are done side by side, each the name of a worker. */
function laneTexts({ place, workers, activity }: Pick<Progress, "place" | "workers" | "activity">): readonly string[] {
  if (place.length > 0 || activity === undefined || activity.kind === "starting" || activity.worker !== undefined) {
    return [];
  }
  return workers.map(({ name, status }) => `${sanitizeLine(name)}${status === "waiting_user_answer" ? " (asks)" : ""}`);
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
  const status = worker && (heldText(progress) ?? workerStatusText(worker.status, worker.protocol));
  return worker && `${status}, for ${forHowLong(worker.since, now)}`;
}

/** Why the message of the turn under way cannot be sent yet. */
function heldText({ activity }: Pick<Progress, "activity">): string | undefined {
  return activity?.kind === "turn" ? activity.detail : undefined;
}

export function stoppingText(
  progress: Pick<Progress, "job" | "workers" | "activity">,
  { signalName, leavesAgents }: { readonly signalName: string; readonly leavesAgents: boolean },
): string {
  const count = agentsAtHand(progress);
  const what = count === 0 ? "" : `: ${leavesAgents ? "leaving" : "ending"} ${plural(count, "agent")}`;
  return `stopping${what}; ${signalName === "SIGINT" ? "Ctrl-C again" : `a second ${signalName}`} forces it`;
}

/** How many agents there are: those in panes, and that of a step while it works. */
function agentsAtHand({ job, workers, activity }: Pick<Progress, "job" | "workers" | "activity">): number {
  if (job === "exec") return activity?.kind === "turn" ? workers.length : 0;
  return workers.filter(({ pane, process, status }) =>
    status !== "lost" && ((pane ?? process) !== undefined || status === "starting")
  ).length;
}

interface LiveTextOptions {
  readonly now: Date;
  readonly columns: number;
  readonly doing?: string | undefined;
}

export function messageText({ id, worker, status, reason = "", archivedAs, ...from }: OutsideMessageProgress): string {
  const how = {
    waiting: `waits until ${worker} is at rest`,
    sending: `about to be sent to ${worker}`,
    sent: `${worker} has it`,
    answered: archivedAs === undefined ? `${worker} had it; no response was wanted` : `${worker} has answered it`,
    failed: `failed: ${sanitizeLine(reason)}`,
  };
  return `${id} from ${senderText(from)}: ${how[status]}`;
}

/**
 * The line that shows what happens at this moment, at most `columns` wide; empty while nothing does, and while a person
 * may be asked at the terminal.
 */
export function liveText(progress: Progress, { now, columns, doing }: LiveTextOptions): string {
  const { waiting, finished, executedSince } = progress;
  const messages = progress.messages.filter(({ status }) => status === "sending" || status === "sent");
  // After the loop's end a turn of a message may still be under way.
  const [message] = messages;
  const activity = progress.activity ?? (message && { kind: "turn", since: message.since, worker: message.worker });
  if (activity === undefined || finished !== undefined || waiting?.id !== undefined) return "";
  const worker = activity.kind === "turn" ? workerOf(progress, activity.worker) : undefined;
  const status = waiting !== undefined ? "waiting for a person" : sanitizeLine(
    heldText(progress) ?? waitText(progress, (at) => timeOfDay(new Date(at))) ?? doing ??
      (worker === undefined ? "" : workerStatusText(worker.status, worker.protocol)),
  );
  const beside = messages.map((one) => `message to ${one.worker}`);
  const place = [...levelTexts(progress.place, "/"), ...laneTexts(progress), ...activityTexts(progress), ...beside]
    .join(", ");
  const since = waiting?.askedAt ?? activity.since;
  const elapsed = `${forHowLong(since, now)} (run ${forHowLong(executedSince || since, now)})`;
  const room = Math.max(10, columns - place.length - elapsed.length - 6);
  return cut([place, cut(status, room), elapsed].filter((part) => part !== "").join(" · "), columns);
}
