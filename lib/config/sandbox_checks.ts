import { PROVIDERS } from "../providers/mod.ts";
import type { Provider } from "../providers/provider.ts";
import { type CheckContext, report } from "./checks.ts";
import { isKeyed, type KeyPath, valueAt } from "./source.ts";

/**
 * Checks that what the configuration says of its agents leaves them in the sandbox that it asks for. Skips values
 * already known to be wrong.
 */
export function checkSandbox(context: CheckContext): void {
  const { merged } = context;
  if (merged["sandbox"] !== "cli") return;
  for (const path of agentPaths(merged)) {
    const [group, name] = path;
    const provider = group === "providers"
      ? name
      : valueAt(merged, [...path, "provider"]) ?? merged["provider"] ?? PROVIDERS[0]?.id;
    const known = context.providers.find(({ id }) => id === provider);
    if (known !== undefined) checkAgent(context, { path, provider: known });
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

/** Where the configuration says how agents are started. */
function agentPaths(merged: CheckContext["merged"]): readonly KeyPath[] {
  const keysOf = (group: string) => isKeyed(merged[group]) ? Object.keys(merged[group]) : [];
  const steps = keysOf("pipelines").flatMap((name) => {
    const list = valueAt(merged, ["pipelines", name]);
    return Array.isArray(list) ? list.map((_step, index): KeyPath => ["pipelines", name, index]) : [];
  });
  return [
    ...keysOf("providers").map((id): KeyPath => ["providers", id]),
    [],
    ...keysOf("roles").map((role): KeyPath => ["roles", role]),
    ...steps,
  ];
}
