import { UsageError } from "../base/errors.ts";
import type { DialogKind } from "../screen/dialog.ts";
import type { RulePack } from "../screen/rules.ts";
import { didYouMean } from "../base/text/suggest.ts";
import { claudeCodeProvider } from "./claude_code/provider.ts";
import { codexProvider } from "./codex/provider.ts";
import { PACK_PROVIDERS } from "./packs/built_in.ts";
import {
  type AcpAgentProvider,
  isCliStepProvider,
  type PaneProvider,
  type Provider,
  type ProviderId,
  type RoleProvider,
  type StepProvider,
} from "./provider.ts";
import { replayProvider } from "./replay/provider.ts";

/** Every provider that is built in: the one list of them. */
export const PROVIDERS: readonly Provider[] = [codexProvider, claudeCodeProvider, replayProvider, ...PACK_PROVIDERS];

/** The variables by which commands of agents are told apart from the helpers of their CLIs. */
export const COMMAND_VARIABLES: readonly string[] = PROVIDERS.flatMap(({ commandVariable }) => commandVariable ?? []);

/** The ids of {@linkcode PROVIDERS}. */
export const PROVIDER_IDS: readonly ProviderId[] = PROVIDERS.map(({ id }) => id);

/** The ids of those providers that a person may want for work: all but the replayed agents of the demo. */
export function offeredIds(providers: readonly Provider[]): readonly ProviderId[] {
  return providers.filter(({ cli, acp }) => cli !== undefined || acp !== undefined).map(({ id }) => id);
}

/** The ids of those providers whose agents have screens, in a pane. */
export function screenIds(providers: readonly Provider[]): readonly ProviderId[] {
  return providers.filter(({ terminal }) => terminal !== undefined).map(({ id }) => id);
}

/** The ids of the built-in providers that are offered. */
export const OFFERED_PROVIDER_IDS: readonly ProviderId[] = offeredIds(PROVIDERS);

/** The ids of those among them whose agents have screens. */
export const OFFERED_SCREEN_IDS: readonly ProviderId[] = OFFERED_PROVIDER_IDS.filter((id) =>
  screenIds(PROVIDERS).includes(id)
);

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
  const offered = offeredIds(providers);
  throw new UsageError(`Cannot use provider "${id}": it does not exist${didYouMean(id, offered)}`, {
    hint: `The providers are ${offered.join(", ")}.`,
  });
}

/** The provider with this id, to run in a pane. */
export function findPaneProvider(id: string, providers?: readonly Provider[]): PaneProvider {
  const provider = findProvider(id, providers);
  if (hasTerminal(provider)) return provider;
  throw new UsageError(`Cannot use provider "${id}": it cannot run in a pane`);
}

/**
 * The provider with this id, to play a role: over the Agent Client Protocol where it is driven by that, else in a pane.
 *
 * @throws {UsageError} when there is none, or it can play no role
 */
export function findRoleProvider(id: string, providers?: readonly Provider[]): RoleProvider {
  const provider = findProvider(id, providers);
  return hasAcp(provider) ? provider : findPaneProvider(id, providers);
}

/** The provider with this id, to run a step without a terminal. */
export function findStepProvider(id: string, providers?: readonly Provider[]): StepProvider {
  const provider = findProvider(id, providers);
  if (isCliStepProvider(provider) || hasAcp(provider)) return provider;
  throw new UsageError(`Cannot use provider "${id}": it cannot run a step without a terminal`);
}

/** Whether its agents are driven over the Agent Client Protocol. */
export function hasAcp(provider: Provider): provider is AcpAgentProvider {
  return provider.acp !== undefined;
}

function hasTerminal(provider: Provider): provider is PaneProvider {
  return provider.terminal !== undefined;
}
