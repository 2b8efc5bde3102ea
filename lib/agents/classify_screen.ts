import { type Classification, classify, parseScreen, type RulePack, type Screen } from "../screen/mod.ts";
import { UsageError } from "../base/errors.ts";
import { offeredIds, PROVIDERS, screenIds } from "./mod.ts";
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
  const isKnown = providers.some(({ id }) => id === provider);
  const problem = isKnown ? "its agents have no screens" : "no provider has this id";
  throw new UsageError(`Cannot classify a screen of "${provider}": ${problem}`, {
    hint: `The providers are ${screenIds(providers).filter((id) => offeredIds(providers).includes(id)).join(", ")}.`,
  });
}
