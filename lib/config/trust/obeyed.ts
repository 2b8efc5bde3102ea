import { digestsOf, type Obeyed } from "../../agents/obeyed_files.ts";
import type { Provider } from "../../agents/provider.ts";
import { createRedactor } from "../../base/redact/redactor.ts";
import { allRoles } from "../roles_schema.ts";
import { findProvider } from "../../agents/mod.ts";
import { sha256Hex } from "../../base/text/digest.ts";
import type { LoadedSettings } from "../load.ts";
import type { TrustSubject } from "./examine.ts";
import type { TrustItem } from "./items.ts";

/** What a folder has agents obey, as something to trust: each thing by its hash, and what settings set. */
export async function obeyedSubject(workdir: string, found: readonly Obeyed[]): Promise<TrustSubject> {
  const redactor = createRedactor([]);
  const items = await Promise.all(found.map(async ({ agent, path, files, settings = {} }): Promise<TrustItem[]> => {
    const digests = Object.values(files);
    const sha256 = digests.length === 1 ? digests[0] : await sha256Hex(JSON.stringify(files));
    const what = digests.length === 1 ? `sha256 ${sha256}` : `${digests.length} files, sha256 ${sha256}`;
    return [
      { key: `${agent}: ${path}`, does: `has ${agent} obey`, value: what, alone: false },
      ...Object.entries(settings).map(([key, { value, acts }]) => ({
        key: `${agent}: ${path}: ${key}`,
        does: acts || key === "" ? `sets what ${agent} acts on` : `sets for ${agent}`,
        value: redactor.value(value),
        alone: acts || key === "",
      })),
    ];
  }));
  return { file: `${workdir}/`, items: items.flat(), files: digestsOf(found) };
}

/** The agents that a configuration uses: those of its steps, and those of the roles where it has a job or no step. */
export function agentsIn({ config, providers }: Pick<LoadedSettings, "config" | "providers">): readonly Provider[] {
  const steps = Object.values(config.pipelines).flat().map(({ provider }) => provider);
  const hasRoles = steps.length === 0 || config.prompt !== undefined || config.prompt_file !== undefined;
  const ofRoles = hasRoles ? allRoles(config.roles).map((role) => config.roles[role]?.provider) : [];
  const others = config.fallback.map((entry) => typeof entry === "string" ? entry : entry.provider);
  const ids = new Set([...steps, ...ofRoles, ...others].map((id) => id ?? config.provider));
  return [...ids].map((id) => findProvider(id, providers));
}
