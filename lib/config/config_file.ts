import type { Provider, ProviderId } from "../agents/provider.ts";
import type { InputFiles } from "./input_files.ts";
import { type Layer, readFileLayer } from "./layers.ts";
import { type ConfigForm, formOf } from "./schema.ts";
import { AGENT_ID } from "./shapes.ts";
import { isKeyed } from "./source.ts";

interface ConfigFile {
  readonly fileLayer: Layer;
  readonly form: ConfigForm;
}

interface ConfigFileOptions {
  readonly shownAs: string;
  readonly providers: readonly Provider[];
  readonly files: InputFiles;
}

export async function readConfigFile(
  path: string,
  { shownAs, providers, files }: ConfigFileOptions,
): Promise<ConfigFile> {
  let form = formOf(providers);
  const fileLayer = await readFileLayer(path, {
    shownAs,
    files,
    form(data) {
      const added = Object.keys(agentFiles(data)).filter((id) => !form.providerIds.includes(id));
      if (added.length > 0) form = formOf(providers, added);
      return form;
    },
  });
  return { fileLayer, form };
}

/**
 * The files that describe agents of a configuration's own, as it names them; entries that are not of their form are
 * left out.
 */
export function agentFiles(data: Readonly<Record<string, unknown>>): Readonly<Record<ProviderId, string>> {
  const agents = isKeyed(data["agents"]) ? Object.entries(data["agents"]) : [];
  return Object.fromEntries(
    agents.filter((entry): entry is [ProviderId, string] =>
      AGENT_ID.test(entry[0]) && typeof entry[1] === "string" && entry[1] !== ""
    ),
  );
}
