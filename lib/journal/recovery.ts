import { count, number, object, oneOf, optional, type ValueOf } from "../base/schema.ts";
import { FAILURE_CLASSES, type FailureClass, RECOVERIES, type Recovery } from "../base/terms.ts";
import { tokensIn } from "../base/usage.ts";
import type { MeterEvent } from "./meter_event.ts";
import { type TokenCounts, usageOfAll } from "./usage.ts";
import { duration, plural } from "./words/words.ts";

export const recovered = object({
  /** `ground`: what the agents are in, their tmux server or sandbox, was opened anew. */
  recovery: oneOf(...RECOVERIES, "ground"),
  /** What of; missing where an agent's program, or what the agents are in, was gone. */
  class: optional(oneOf(...FAILURE_CLASSES)),
  times: count,
  /** How long was waited. */
  seconds: number,
});

/** What a run was helped out of, each kind once. */
export type Recovered = ValueOf<typeof recovered>;

/** What has `recovered` while records are folded. */
export interface Recoverable {
  /** @default {[]} */
  readonly recovered?: readonly Recovered[];
  /**
   * How many tokens were used by what was tried again in vain, and by what is under way of a turn that has failed.
   *
   * @default none
   */
  readonly recovery?: { readonly inVain: number; readonly underWay?: number };
}

type Counted = Recoverable & { readonly tokens: TokenCounts };

/** What of a job's tokens may be used by what is tried again in vain. */
const SHARE = 1 / 5;

/** A job that has no cap, and has used less than that, is taken for one of so many tokens. */
const LEAST_TOKENS = 1_000_000;

/**
 * Counts what is used between one failure of a turn and the next, by a record's effects: what was tried again in vain. A
 * process counts anew: a person has resumed the run.
 */
export function recoveryWith(
  before: Counted,
  after: Counted,
  { meter, recovery }: { readonly meter: MeterEvent | undefined; readonly recovery: Recovered["recovery"] | undefined },
): Recoverable {
  const { inVain = 0, underWay } = meter?.kind === "process_begins" ? {} : before.recovery ?? {};
  if (before.recovery === undefined && recovery === undefined) return {};
  const newTokens = tokensIn(usageOfAll(after.tokens)) - tokensIn(usageOfAll(before.tokens));
  const used = underWay === undefined ? undefined : underWay + newTokens;
  // An account whose limit is reset has failed of nothing.
  if (recovery === "reset") return { recovery: { inVain } };
  if (recovery !== undefined) return { recovery: { inVain: inVain + (used ?? 0), underWay: 0 } };
  const isOver = used === undefined || (meter?.kind === "turn_ends" && meter.failed !== true);
  return { recovery: isOver ? { inVain } : { inVain, underWay: used } };
}

/**
 * Whether what was tried again in vain has used no more than a fifth of the job's tokens: of its cap, or of what it has
 * used.
 */
export function mayRecover({ recovery, tokens }: Counted, { maxTokens }: { readonly maxTokens?: number }): boolean {
  const all = maxTokens ?? Math.max(tokensIn(usageOfAll(tokens)), LEAST_TOKENS);
  return (recovery?.inVain ?? 0) + (recovery?.underWay ?? 0) <= all * SHARE;
}

/** Why nothing is tried any more, where {@linkcode mayRecover} says so. */
export const SHARE_IS_USED = "what was tried again in vain has used a fifth of the job's tokens";

/** What a record says that is done. */
export interface Recovering {
  readonly recovery: Recovery | "ground";
  readonly class?: FailureClass;
  /** Until when is waited, ISO 8601; missing where it is done at once, or that is not known. */
  readonly until?: string | undefined;
}

/** Adds what is done at a time, ISO 8601. */
export function recoveredWith(
  { recovered = [] }: Recoverable,
  { recovery, class: failure, until }: Recovering,
  at: string,
): readonly Recovered[] {
  const isSame = (one: Recovered) => one.recovery === recovery && one.class === failure;
  const { times, seconds } = recovered.find(isSame) ?? { times: 0, seconds: 0 };
  const waitedMs = until === undefined ? 0 : Math.max(0, Date.parse(until) - Date.parse(at)) || 0;
  const one = { recovery, ...(failure === undefined ? {} : { class: failure }), times: times + 1 };
  const now = { ...one, seconds: seconds + Math.round(waitedMs / 1000) };
  return recovered.some(isSame) ? recovered.map((each) => isSame(each) ? now : each) : [...recovered, now];
}

/**
 * What a run was helped out of, in a line; empty where there is nothing.
 *
 * @example
 * ```ts
 * import { assertEquals } from "@std/assert";
 * const told = recoveredText([
 *   { recovery: "pause", class: "overloaded", times: 3, seconds: 840 },
 *   { recovery: "restart", times: 1, seconds: 0 },
 * ]);
 * assertEquals(told, "overloaded 3 times, 14m 00s; a program that had ended: started again once");
 * ```
 */
export function recoveredText(recovered: readonly Recovered[]): string {
  return recovered.map((one) => {
    const often = one.times === 1 ? "once" : plural(one.times, "time");
    if (one.class === undefined) {
      const [gone, done] = one.recovery === "ground"
        ? ["tmux or the sandbox", "opened anew"]
        : ["a program that had ended", "started again"];
      return `${gone}: ${done} ${often}`;
    }
    const helped = HELP[one.recovery];
    const waited = one.seconds === 0 ? "" : `, ${duration(one.seconds)}`;
    return `${CLASSES[one.class]} ${often}${helped === "" ? "" : `, ${helped}`}${waited}`;
  }).join("; ");
}

const HELP: Readonly<Record<Recovered["recovery"], string>> = {
  reset: "",
  pause: "",
  continue: "continued",
  interrupt: "interrupted and continued",
  restart: "its program started again",
  fresh_session: "a new session",
  fallback: "another agent",
  ground: "",
};

const CLASSES: Readonly<Record<FailureClass, string>> = {
  usage_limit: "usage limit",
  rate_limit: "rate limit",
  overloaded: "overloaded",
  auth: "login",
  context: "context full",
  model: "model",
  network: "network",
  program: "CLI not there",
  other: "another failure",
};

/** How often each way out of a failure was taken in a turn, or in a step. */
export type Tried = Readonly<Partial<Record<Recovery, number>>>;

/** A login that is left alone, since an agent has failed with it and another one has taken its place. */
export interface Unusable {
  /** A provider, with its login where that is another one than the usual. */
  readonly login: string;
  /** The one role or step that cannot use it; missing where none can. */
  readonly worker?: string;
  /** ISO 8601; missing where only a person's resume ends it. */
  readonly until?: string;
}

/** What has `unusable` while records are folded. */
export interface WithUnusable {
  /** @default {[]} */
  readonly unusable?: readonly Unusable[];
}

interface GivenUp {
  readonly recovery: Recovery;
  readonly login?: string | undefined;
  readonly class: FailureClass;
  /** When its account can be used again, ISO 8601, where that is said. */
  readonly resetsAt?: string | undefined;
  readonly worker: string;
}

/** Of the account, or of the way to its model: whoever uses that login fails of it. */
const OF_ALL: ReadonlySet<FailureClass> = new Set([
  "usage_limit",
  "rate_limit",
  "overloaded",
  "auth",
  "network",
  "program",
]);

/** What passes, though nobody says when. */
const PASSING: ReadonlySet<FailureClass> = new Set(["rate_limit", "overloaded", "network", "program"]);

const LEFT_ALONE_MS = 3_600_000;

/** Adds the login that another one takes the place of, where a record tells of one; `at` is ISO 8601. */
export function unusableWith(before: WithUnusable, { login, ...gave }: GivenUp, at: string): WithUnusable {
  if (gave.recovery !== "fallback" || login === undefined) return {};
  const passesAt = PASSING.has(gave.class) ? later(at, LEFT_ALONE_MS) : undefined;
  const until = gave.resetsAt === undefined ? passesAt : toCome(gave.resetsAt, at);
  const one = {
    login,
    ...(OF_ALL.has(gave.class) ? {} : { worker: gave.worker }),
    ...(until === undefined ? {} : { until }),
  };
  const others = (before.unusable ?? []).filter((each) => each.login !== one.login || each.worker !== one.worker);
  return { unusable: [...others, one] };
}

function later(at: string, ms: number): string {
  return new Date(Date.parse(at) + ms).toISOString();
}

/** What is told to the minute may seem to be past. */
function toCome(resetsAt: string, at: string): string {
  return Date.parse(resetsAt) > Date.parse(at) ? resetsAt : later(at, 60_000);
}

/** What a person's resume leaves of them: an account's limit that has an end. */
export function stillUnusable({ unusable = [] }: WithUnusable): WithUnusable {
  return { unusable: unusable.filter(({ until }) => until !== undefined) };
}

/** Counts a way out of a failure; another agent has not tried any. */
export function triedWith(tried: Tried, recovery: Recovery): Tried {
  const times = (tried[recovery] ?? 0) + 1;
  return recovery === "fallback" ? { fallback: times } : { ...tried, [recovery]: times };
}
