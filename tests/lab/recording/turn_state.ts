import type { ModelLogEntry } from "../model_log.ts";

/**
 * How a conversation stands, as the model server's log tells it:
 *
 * - `none`: nothing was asked yet
 * - `busy`: a reply is on its way
 * - `tool`: the model called a tool and has not heard of it since
 * - `over`: the model has said all that it had to say
 * - `refused`: the last request got an error, or its stream broke
 * - `abandoned`: the client gave up the last request
 */
export type TurnState = "none" | "busy" | "tool" | "over" | "refused" | "abandoned";

/** The state after the last of these entries. Side requests of a client's own do not count. */
export function turnStateOf(entries: readonly ModelLogEntry[]): TurnState {
  const last = entries.findLast((entry) => entry.event === "busy" || entry.event === "idle");
  if (last === undefined) return "none";
  if (last.event !== "idle") return "busy";
  switch (last.how) {
    case "sent":
      return last.endsTurn ? "over" : "tool";
    case "client_gone":
      return "abandoned";
    case "refused":
    case "broken":
      return "refused";
  }
}
