import type { Condition } from "../../jobs/overview/condition.ts";
import type { AskedQuestion, ReviewSummary, RunSummary, SummarisedTask } from "../../jobs/overview/summary.ts";
import { sanitizeLine } from "../../text/sanitize.ts";
import { duration, statusText } from "./words.ts";

const CONDITION_WORDS: Readonly<Record<Condition, string>> = {
  running: "running",
  waiting: "waiting",
  passed: "passed",
  failed: "failed",
  stopped: "stopped",
  killed: "killed",
  needs_person: "needs a person",
  error: "error",
  empty: "empty",
  unreadable: "unreadable",
};

/** How a run is, with the question that it waits for. */
export function conditionText(
  { condition, question, answered }: {
    readonly condition: Condition;
    readonly question: Pick<AskedQuestion, "id"> | undefined;
    readonly answered: boolean;
  },
): string {
  const id = question?.id;
  if (condition !== "waiting") return CONDITION_WORDS[condition];
  if (id === undefined) return "waiting at a dialog";
  return answered ? `${sanitizeLine(id)} is answered` : `waiting for ${sanitizeLine(id)}`;
}

/** What a run is at, or was at when it was broken off: without its times. */
export function placeText(summary: RunSummary): string {
  if (summary.job === "exec") {
    return summary.task === undefined ? "between tasks" : `step ${stepText(summary.task)}`;
  }
  const { activity, round, maxRounds } = summary;
  const where = round === 0 ? [] : [`round ${round} of ${maxRounds}`];
  if (activity.kind === "turn" && activity.cycle > 0) where.push(`cycle ${activity.cycle}`);
  const what = activityText(activity);
  return [...where, ...(what === undefined ? [] : [what])].join(", ") || "not begun";
}

function stepText({ step, steps }: SummarisedTask): string {
  const name = steps[step - 1];
  return name === undefined
    ? `${steps.length} of ${steps.length}`
    : `${step} of ${steps.length}, ${sanitizeLine(name)}`;
}

function activityText(activity: ReviewSummary["activity"]): string | undefined {
  switch (activity.kind) {
    case "starting":
      return `starting ${activity.waitingFor.join(", ")}`;
    case "turn":
      return activity.role;
    case "tests":
      return "project tests";
    case "none":
      return undefined;
  }
}

/** What an agent does and since when, by its last status; `undefined` where there is no turn. */
export function agentText({ activity }: ReviewSummary, now: Date): string | undefined {
  if (activity.kind !== "turn") return undefined;
  if (activity.status === undefined) return `prompted ${ago(activity.since, now)}`;
  return `${statusText(activity.status.is)}, for ${forHowLong(activity.status.since, now)}`;
}

/** `3m 05s ago` */
export function ago(at: string, now: Date): string {
  return `${forHowLong(at, now)} ago`;
}

/** `3m 05s` */
export function forHowLong(from: string, to: Date): string {
  return duration(Math.max(0, (to.getTime() - Date.parse(from)) / 1000));
}

/**
 * A moment in local time.
 *
 * @example
 * ```ts
 * import { assertMatch } from "@std/assert";
 * assertMatch(localTime("2026-11-20T07:26:05.123Z"), /^2026-11-\d\d \d\d:\d\d:05$/);
 * ```
 */
export function localTime(at: string): string {
  const moment = new Date(at);
  if (Number.isNaN(moment.getTime())) return sanitizeLine(at);
  const two = (value: number) => String(value).padStart(2, "0");
  const day = `${moment.getFullYear()}-${two(moment.getMonth() + 1)}-${two(moment.getDate())}`;
  return `${day} ${two(moment.getHours())}:${two(moment.getMinutes())}:${two(moment.getSeconds())}`;
}
