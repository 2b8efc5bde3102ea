import { resolve } from "@std/path/posix";
import { UsageError } from "../base/errors.ts";
import { packProvider } from "../agents/packs/provider.ts";
import type { Pack } from "../agents/packs/pack.ts";
import type { Provider, ProviderId } from "../agents/provider.ts";
import { createRedactor } from "../base/redact/redactor.ts";
import { agentFiles } from "./config_file.ts";
import type { InputFiles } from "./input_files.ts";
import { inputProblem, type Layer, type Problem, readFileLayer } from "./layers.ts";
import { isKeyed, type KeyPath } from "./source.ts";

interface AgentsContext {
  readonly providers: readonly Provider[];
  readonly fileLayer: Layer | undefined;
  readonly baseFolder: string;
  readonly problems: Problem[];
  readonly files: InputFiles;
}

export async function withAgents(context: AgentsContext): Promise<readonly Provider[]> {
  const packs = await readPacks(context);
  return [...context.providers, ...packs.map(([id, pack]) => packProvider(id, pack, { isOfConfig: true }))];
}

/** The packs that a config file names in its `agents`; those that cannot be used are left out, and told. */
export async function readPacks(context: AgentsContext): Promise<readonly (readonly [ProviderId, Pack])[]> {
  const { providers, fileLayer, baseFolder, problems, files } = context;
  if (fileLayer === undefined || fileLayer.broken === true) return [];
  const named = Object.entries(agentFiles(fileLayer.data));
  if (named.length === 0) return [];
  // Few configurations have any, and its schema takes 10 ms to make.
  const { PACK_FORM, parsePack } = await import("./pack_schema.ts");
  const packs: (readonly [ProviderId, Pack])[] = [];
  for (const [id, path] of named) {
    const complain = (message: string) => problems.push(fileLayer.problemAt(["agents", id], message));
    if (providers.some((provider) => provider.id === id)) {
      complain("% is the name of an agent that is built in: yours needs another one");
      continue;
    }
    try {
      const layer = await readFileLayer(resolve(baseFolder, path), { shownAs: path, form: PACK_FORM, files });
      const pack = isSound(layer, problems) ? parsePack(layer.data) : undefined;
      if (pack !== undefined) packs.push([id, pack]);
    } catch (error) {
      const reason = inputProblem(error instanceof UsageError ? error.cause : error);
      complain(`% names ${resolve(baseFolder, path)}, but ${reason}`);
    }
  }
  return packs;
}

/** Adds the problems of a file with a pack; whether it has none. */
function isSound(layer: Layer, problems: Problem[]): boolean {
  const found = [...layer.problems, ...secretsIn(layer)];
  problems.push(...found);
  return found.length === 0;
}

/** A pack may be in a repository, and is shown: values that look like secrets have no place in it. */
function secretsIn({ data, problemAt }: Layer): readonly Problem[] {
  const redactor = createRedactor([]);
  return textsIn(data, []).filter(({ text }) => redactor.text(text) !== text).map(({ path }) =>
    problemAt(path, "% looks like a secret, which no pack may hold: set a variable where panewright is started")
  );
}

function textsIn(value: unknown, path: KeyPath): readonly { readonly path: KeyPath; readonly text: string }[] {
  if (typeof value === "string") return [{ path, text: value }];
  if (Array.isArray(value)) return value.flatMap((inner, index) => textsIn(inner, [...path, index]));
  return isKeyed(value) ? Object.entries(value).flatMap(([key, inner]) => textsIn(inner, [...path, key])) : [];
}
