import { readRegularFile } from "../../base/ports/regular_file.ts";
import type { Role } from "../../base/roles.ts";
import { present } from "../../base/schema.ts";
import { sha256Hex } from "../../base/text/digest.ts";
import type { OnStuck } from "../../turn/desk/desk_context.ts";
import type { EmitTurnEvent, TurnEvent } from "../../turn/events.ts";
import { createKeeper, MAX_KEPT_BYTES } from "./messages.ts";
import { keepResponse } from "../../run/run_folder.ts";
import type { RoleAgent } from "./role_agent.ts";
import type { RunParts } from "./run_parts.ts";
import type { Turn } from "./state.ts";

export interface TakenResponse {
  readonly bytes: number;
  readonly archivedAs: string;
  readonly sha256: string;
  readonly seconds: number;
  readonly text: string;
}

interface RecordedTurn extends Pick<RunParts, "clock" | "folder" | "state" | "record"> {
  readonly turnId: string;
  readonly role: Role;
  readonly terminal: Pick<RoleAgent, "id" | "seenRules" | "sessionId">;
  /** Where in the loop it is; missing for a message from outside. */
  readonly place?: Pick<Turn, "round" | "cycle">;
  readonly kept: Parameters<typeof createKeeper>[1]["kept"];
  readonly startedAtMs: number;
  readonly onResponse: (response: TakenResponse) => void;
  readonly onStuck: OnStuck;
  /** Shows the pane to a person; `undefined` where it has none. */
  readonly attachCommand: string | undefined;
}

export function recordTurnEvents(turn: RecordedTurn): EmitTurnEvent {
  const { turnId, role, terminal, place, attachCommand, clock, record, state } = turn;
  const whose = { turnId, role };
  const keep = createKeeper(turn.folder, { turnId, kept: turn.kept });
  let stuck: { withdraw(): void } | undefined;

  function noteAgent(): void {
    const { sessionId, seenRules: rules } = terminal;
    const agent = state().agents[role];
    if (sessionId !== undefined && sessionId !== agent?.sessionId) record({ type: "agent_session", role, sessionId });
    if (rules.length > (agent?.seenRules.length ?? 0)) record({ type: "agent_rules_seen", role, rules });
  }

  async function noteMessage({ message, dispatch }: Extract<TurnEvent, { type: "message" }>): Promise<void> {
    const { what, text, step } = message;
    if (step === "sent") {
      const { length: bytes } = new TextEncoder().encode(text);
      const at = place === undefined ? {} : { round: place.round, cycle: place.cycle };
      return record({ type: "message_sent", ...whose, what, ...at, bytes });
    }
    const kept = await keep({ what, text });
    const dispatched = present({ dispatchedAtMs: dispatch?.mtimeMs });
    record({ type: "message_sending", ...whose, terminalId: terminal.id, what, step, ...kept, ...dispatched });
  }

  async function noteResponse({ path, bytes, text }: Extract<TurnEvent, { type: "archived" }>["response"]) {
    noteAgent();
    const content = readRegularFile(path, { maxBytes: MAX_KEPT_BYTES });
    const sha256 = await sha256Hex(content);
    if (place !== undefined) keepResponse(turn.folder, { path, bytes: content });
    turn.onResponse({ bytes, archivedAs: path, sha256, seconds: (clock.now() - turn.startedAtMs) / 1000, text });
  }

  function loginLeft({ retry }: Extract<TurnEvent, { type: "failure" }>) {
    const { [role]: agent } = state().agents;
    return retry?.recovery !== "fallback" || agent === undefined ? {} : { login: agent.login ?? agent.provider };
  }

  return (event) => {
    switch (event.type) {
      case "message":
        return noteMessage(event);
      case "archived":
        return noteResponse(event.response);
      case "compacted":
        return record({ type: "agent_compacted", role, times: event.times });
      case "status": {
        noteAgent();
        const { status, rule, record: said } = event;
        return record({ type: "status_changed", ...whose, status, ...present({ rule, record: said }) });
      }
      case "failure":
        return record({ type: "agent_failed", ...whose, ...failureFields(event), ...loginLeft(event) });
      case "held": {
        const { held } = event;
        stuck?.withdraw();
        stuck = undefined;
        const look = present({ attachCommand });
        record({ type: "message_held", ...whose, terminalId: terminal.id, ...held, ...look, passable: true });
        if (held.obstacle !== "draft") return;
        const text = `${role} cannot be sent its ${held.what}: a person's draft is in its composer.`;
        stuck = turn.onStuck(role, text);
        return;
      }
      case "released":
        stuck?.withdraw();
        stuck = undefined;
        return record({ type: "message_released", ...whose, passable: true });
      case "time_used":
        return record({ type: "turn_time", ...whose, usedSeconds: event.seconds, passable: true });
      case "reminder":
        return record({ type: "reminder_sent", ...whose, reminder: event.number });
      case "notice": {
        const { message } = event;
        if (event.severity === "warning") return record({ type: "warning", role, message });
        return record({ type: "note", role, message, passable: true });
      }
    }
  };
}

function failureFields({ failure, retry }: Extract<TurnEvent, { type: "failure" }>) {
  const { class: failureClass, text: message, evidence, resetsAt } = failure;
  return {
    ...{ class: failureClass, message, evidence, ...present({ resetsAt: resetsAt?.toISOString() }) },
    ...(retry && { retryAt: retry.at.toISOString(), retry: retry.number, recovery: retry.recovery }),
  };
}
