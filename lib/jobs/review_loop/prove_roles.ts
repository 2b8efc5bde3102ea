import { roleDriverOf } from "../../agents/drivers.ts";
import { present } from "../../base/schema.ts";
import type { Proving } from "../../run/execution.ts";
import { reliesOnHooks } from "../../turn/hooks/reliance.ts";
import { proveHooks } from "../../turn/hooks/require_hooks.ts";
import type { ReviewRunPlan } from "./plan.ts";
import { reviewLoopSettings } from "./settings.ts";
import { usedAgents } from "./used_agents.ts";

/** Proves the hooks of the roles that the loop may come to, and whose policy they keep. */
export async function proveRoles(plan: ReviewRunPlan, proving: Proving): Promise<readonly string[]> {
  const { agents, workdir, loop, permissions: { hookTrial: setting } } = plan;
  const uses = usedAgents({ agents, loop: reviewLoopSettings(loop) }).flatMap(([role, all]) => {
    return all.flatMap((agent) => {
      const { provider, command, args, env } = agent;
      const way = roleDriverOf(agent);
      const isKept = way !== "acp" && reliesOnHooks(plan, { provider, role, way });
      return isKept ? [{ name: role, provider, way, workdir, args, env, ...present({ command }) }] : [];
    });
  });
  return await proveHooks(uses, { ...proving, setting });
}
