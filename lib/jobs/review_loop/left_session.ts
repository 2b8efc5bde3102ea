import type { RunState } from "./state.ts";
import type { Role } from "../../base/roles.ts";
import type { Clock } from "../../base/ports/clock.ts";
import { adoptSession } from "../../tmux/adopt_session.ts";
import { endMarkedProcesses } from "../../tmux/pane_processes.ts";
import { createTmuxClient } from "../../tmux/plain_client.ts";
import { removeDeadSocket } from "../../tmux/server.ts";
import type { AgentState } from "../../journal/loop/state.ts";

type AgentPanes = Readonly<Partial<Record<Role, Pick<AgentState, "pane">>>>;

export function panesOf(agents: AgentPanes) {
  return Object.keys(agents).flatMap((role) => {
    const pane = agents[role]?.pane;
    return pane === undefined ? [] : [{ paneId: pane.terminalId, pid: pane.pid, startTime: pane.processStart }];
  });
}

export async function endLeftSession(
  { session, agents }: Pick<RunState, "session"> & { readonly agents: AgentPanes },
  { clock }: { readonly clock: Clock },
): Promise<void> {
  if (session === undefined) return;
  const { socket, name, existing, mark } = session;
  const client = createTmuxClient({ socket });
  const adopted = await adoptSession(client, { name, existing, mark, panes: panesOf(agents), clock });
  await adopted?.session.close();
  await endMarkedProcesses(mark, { clock });
  if (adopted === undefined && !existing) await removeDeadSocket(client);
}
