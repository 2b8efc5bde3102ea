import { sleepUntilTime } from "../../base/ports/calendar.ts";
import { retryTime } from "../../agents/reset_time.ts";
import type { Drive } from "./context.ts";
import type { Action } from "./machine.ts";
import { present } from "../../base/schema.ts";

export async function waitForLimitReset(
  { message, resetsAt }: Extract<Action, { do: "await_limit" }>,
  drive: Drive,
): Promise<void> {
  drive.record({ type: "usage_limit_reached", message, ...present({ resetsAt }) });
  const reset = resetsAt === undefined ? undefined : new Date(resetsAt);
  await sleepUntilTime(retryTime(reset, drive.wallClock()), drive);
  drive.record({ type: "usage_limit_waited" });
}
