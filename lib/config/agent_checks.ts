import { hasAcp } from "../agents/mod.ts";
import type { AcpAgentProvider } from "../agents/provider.ts";
import { agentPaths, providerAt } from "./agent_paths.ts";
import { type CheckContext, report } from "./checks.ts";
import { type KeyPath, valueAt } from "./source.ts";

/**
 * Checks that what the configuration says of agents over the Agent Client Protocol means something there. Skips values
 * already known to be wrong.
 */
export function checkAcpAgents(context: CheckContext): void {
  for (const path of agentPaths(context.merged)) {
    const provider = providerAt(context, path);
    if (provider !== undefined && hasAcp(provider)) checkAgent(context, { path, provider });
  }
}

function checkAgent(context: CheckContext, { path, provider }: { path: KeyPath; provider: AcpAgentProvider }): void {
  const { id, label, acp } = provider;
  const isSet = (key: string) => valueAt(context.merged, [...path, key]) !== undefined;
  if (isSet("profile")) {
    report(
      context,
      [...path, "profile"],
      `% has no effect on ${label}, which is driven over the Agent Client Protocol: use args or env`,
    );
  }
  if (isSet("model") && acp.model === undefined) {
    report(
      context,
      [...path, "model"],
      `% cannot be given to ${id}: how its model is chosen is not known; use args or env, or a pack that says how`,
    );
  }
}
