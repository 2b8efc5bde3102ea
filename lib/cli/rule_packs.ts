import { findRulePack } from "../providers/classify_screen.ts";
import type { RulePack } from "../screen/mod.ts";
import type { CliIo } from "./console/command.ts";

/** The flag of commands that read screens with the rules of a configuration. */
export const CONFIG_RULES_FLAG = {
  name: "config",
  type: "string",
  placeholder: "FILE",
  description: "a config file whose rules and rules_file change the built-in rules",
} as const;

/** Finds the rules for the screens of a provider. */
export type FindRulePack = (provider: string) => RulePack;

/**
 * The rules to read screens with: the built-in ones, with the changes of a config file where one is named.
 *
 * @throws {UsageError} that lists everything that is wrong with the config file, each with its place
 */
export async function loadRulePacks(config: string | undefined, io: CliIo): Promise<FindRulePack> {
  if (config === undefined) return findRulePack;
  // Only who names a config file waits until the schema is loaded.
  const { loadSettings } = await import("../config/load.ts");
  const { providers } = await loadSettings({ path: config, cwd: io.cwd, env: (name) => io.env(name) });
  return (provider) => findRulePack(provider, providers);
}

/** What is said of a rule that a person wrote, behind its id. */
export function describeOrigin(origin: string | undefined): string {
  return origin === undefined ? "" : ` (yours, ${origin})`;
}
