import { isAtRest, type TerminalStatus } from "../base/status.ts";
import type { AgentView, Driver } from "./driven_agent.ts";
import type { AgentFailure } from "./failure.ts";

export interface AgentReading {
  readonly status: TerminalStatus;
  readonly rule: string;
  readonly record: string;
  readonly restIsRecorded?: true;
}

interface OtherWitnesses {
  readonly driver: Driver;
  readonly end: string | undefined;
  readonly failure: AgentFailure | undefined;
  /** Whether a response to its turn is there that can be used; asked only where it decides. */
  readonly hasResponse: () => boolean;
}

/**
 * What an agent without a pane is doing: its process counts most, then its own word; where that may have been lost, its
 * response decides.
 */
export function readView(view: AgentView, { driver, end, failure, hasResponse }: OtherWitnesses): AgentReading {
  const { state, turns, mayBeOver, quietMs, evidence } = view;
  const reading = (status: TerminalStatus, rule: string, record: string): AgentReading => ({
    ...{ status, rule: `${driver}.${rule}`, record },
    ...(isAtRest(status) ? { restIsRecorded: true } : {}),
  });
  if (end !== undefined || state === "ended") return reading("error", "process", end ?? evidence);
  switch (state) {
    case "waiting":
      return reading("waiting_user_answer", "request", evidence);
    case "working":
      return mayBeOver && hasResponse()
        ? reading(
          "completed",
          "response",
          `its response is there, and nothing was heard of it for ${Math.round(quietMs / 1000)} s`,
        )
        : reading("processing", "turn", evidence);
    case "idle":
      if (failure !== undefined) return reading("error", "failure", evidence);
      return turns === 0 ? reading("idle", "session", evidence) : reading("completed", "stop_reason", evidence);
  }
}
