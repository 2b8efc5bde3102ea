import { isAtRest, type TerminalStatus } from "../../base/status.ts";
import type { AgentFailure } from "../failure.ts";
import type { AcpView } from "./view.ts";

export interface AcpReading {
  readonly status: TerminalStatus;
  readonly rule: string;
  readonly record: string;
  readonly restIsRecorded?: true;
}

interface OtherWitnesses {
  readonly end: string | undefined;
  readonly failure: AgentFailure | undefined;
  /** Whether a response to its turn is there that can be used; asked only where it decides. */
  readonly hasResponse: () => boolean;
}

/**
 * What an agent over ACP is doing: its process counts most, then its own word; where that may have been lost, its
 * response decides.
 */
export function readView(view: AcpView, { end, failure, hasResponse }: OtherWitnesses): AcpReading {
  const { state, turns, mayBeOver, quietMs, evidence } = view;
  if (end !== undefined || state === "ended") return reading("error", "acp.process", end ?? evidence);
  switch (state) {
    case "waiting":
      return reading("waiting_user_answer", "acp.request", evidence);
    case "working":
      return mayBeOver && hasResponse()
        ? reading(
          "completed",
          "acp.response",
          `its response is there, and nothing was heard of it for ${Math.round(quietMs / 1000)} s`,
        )
        : reading("processing", "acp.turn", evidence);
    case "idle":
      if (failure !== undefined) return reading("error", "acp.failure", evidence);
      return turns === 0 ? reading("idle", "acp.session", evidence) : reading("completed", "acp.stop_reason", evidence);
  }
}

function reading(status: TerminalStatus, rule: string, record: string): AcpReading {
  return isAtRest(status) ? { status, rule, record, restIsRecorded: true } : { status, rule, record };
}
