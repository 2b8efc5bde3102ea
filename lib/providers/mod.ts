import { UsageError } from "../errors.ts";
import type { DialogKind } from "../screen/dialog.ts";
import type { RulePack } from "../screen/rules.ts";
import { claudeCodeProvider } from "./claude_code/provider.ts";
import { codexProvider } from "./codex/provider.ts";
import type { PaneProvider, Provider, ProviderId, StepProvider } from "./provider.ts";
import { replayProvider } from "./replay/provider.ts";

/** Every provider that is built in: the one list of them. */
export const PROVIDERS: readonly Provider[] = [codexProvider, claudeCodeProvider, replayProvider];

/** The ids of {@linkcode PROVIDERS}. */
export const PROVIDER_IDS: readonly ProviderId[] = PROVIDERS.map(({ id }) => id);

/** The kinds of dialogs that these providers show. */
export function dialogKindsOf(providers: readonly Provider[]): readonly DialogKind[] {
  const kinds = providers.flatMap(({ terminal }) => terminal?.rules.layout.dialog.kinds.map(({ kind }) => kind) ?? []);
  return [...new Set([...kinds, "other"])];
}

/** What is known of the screens of every provider. */
export const RULE_PACKS: readonly RulePack[] = PROVIDERS.flatMap(({ terminal }) => terminal ? [terminal.rules] : []);

/**
 * The provider with this id.
 *
 * @throws {UsageError} when there is none
 */
export function findProvider(id: string, providers: readonly Provider[] = PROVIDERS): Provider {
  const found = providers.find((provider) => provider.id === id);
  if (found) return found;
  throw new UsageError(`Cannot use provider "${id}": it does not exist`, {
    hint: `The providers are ${providers.map((provider) => provider.id).join(", ")}.`,
  });
}

/**
 * The provider with this id, to run in a pane.
 *
 * @throws {UsageError} when there is none, or it cannot run in a pane
 */
export function findPaneProvider(id: string, providers?: readonly Provider[]): PaneProvider {
  const provider = findProvider(id, providers);
  if (hasTerminal(provider)) return provider;
  throw new UsageError(`Cannot use provider "${id}": it cannot run in a pane`);
}

/**
 * The provider with this id, to run a step without a terminal.
 *
 * @throws {UsageError} when there is none, or it cannot run without a terminal
 */
export function findStepProvider(id: string, providers?: readonly Provider[]): StepProvider {
  const provider = findProvider(id, providers);
  if (hasHeadless(provider)) return provider;
  throw new UsageError(`Cannot use provider "${id}": it cannot run a step without a terminal`);
}

function hasTerminal(provider: Provider): provider is PaneProvider {
  return provider.terminal !== undefined;
}

function hasHeadless(provider: Provider): provider is StepProvider {
  return provider.headless !== undefined;
}
