import type { AgentFailure } from "../agents/failure.ts";
import { retryTime } from "../agents/reset_time.ts";
import type { FailureClass, Recovery } from "../base/terms.ts";
import type { Tried } from "../journal/recovery.ts";

export type { Tried };

/** What is done about a failure, and when. */
export interface Retry {
  /** What is done. */
  readonly recovery: Recovery;
  /** When. */
  readonly at: Date;
  /** Which one of its kind this is, from 1; 0 for a wait until the account's limit is reset, which is no retry. */
  readonly number: number;
}

/** What there is to try. */
export interface RecoverySettings {
  /** How often what passes is tried again; with 0 nothing else is tried either. */
  readonly maxErrorRetries: number;
  /** How long the first retry is waited for; each later one is after twice as long as the one before. */
  readonly errorRetrySeconds: number;
  readonly waitForUsageLimitReset: boolean;
}

interface Rung {
  readonly recovery: Recovery;
  /** How often; missing: as often as the settings say. */
  readonly most?: number;
}

/**
 * What helps after which failure, in this order, each so often: all that a person would do who only resumes the run.
 * After the last rung the run is left for a person. What may still be at work is ended before anything is sent.
 */
const LADDER: Readonly<Record<FailureClass | "unproved" | "stalled", readonly Rung[]>> = {
  usage_limit: [{ recovery: "fallback" }, { recovery: "reset" }],
  rate_limit: [{ recovery: "pause" }, { recovery: "fallback" }],
  overloaded: [{ recovery: "pause" }, { recovery: "fallback" }],
  network: [{ recovery: "pause" }, { recovery: "fallback" }],
  program: [{ recovery: "pause" }, { recovery: "fallback" }],
  // The CLI has tried by then to make it shorter.
  context: [{ recovery: "fresh_session", most: 2 }, { recovery: "fallback" }],
  other: [{ recovery: "continue", most: 1 }, { recovery: "fresh_session", most: 1 }, { recovery: "fallback" }],
  unproved: [{ recovery: "restart", most: 1 }, { recovery: "fresh_session", most: 1 }, { recovery: "fallback" }],
  stalled: [
    { recovery: "interrupt", most: 1 },
    { recovery: "restart", most: 1 },
    { recovery: "fresh_session", most: 1 },
    { recovery: "fallback" },
  ],
  auth: [{ recovery: "fallback" }],
  model: [{ recovery: "fallback" }],
};

/** What nothing helps against but a person, or another agent. */
const PERSONAL: ReadonlySet<FailureClass> = new Set(["auth", "model"]);

/** The agents that may take the place of one that failed. */
export interface Fallbacks {
  readonly count: number;
  /** When the first of them can; missing where none can. */
  readonly at?: Date;
}

/** What a failure is, where a ladder is looked up by it. */
type Failed = Pick<AgentFailure, "class" | "isTurnOver" | "resetsAt"> & {
  /** Whether the agent is at work by its own word, and does not get on. @default {false} */
  readonly isStalled?: boolean;
};

/** What is done about a turn that failed; `undefined` where that is a person's matter, or all was tried. */
export function planRetry(
  failure: Failed,
  { settings, now, tried, mayReplace, fallbacks }: {
    readonly settings: RecoverySettings;
    readonly now: Date;
    readonly tried: Tried;
    /** Whether the agent can be ended, and another one started in its place. */
    readonly mayReplace: boolean;
    /** @default none */
    readonly fallbacks?: Fallbacks | undefined;
  },
): Retry | undefined {
  const { class: failureClass, isTurnOver, isStalled } = failure;
  const rungs = LADDER[isStalled ? "stalled" : isTurnOver || PERSONAL.has(failureClass) ? failureClass : "unproved"];
  for (const { recovery, most = settings.maxErrorRetries } of rungs) {
    const times = tried[recovery] ?? 0;
    if (recovery === "fallback") {
      const at = mayReplace ? fallbackTime(failure, { settings, now, times, fallbacks }) : undefined;
      if (at === undefined) continue;
      return { recovery, at, number: times + 1 };
    }
    if (recovery === "reset") {
      return settings.waitForUsageLimitReset ? planReset(failure, { now, times }) : undefined;
    }
    if (settings.maxErrorRetries === 0 || times >= most) continue;
    if (!mayReplace && (recovery === "restart" || recovery === "fresh_session")) continue;
    const isPaused = recovery === "pause" || recovery === "continue";
    const pauseMs = isPaused ? Math.min(settings.errorRetrySeconds * 1000 * 2 ** times, LONGEST_PAUSE_MS) : 0;
    return { recovery, at: new Date(now.getTime() + pauseMs), number: times + 1 };
  }
  return undefined;
}

/** An account's limit is waited for, where another agent's ends first; nothing else is. */
function fallbackTime(
  { class: failureClass, resetsAt }: Failed,
  { settings, now, times, fallbacks = { count: 0 } }: {
    readonly settings: RecoverySettings;
    readonly now: Date;
    readonly times: number;
    readonly fallbacks?: Fallbacks | undefined;
  },
): Date | undefined {
  const { at, count } = fallbacks;
  if (at === undefined || (failureClass !== "usage_limit" && times >= count)) return undefined;
  if (at <= now) return now;
  const waits = failureClass === "usage_limit" && settings.waitForUsageLimitReset;
  if (!waits || at.getTime() - now.getTime() > LONGEST_RESET_MS) return undefined;
  return resetsAt !== undefined && resetsAt <= at ? undefined : retryTime(at, now);
}

/**
 * A limit without a told end may be an empty account, which no night fills. An end that passed is tried a few times: it
 * may be told to the minute, without its seconds.
 */
function planReset(
  { resetsAt }: Failed,
  { now, times }: { readonly now: Date; readonly times: number },
): Retry | undefined {
  if (resetsAt === undefined) return undefined;
  const leftMs = resetsAt.getTime() - now.getTime();
  if (!(leftMs <= LONGEST_RESET_MS) || (leftMs <= 0 && times >= MOST_PASSED_RESETS)) return undefined;
  return { recovery: "reset", at: retryTime(resetsAt, now), number: 0 };
}

const MOST_PASSED_RESETS = 3;

const LONGEST_PAUSE_MS = 15 * 60_000;

/** Limits are by the week at most (Claude Code, Codex): what is told of a later day is a mistake, or a person's matter. */
const LONGEST_RESET_MS = 8 * 24 * 3_600_000;
