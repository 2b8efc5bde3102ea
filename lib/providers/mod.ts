import { UsageError } from "../errors.ts";
import type { RulePack } from "../screen/rules.ts";
import { claudeCodeProvider } from "./claude_code/provider.ts";
import { codexProvider } from "./codex/provider.ts";
import type { Provider } from "./provider.ts";
import { replayProvider } from "./replay/provider.ts";

/** Every provider that agents can be started with: the one list of them. */
export const PROVIDERS: readonly Provider[] = [codexProvider, claudeCodeProvider, replayProvider];

/** What is known of the screens of every provider. */
export const RULE_PACKS: readonly RulePack[] = PROVIDERS.map(({ rules }) => rules);

/**
 * The provider with this id.
 *
 * @throws {UsageError} when there is none
 */
export function findProvider(id: string): Provider {
  const found = PROVIDERS.find((provider) => provider.id === id);
  if (found) return found;
  throw new UsageError(`Cannot start an agent with provider "${id}": there is no such provider`, {
    hint: `The providers are ${PROVIDERS.map((provider) => provider.id).join(", ")}.`,
  });
}
