import { roleDriverOf } from "../../agents/drivers.ts";
import { present } from "../../base/schema.ts";
import type { Proving } from "../../run/execution.ts";
import { reliesOnHooks } from "../../turn/hooks/reliance.ts";
import { proveHooks } from "../../turn/hooks/require_hooks.ts";
import { agentsOf } from "../fallback.ts";
import { rolesUsed } from "./machine.ts";
import { agentOf, type ReviewRunPlan } from "./plan.ts";
import { reviewLoopSettings } from "./settings.ts";

/** Proves the hooks of the roles that the loop may come to, and whose policy they keep. */
export async function proveRoles(plan: ReviewRunPlan, proving: Proving): Promise<readonly string[]> {
  const { workdir, loop, permissions: { hookTrial: setting } } = plan;
  const uses = rolesUsed(reviewLoopSettings(loop)).flatMap((role) => {
    return agentsOf(agentOf(plan, role)).flatMap((agent) => {
      const { provider, command, args, env } = agent;
      const way = roleDriverOf(agent);
      const isKept = way !== "acp" && reliesOnHooks(plan, { provider, role, way });
      return isKept ? [{ name: role, provider, way, workdir, args, env, ...present({ command }) }] : [];
    });
  });
  return await proveHooks(uses, { ...proving, setting });
}
