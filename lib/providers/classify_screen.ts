import { type Classification, classify, parseScreen, type RulePack, type Screen } from "../screen/mod.ts";
import { UsageError } from "../errors.ts";
import { PROVIDERS } from "./mod.ts";
import type { Provider } from "./provider.ts";

/**
 * Tells what the agent of a provider is doing, from a capture (plain or with ANSI sequences) or a parsed screen.
 *
 * A bare capture has no title, no cursor and no process: where those decide, pass `parseScreen(capture, meta)`.
 *
 * @throws {UsageError} when no provider has this id
 */
export function classifyScreen(provider: string, capture: string | Screen): Classification {
  return classify(typeof capture === "string" ? parseScreen(capture) : capture, findRulePack(provider));
}

/**
 * The rules for the screens of a provider.
 *
 * @throws {UsageError} when no provider has this id
 */
export function findRulePack(provider: string, providers: readonly Provider[] = PROVIDERS): RulePack {
  const packs = providers.flatMap(({ terminal }) => terminal ? [terminal.rules] : []);
  const found = packs.find((pack) => pack.provider === provider);
  if (found) return found;
  throw new UsageError(`Cannot classify a screen of "${provider}": no provider has this id`, {
    hint: `The providers are ${packs.map((pack) => pack.provider).join(", ")}.`,
  });
}
