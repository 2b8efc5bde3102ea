import { loadSettings } from "../config/load.ts";
import { JOBS } from "../jobs/mod.ts";
import { privateWordsOf } from "../redact/secret_patterns.ts";
import { readProgress } from "../run/read_progress.ts";
import type { RunFolder } from "../run/run_folder.ts";
import { errorText } from "../text/error_text.ts";
import type { CliIo } from "./console/command.ts";
import { environmentOf } from "./environment.ts";
import { installedProviders } from "./installed_rules.ts";
import { requireTrust } from "./trust.ts";

/** What is secret in a run, besides what this process' own environment has. */
export interface RunSecrets {
  readonly secrets: readonly string[];
  /** Why the configuration of the run could not be asked, as the rest of a sentence; missing where it was. */
  readonly problem?: string;
}

/**
 * The secrets that the configuration of a run gives to its agents: read again as it is now, where the person trusts it.
 * They are kept nowhere else.
 */
export async function secretsOfRun(folder: RunFolder, io: CliIo): Promise<RunSecrets> {
  const { progress } = readProgress(folder, JOBS, { brief: true });
  if (progress === undefined || progress.configFile === null) return { secrets: [] };
  const { configFile: path, workdir } = progress;
  try {
    const there = { ...io, cwd: workdir };
    const providers = await installedProviders(io);
    const loaded = await loadSettings({ cwd: workdir, ...environmentOf(io), providers, path });
    await requireTrust(loaded, { io: there, trust: false, mayAsk: false });
    return { secrets: secretsIn(loaded.config) };
  } catch (error) {
    return { secrets: [], problem: errorText(error) };
  }
}

/** The values of all variables with secret names that a configuration sets, wherever it does. */
function secretsIn(value: unknown, isVariables = false): readonly string[] {
  if (typeof value !== "object" || value === null) return [];
  const entries = Object.entries(value);
  const texts = entries.filter((entry): entry is [string, string] => typeof entry[1] === "string");
  const own = isVariables ? privateWordsOf(Object.fromEntries(texts), "").secrets ?? [] : [];
  return [...own, ...entries.flatMap(([name, inner]) => secretsIn(inner, name === "env"))];
}
