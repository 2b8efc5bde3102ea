import { object, optional, text, type ValueOf } from "../base/schema.ts";
import type { FailureClass, Recovery } from "../base/terms.ts";

/** How often each way out of a failure was taken in a turn, or in a step. */
export type Tried = Readonly<Partial<Record<Recovery, number>>>;

export const unusable = object({
  /** A provider, with its login where that is another one than the usual. */
  login: text,
  /** The one role or step that cannot use it; missing where none can. */
  worker: optional(text),
  /** ISO 8601; missing where only a person's resume ends it. */
  until: optional(text),
});

/** A login that is left alone, since an agent has failed with it and another one has taken its place. */
export type Unusable = ValueOf<typeof unusable>;

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
const OF_ALL: ReadonlySet<FailureClass> = new Set(["usage_limit", "rate_limit", "overloaded", "auth", "network"]);

/** What passes, though nobody says when. */
const PASSING: ReadonlySet<FailureClass> = new Set(["rate_limit", "overloaded", "network"]);

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
