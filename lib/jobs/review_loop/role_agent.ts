import type { DrivenTerminal } from "../../agents/driven_terminal.ts";
import type { AgentTerminal } from "../../agents/pane/agent_terminal.ts";

/**
 * The agent that plays a role: a `Terminal` of the handoff, with what a run needs to know of it besides. Which kind it
 * is, `via` tells.
 */
export type RoleAgent = AgentTerminal | DrivenTerminal;
