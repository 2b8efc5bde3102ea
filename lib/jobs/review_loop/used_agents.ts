import type { Role } from "../../base/roles.ts";
import { agentsOf } from "../fallback.ts";
import { rolesUsed } from "./machine.ts";
import { agentOf, type PlannedAgent, type ReviewRunPlan } from "./plan.ts";

/** The roles that a loop may come to, each with its agent and those that may take its place. */
export function usedAgents(
  plan: Pick<ReviewRunPlan, "agents" | "loop">,
): readonly (readonly [Role, readonly PlannedAgent[]])[] {
  return rolesUsed(plan.loop).map((role) => [role, agentsOf<PlannedAgent>(agentOf(plan, role))]);
}
