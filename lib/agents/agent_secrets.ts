import { privateWordsOf } from "../base/redact/secret_patterns.ts";
import type { Provider } from "./provider.ts";

/**
 * The values of the variables with secret names that an agent is started with: those of its provider, as the file of a
 * pack may have them, and its own.
 *
 * @example
 * ```ts
 * import { assertEquals } from "@std/assert";
 * import { packProvider } from "./packs/provider.ts";
 * const provider = packProvider("mine", { label: "Mine", env: { SESSION_COOKIE: "correct-horse" } });
 * assertEquals(agentSecrets({ provider, env: { LANG: "C", ODD_KEY: "battery" } }), ["correct-horse", "battery"]);
 * ```
 */
export function agentSecrets(
  { provider, env = {} }: { readonly provider: Provider; readonly env?: Readonly<Record<string, string>> },
): readonly string[] {
  return [provider.acp?.env ?? {}, env].flatMap((variables) => privateWordsOf(variables, "").secrets ?? []);
}
