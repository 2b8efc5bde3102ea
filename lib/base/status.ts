/** What an agent is doing, in the words of the seeds; `unknown` authorises nothing. */
export type TerminalStatus = "idle" | "processing" | "completed" | "waiting_user_answer" | "error" | "unknown";

/** Every status, in the order in which reports list them. */
export const TERMINAL_STATUSES: readonly TerminalStatus[] = [
  "idle",
  "processing",
  "completed",
  "waiting_user_answer",
  "error",
  "unknown",
];

/**
 * Whether the agent has nothing to do: its turn is over, or none was begun.
 *
 * @example
 * ```ts
 * import { assert } from "@std/assert";
 * assert(isAtRest("completed"));
 * assert(!isAtRest("unknown"));
 * ```
 */
export function isAtRest(status: TerminalStatus): status is "idle" | "completed" {
  return status === "idle" || status === "completed";
}
