import { sleepUntilTime } from "../../base/ports/calendar.ts";
import type { Drive } from "./context.ts";
import type { Action, Attempt } from "./machine.ts";
import { present } from "../../base/schema.ts";

export async function waitForLimitReset(
  { message, resetsAt, until }: Extract<Action, { do: "await_limit" }>,
  drive: Drive,
): Promise<void> {
  drive.record({ type: "usage_limit_reached", message, ...present({ resetsAt }) });
  await sleepUntilTime(until, drive);
  drive.record({ type: "usage_limit_waited" });
}

/** Waits until an attempt may begin. */
export async function waitUntilDue({ notBefore }: Attempt, drive: Drive): Promise<void> {
  if (notBefore !== undefined) await sleepUntilTime(notBefore, drive);
}
