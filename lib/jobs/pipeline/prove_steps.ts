import { stepDriverOf } from "../../agents/drivers.ts";
import { present } from "../../base/schema.ts";
import type { Proving } from "../../run/execution.ts";
import { reliesOnHooks } from "../../turn/hooks/reliance.ts";
import { proveHooks } from "../../turn/hooks/require_hooks.ts";
import type { ExecPlan, StepPlan } from "./plan.ts";

/** Proves the hooks of the steps whose policy they keep. */
export async function proveSteps(
  steps: readonly { readonly worker: string; readonly step: StepPlan }[],
  { plan, ...options }: Proving & { readonly plan: ExecPlan },
): Promise<readonly string[]> {
  const { workdir, permissions: { hookTrial: setting } } = plan;
  const uses = steps.flatMap(({ worker: name, step }) => {
    const { provider, command, args, env } = step;
    const way = stepDriverOf(step);
    const isKept = way === "process" && reliesOnHooks(plan, { provider, role: undefined, way });
    return isKept ? [{ name, provider, way, workdir, args, env, ...present({ command }) }] : [];
  });
  return await proveHooks(uses, { ...options, setting });
}
