import { stepDriverOf } from "../../agents/drivers.ts";
import { present } from "../../base/schema.ts";
import type { Proving } from "../../run/execution.ts";
import { reliesOnHooks } from "../../turn/hooks/reliance.ts";
import { proveHooks } from "../../turn/hooks/require_hooks.ts";
import { agentsOf } from "../fallback.ts";
import type { ExecPlan, StepAgent, StepPlan } from "./plan.ts";

/** Proves the hooks of the steps whose policy they keep. */
export async function proveSteps(
  steps: readonly { readonly worker: string; readonly step: StepPlan }[],
  { plan, ...options }: Proving & { readonly plan: ExecPlan },
): Promise<readonly string[]> {
  const { workdir, permissions: { hookTrial: setting } } = plan;
  const agents = steps.flatMap(({ worker, step }) => agentsOf<StepAgent>(step).map((agent) => ({ worker, agent })));
  const uses = agents.flatMap(({ worker: name, agent }) => {
    const { provider, command, args, env } = agent;
    const way = stepDriverOf(agent);
    const isKept = way === "process" && reliesOnHooks(plan, { provider, role: undefined, way });
    return isKept ? [{ name, provider, way, workdir, args, env, ...present({ command }) }] : [];
  });
  return await proveHooks(uses, { ...options, setting });
}
