import { defaultConfigFile } from "../config/default_file.ts";
import { findRulePack } from "../agents/classify_screen.ts";
import type { RulePack } from "../screen/mod.ts";
import { type CliIo, textFlag } from "./console/command.ts";
import { installedProviders } from "./installed_rules.ts";

export const CONFIG_RULES_FLAG = textFlag(
  "FILE",
  "the config file with your rules and layouts (panewright.jsonc of the working directory, if it is there)",
);

export type FindRulePack = (provider: string) => RulePack;

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

export function describeOrigin(origin: string | undefined): string {
  return origin === undefined ? "" : ` (yours, ${origin})`;
}
