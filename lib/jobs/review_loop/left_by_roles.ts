import type { Role } from "../../base/roles.ts";
import { present } from "../../base/schema.ts";
import type { LeftRunning } from "../../journal/left_running.ts";
import { openTurnOf } from "../../journal/loop/state.ts";
import { endLeftProcesses } from "../../run/left_processes.ts";
import { type LeavingAgent, type LeftCommands, openLeftCommands } from "../left_running.ts";
import type { RunParts } from "./run_parts.ts";

export interface LeftByRoles extends AsyncDisposable {
  /** Called when a turn of an agent is over that goes on. */
  afterTurn(
    agent: LeavingAgent,
    turn: { readonly turnId: string; readonly role: Role },
  ): ReturnType<LeftCommands["afterTurn"]>;
  /** Called when the program of a role's turn has ended. */
  onLeft(role: Role): (agent: LeavingAgent) => Promise<void>;
}

/** A test command, or an agent without a pane, that an earlier process has left would work on beside the new one. */
export async function endLeft({ folder, state, clock }: RunParts): Promise<void> {
  if (Object.keys(state().agents).length > 0) await endLeftProcesses(folder, { clock });
}

/** Records what the agents of roles leave running. */
export function openLeftByRoles(parts: RunParts): LeftByRoles {
  const { plan, state, record } = parts;
  const commands = openLeftCommands({
    ...parts,
    patterns: plan.leaveRunning,
    warn: (message) => record({ type: "warning", message }),
    onEnded: (left) => record({ type: "commands_ended", left, passable: true }),
  });
  const tellOf = (turn: { readonly turnId?: string; readonly role: Role }) => (left: readonly LeftRunning[]) =>
    record({ type: "commands_left", ...turn, left, passable: true });
  return {
    afterTurn: (agent, turn) => commands.afterTurn(agent, { isOver: false, tell: tellOf(turn) }),
    onLeft: (role) => async (agent) => {
      const turn = { role, ...present({ turnId: openTurnOf(state(), role)?.id }) };
      await commands.afterTurn(agent, { isOver: true, tell: tellOf(turn) });
    },
    [Symbol.asyncDispose]: () => commands[Symbol.asyncDispose](),
  };
}
