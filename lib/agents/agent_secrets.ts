import { privateWordsOf } from "../base/redact/secret_patterns.ts";
import type { Provider } from "./provider.ts";

/**
 * The values of the variables with secret names that an agent is started with: those of its provider, as the file of a
 * pack may have them, and its own.
 */
export function agentSecrets(
  { provider, env = {} }: { readonly provider: Provider; readonly env?: Readonly<Record<string, string>> },
): readonly string[] {
  return [provider.acp?.env ?? {}, env].flatMap((variables) => privateWordsOf(variables, "").secrets ?? []);
}
