import { count, number, object, oneOf, optional, type ValueOf } from "../base/schema.ts";
import { FAILURE_CLASSES, type FailureClass, RECOVERIES, type Recovery } from "../base/terms.ts";
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
}

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
  other: "another failure",
};
