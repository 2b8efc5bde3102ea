import type { Provider } from "../agents/provider.ts";
import type { CheckContext } from "./checks.ts";
import { isKeyed, type KeyPath, valueAt } from "./source.ts";

/** Where the configuration says how agents are started: of providers, by default, of roles and of steps. */
export function agentPaths(merged: CheckContext["merged"]): readonly KeyPath[] {
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

/** The provider that what stands at one of these paths is about; `undefined` where it is not known. */
export function providerAt(
  { merged, providers }: Pick<CheckContext, "merged" | "providers">,
  path: KeyPath,
): Provider | undefined {
  const [group, name] = path;
  const named = group === "providers"
    ? name
    : valueAt(merged, [...path, "provider"]) ?? merged["provider"] ?? providers[0]?.id;
  return providers.find(({ id }) => id === named);
}
