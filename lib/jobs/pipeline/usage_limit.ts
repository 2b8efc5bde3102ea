import type { Drive } from "./context.ts";
import type { Action } from "./machine.ts";

/** A CLI names the reset to the minute; a moment later it has certainly happened. */
const MARGIN_MS = 30_000;
/** How long to wait where no reset is named. */
const UNKNOWN_WAIT_MS = 15 * 60_000;
/** The clock stops while a laptop is suspended: how often to look at the calendar. */
const LOOK_EVERY_MS = 30_000;

/**
 * When to try again after the account reached its usage limit.
 *
 * @example
 * ```ts
 * import { assertEquals } from "@std/assert";
 * const now = new Date("2026-11-20T10:00:00Z");
 * assertEquals(retryTime("2026-11-20T11:00:00Z", now).toISOString(), "2026-11-20T11:00:30.000Z");
 * assertEquals(retryTime(undefined, now).toISOString(), "2026-11-20T10:15:00.000Z");
 * ```
 */
export function retryTime(resetsAt: string | undefined, now: Date): Date {
  const reset = resetsAt === undefined ? NaN : Date.parse(resetsAt);
  if (Number.isNaN(reset)) return new Date(now.getTime() + UNKNOWN_WAIT_MS);
  return new Date(Math.max(reset, now.getTime()) + MARGIN_MS);
}

/** Waits until the account's usage limit is reset. */
export async function waitForLimitReset(
  { message, resetsAt }: Extract<Action, { do: "await_limit" }>,
  drive: Drive,
): Promise<void> {
  const { clock, wallClock, signal } = drive;
  drive.record({ type: "usage_limit_reached", message, ...(resetsAt === undefined ? {} : { resetsAt }) });
  const until = retryTime(resetsAt, wallClock()).getTime();
  const leftMs = () => until - wallClock().getTime();
  // No longer than that, should the calendar be set back meanwhile.
  const latestMs = clock.now() + leftMs();
  for (let left = leftMs(); left > 0 && clock.now() < latestMs; left = leftMs()) {
    await clock.sleep(Math.min(left, LOOK_EVERY_MS), signal);
  }
  drive.record({ type: "usage_limit_waited" });
}
