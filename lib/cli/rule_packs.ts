import { defaultConfigFile } from "../config/default_file.ts";
import { findRulePack } from "../agents/classify_screen.ts";
import type { RulePack } from "../screen/mod.ts";
import type { CliIo } from "./console/command.ts";
import { installedProviders } from "./installed_rules.ts";

/** The flag of commands that read screens with the rules of a configuration. */
export const CONFIG_RULES_FLAG = {
  name: "config",
  type: "string",
  placeholder: "FILE",
  description:
    "the config file with your rules and layouts (panewright.jsonc of the working directory, if it is there)",
} as const;

/** Finds the rules for the screens of a provider. */
export type FindRulePack = (provider: string) => RulePack;

/**
 * The rules that a run reads screens with: the built-in ones or those that the person has installed, with the changes
 * of the config file.
 *
 * @param config the config file; without it, `panewright.jsonc` of the working directory, if it is there
 * @throws {UsageError} that lists everything that is wrong with the config file, each with its place; and when
 *   installed rules cannot be used
 */
export async function loadRulePacks(config: string | undefined, io: CliIo): Promise<FindRulePack> {
  const { cwd } = io;
  const installed = await installedProviders(io);
  const path = config ?? await defaultConfigFile(cwd);
  if (path === undefined) return (provider) => findRulePack(provider, installed);
  // Nobody else waits until the schema is loaded.
  const { loadProviders } = await import("../config/load.ts");
  const providers = await loadProviders({ path, cwd, providers: installed });
  return (provider) => findRulePack(provider, providers);
}

/** What is said of a rule that a person wrote, behind its id. */
export function describeOrigin(origin: string | undefined): string {
  return origin === undefined ? "" : ` (yours, ${origin})`;
}
