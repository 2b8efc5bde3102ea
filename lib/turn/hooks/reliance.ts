import type { TrialWay } from "../../agents/hook_trial.ts";
import type { Provider } from "../../agents/provider.ts";
import type { Role } from "../../base/roles.ts";
import { judgesUnasked } from "../../policy/mod.ts";
import type { DialogPlan } from "../desk/decision.ts";

/**
 * Whether the policy is kept by hooks for an agent: where it is asked about calls that need no permission, and where it
 * says yes in place of a person. In a pane the latter alone is by hook.
 */
export function reliesOnHooks(
  { handoff, permissions: { dryRun, policy } }: DialogPlan,
  { provider, role, way }: { readonly provider: Provider; readonly role: Role | undefined; readonly way: TrialWay },
): boolean {
  const trial = provider.terminal?.hookTrial;
  if (trial === undefined || dryRun) return false;
  const asks = way === "pane" || trial.asksWithoutTerminal;
  return (handoff.autoAcceptPermissions && asks) ||
    (way === "process" && judgesUnasked(policy, { role, provider: provider.id }));
}

/** What is told at the start where nobody has looked. */
export function untriedWarning(uses: readonly { readonly provider: Provider }[]): string | undefined {
  const labels = [...new Set(uses.map(({ provider }) => provider.label))];
  if (labels.length === 0) return undefined;
  return `permissions.hook_trial is "off": it was not seen that the hooks of ${labels.join(" and ")} work, ` +
    "by which the policy is kept";
}
