import type { Role } from "../../base/roles.ts";
import { openTurnOf } from "../../journal/loop/state.ts";
import { agentDue, agentsOf, fallbacksOf, loginOf } from "../fallback.ts";
import type { Fallbacks } from "../../turn/ladder.ts";
import { present } from "../../base/schema.ts";
import { agentOf, type AgentPlan, type PlannedAgent } from "./plan.ts";
import type { RunParts } from "./run_parts.ts";
import type { RunState } from "./state.ts";

type Parts = Pick<RunParts, "plan" | "state">;

/** The agent that plays a role now: its own, or one that has taken its place. */
export function agentInUse(role: Role, { plan, state }: Parts): AgentPlan {
  const own = agentOf(plan, role);
  const login = loginInUse(state(), role);
  return inPlaceOf(own, agentsOf(own).find((agent) => loginOf(agent) === login) ?? own);
}

/** The plan with the agent that is to play a role as the role's own; who has begun its turn stays, if it can. */
export function planWithDue<Of extends Parts>(role: Role, options: Of): Of {
  const { plan, state } = options;
  const own = agentOf(plan, role);
  const { unusable } = state();
  const open = openTurnOf(state(), role);
  const hasBegun = open !== undefined && (open.message !== undefined || open.taken || open.interrupted);
  const current = hasBegun ? loginInUse(state(), role) : undefined;
  const due = agentDue(own, { unusable, worker: role, now: new Date(), current });
  if (loginOf(due) === loginOf(own)) return options;
  return { ...options, plan: { ...plan, agents: { ...plan.agents, [role]: inPlaceOf(own, due) } } };
}

function inPlaceOf({ caps, fallbacks }: AgentPlan, agent: PlannedAgent): AgentPlan {
  return { ...agent, ...present({ caps, fallbacks }) };
}

/** Who may take the place of a role's agent. */
export function fallbacksFor(role: Role, { plan, state }: Parts): Fallbacks {
  const own = agentOf(plan, role);
  const current = loginInUse(state(), role) ?? loginOf(own);
  return fallbacksOf(own, { unusable: state().unusable, worker: role, now: new Date(), current });
}

export function loginInUse({ agents }: Pick<RunState, "agents">, role: Role): string | undefined {
  const { [role]: agent } = agents;
  return agent && (agent.login ?? agent.provider);
}
