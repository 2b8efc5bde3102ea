import type { Provider } from "../agents/provider.ts";
import { agentPaths, providerAt } from "./agent_paths.ts";
import { type CheckContext, report } from "./checks.ts";
import { type KeyPath, valueAt } from "./source.ts";

/**
 * Checks that what the configuration says of its agents leaves them in the sandbox that it asks for. Skips values
 * already known to be wrong.
 */
export function checkSandbox(context: CheckContext): void {
  const { merged } = context;
  if (merged["sandbox"] !== "cli") return;
  for (const path of agentPaths(merged)) {
    const provider = providerAt(context, path);
    if (provider !== undefined) checkAgent(context, { path, provider });
  }
}

function checkAgent(context: CheckContext, { path, provider }: { path: KeyPath; provider: Provider }): void {
  const { id, sandbox } = provider;
  if (sandbox === undefined) {
    const named = [...path, "provider"];
    const at = valueAt(context.merged, named) === undefined ? ["sandbox"] : named;
    return report(context, at, `% asks for a sandbox, but the provider ${id} brings none`);
  }
  const args = valueAt(context.merged, [...path, "args"]);
  if (!Array.isArray(args)) return;
  const texts = args.map(String);
  const loosening = sandbox.findLoosening(texts);
  if (loosening === undefined) return;
  report(
    context,
    [...path, "args", texts.indexOf(loosening)],
    `% is "${loosening}", which changes the sandbox of ${id}`,
  );
}
