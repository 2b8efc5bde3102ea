import { resolve } from "@std/path/posix";
import { UsageError } from "../base/errors.ts";
import type { Provider } from "../agents/provider.ts";
import type { RulePack } from "../screen/rules.ts";
import { changeRulePack, type RuleChange } from "../screen/screen_data.ts";
import type { InputFiles } from "./input_files.ts";
import { inputProblem, type Layer, type Problem, readFileLayer } from "./layers.ts";
import type { ConfigForm } from "./schema.ts";
import { layoutsSchema, rulesSchema } from "./rules_schema.ts";
import type { Config } from "./settings_table.ts";
import { describeSource, type KeyPath } from "./source.ts";
import { didYouMean } from "../base/text/suggest.ts";

interface UserRulesContext {
  readonly providers: readonly Provider[];
  readonly form: ConfigForm;
  readonly fileLayer: Layer | undefined;
  readonly baseFolder: string;
  readonly problems: Problem[];
  readonly files: InputFiles;
}

interface Source {
  readonly rules: Config["rules"];
  readonly layer: Layer;
  readonly at: KeyPath;
}

/**
 * The providers with what the config file says of their screens: its `layouts`, its `rules`, and below these the rules
 * of the file that its `rules_file` names.
 */
export async function readProviders(context: UserRulesContext): Promise<readonly Provider[]> {
  const { providers, fileLayer, problems } = context;
  const ids = providers.map(({ id }) => id);
  if (fileLayer === undefined || fileLayer.broken === true) return providers;
  const sources: Source[] = [];
  const { rules: given, layouts: changed } = fileLayer.data;
  const own = given === undefined ? undefined : rulesSchema(ids).safeParse(given);
  if (own?.success) sources.push({ rules: own.data, layer: fileLayer, at: ["rules"] });
  const path = fileLayer.data["rules_file"];
  if (typeof path === "string" && path !== "") {
    const shared = await readRulesFile(path, { ...context, fileLayer });
    if (shared) sources.push(shared);
  }
  const layouts = changed === undefined ? undefined : layoutsSchema(ids).safeParse(changed);
  return providers.map((provider) => {
    const { id, terminal } = provider;
    if (terminal === undefined) return provider;
    const layout = layouts?.data?.[id];
    const pack = layout === undefined ? terminal.rules : changeRulePack(terminal.rules, { layout });
    const taken = new Set<string>();
    const rules = sources.flatMap((source) => changesOf(source, { pack, taken, problems }));
    if (rules.length === 0 && layout === undefined) return provider;
    return { ...provider, terminal: { ...terminal, rules: changeRulePack(pack, { rules }) } };
  });
}

async function readRulesFile(
  path: string,
  { providers, form, fileLayer, baseFolder, problems, files }: UserRulesContext & { readonly fileLayer: Layer },
): Promise<Source | undefined> {
  const ids = providers.map(({ id }) => id);
  const absolute = resolve(baseFolder, path);
  let layer: Layer;
  try {
    layer = await readFileLayer(absolute, { shownAs: path, form, files, group: "rules" });
  } catch (error) {
    const reason = inputProblem(error instanceof UsageError ? error.cause : error);
    problems.push(fileLayer.problemAt(["rules_file"], `% names ${absolute}, but ${reason}`));
    return undefined;
  }
  problems.push(...layer.problems);
  const rules = rulesSchema(ids).safeParse(layer.data);
  return rules.success ? { rules: rules.data, layer, at: [] } : undefined;
}

interface ChangesContext {
  readonly pack: RulePack;
  /** Ids that a source before this one has: its entries go before those of this one. */
  readonly taken: Set<string>;
  readonly problems: Problem[];
}

function changesOf({ rules, layer, at }: Source, { pack, taken, problems }: ChangesContext): readonly RuleChange[] {
  const { provider, layout } = pack;
  const builtIn = pack.rules.map(({ id }) => id);
  const kinds = [...layout.dialog.kinds.map(({ kind }) => kind), "other"];
  const entries = rules[provider] ?? [];
  const seen = new Set<string>();
  const changes: RuleChange[] = [];
  for (const [index, entry] of entries.entries()) {
    const { id } = entry;
    const where = [...at, provider, index, "id"];
    const complain = (message: string) => problems.push(layer.problemAt(where, message));
    const changesBuiltIn = entry.remove === true || entry.replace === true;
    const unknown = [entry, ...entry.also ?? [], ...entry.excludes ?? []].flatMap(({ dialog = [] }) => dialog)
      .find((kind) => !kinds.includes(kind));
    if (unknown !== undefined) {
      const known = `${kinds.join(", ")}${didYouMean(unknown, kinds)}`;
      problems.push(layer.problemAt([...at, provider, index], `% names a dialog "${unknown}", but there are ${known}`));
    }
    if (seen.has(id)) complain(`% is there twice: "${id}"`);
    else if (changesBuiltIn && !builtIn.includes(id)) {
      complain(`% names no built-in rule of ${provider}: "${id}"${didYouMean(id, builtIn)}`);
    } else if (!changesBuiltIn && builtIn.includes(id)) {
      complain(`% is the name of a built-in rule: "${id}" needs "replace": true to take its place, or another name`);
    } else if (!taken.has(id)) {
      changes.push({ rule: entry, origin: describeSource(layer.sourceOf([...at, provider, index])) });
    }
    seen.add(id);
  }
  for (const id of seen) taken.add(id);
  return changes;
}
