import { resolve } from "@std/path/posix";
import type { Provider, ProviderId } from "../providers/provider.ts";
import type { Condition, Rule } from "../screen/rules.ts";
import type { TerminalStatus } from "../screen/status.ts";
import { type UserRule, withUserRules } from "../screen/user_rules.ts";
import { type Layer, type Problem, readFileLayer } from "./layers.ts";
import { type ConditionEntry, type RuleEntry, rulesSchema } from "./rules_schema.ts";
import type { Config } from "./settings_table.ts";
import { describeSource, type KeyPath } from "./source.ts";
import { didYouMean } from "./suggest.ts";
import { errorText } from "../text/error_text.ts";

/** Where the built-in rules of a status stand: the priority of a person's rule that names none. */
const PRIORITIES: Readonly<Record<TerminalStatus, number>> = {
  waiting_user_answer: 900,
  processing: 800,
  idle: 700,
  error: 690,
  completed: 500,
  unknown: 50,
};

/** What {@linkcode readProviders} looks at. */
export interface UserRulesContext {
  /** As they are built in. */
  readonly providers: readonly Provider[];
  /** The config file, if there is one. */
  readonly fileLayer: Layer | undefined;
  /** What relative paths of the config file start from. */
  readonly baseFolder: string;
  /** What was found before; what is found here is added. */
  readonly problems: Problem[];
}

/** Entries, and where they stand. */
interface Source {
  readonly rules: Config["rules"];
  readonly layer: Layer;
  /** The path of `rules` in the layer. */
  readonly at: KeyPath;
}

/** The providers with the rules of the config file, and below them those of the file that its `rules_file` names. */
export async function readProviders(context: UserRulesContext): Promise<readonly Provider[]> {
  const { providers, fileLayer, baseFolder, problems } = context;
  if (fileLayer === undefined || fileLayer.broken === true) return providers;
  const sources: Source[] = [];
  const own = rulesSchema.safeParse(fileLayer.data["rules"] ?? {});
  if (own.success) sources.push({ rules: own.data, layer: fileLayer, at: ["rules"] });
  const path = fileLayer.data["rules_file"];
  if (typeof path === "string" && path !== "") {
    const shared = await readRulesFile(path, { fileLayer, baseFolder, problems });
    if (shared) sources.push(shared);
  }
  return providers.map((provider) => {
    const { id, terminal } = provider;
    if (terminal === undefined) return provider;
    const builtIn = terminal.rules.rules.map((rule) => rule.id);
    const taken = new Set<string>();
    const changes = sources.flatMap((source) => changesOf(source, { provider: id, builtIn, taken, problems }));
    if (changes.length === 0) return provider;
    return { ...provider, terminal: { ...terminal, rules: withUserRules(terminal.rules, changes) } };
  });
}

async function readRulesFile(
  path: string,
  { fileLayer, baseFolder, problems }: Pick<UserRulesContext, "baseFolder" | "problems"> & {
    readonly fileLayer: Layer;
  },
): Promise<Source | undefined> {
  const absolute = resolve(baseFolder, path);
  let layer: Layer;
  try {
    layer = await readFileLayer(absolute, { shownAs: path, group: "rules" });
  } catch (error) {
    const reason = errorText(error).split(": ").at(-1);
    problems.push(fileLayer.problemAt(["rules_file"], `% names ${absolute}, but ${reason}`));
    return undefined;
  }
  problems.push(...layer.problems);
  const rules = rulesSchema.safeParse(layer.data);
  return rules.success ? { rules: rules.data, layer, at: [] } : undefined;
}

interface ChangesContext {
  readonly provider: ProviderId;
  /** The ids of its built-in rules. */
  readonly builtIn: readonly string[];
  /** Ids that a source before this one has: its entries go before those of this one. */
  readonly taken: Set<string>;
  readonly problems: Problem[];
}

function changesOf({ rules, layer, at }: Source, context: ChangesContext): readonly UserRule[] {
  const { provider, builtIn, taken, problems } = context;
  const entries = rules[provider] ?? [];
  const seen = new Set<string>();
  const changes: UserRule[] = [];
  for (const [index, entry] of entries.entries()) {
    const { id } = entry;
    const where = [...at, provider, index, "id"];
    const complain = (message: string) => problems.push(layer.problemAt(where, message));
    const changesBuiltIn = entry.remove === true || entry.replace === true;
    if (seen.has(id)) complain(`% is there twice: "${id}"`);
    else if (changesBuiltIn && !builtIn.includes(id)) {
      complain(`% names no built-in rule of ${provider}: "${id}"${didYouMean(id, builtIn)}`);
    } else if (!changesBuiltIn && builtIn.includes(id)) {
      complain(`% is the name of a built-in rule: "${id}" needs "replace": true to take its place, or another name`);
    } else if (!taken.has(id)) {
      changes.push(toUserRule(entry, describeSource(layer.sourceOf([...at, provider, index]))));
    }
    seen.add(id);
  }
  for (const id of seen) taken.add(id);
  return changes;
}

/**
 * What an entry of the configuration means. The entry was found to be right.
 *
 * @param origin where it stands, such as `panewright.jsonc:12`
 * @example
 * ```ts
 * import { assertEquals } from "@std/assert";
 * const entry = { id: "busy", status: "processing", region: "status", pattern: "^• Busy" } as const;
 * assertEquals(toUserRule(entry, "panewright.jsonc:3"), {
 *   kind: "add",
 *   rule: {
 *     id: "busy",
 *     status: "processing",
 *     priority: 800,
 *     when: [{ on: "rows", region: "status", text: /^• Busy/u }],
 *     versions: [],
 *     fixture: "",
 *     origin: "panewright.jsonc:3",
 *   },
 * });
 * ```
 */
export function toUserRule(entry: RuleEntry, origin: string): UserRule {
  const { id, status } = entry;
  if (entry.remove || status === undefined) return { kind: "remove", id };
  const [first, ...others] = [entry, ...entry.also ?? []].flatMap(toConditions);
  if (first === undefined) throw new TypeError(`Cannot use the rule "${id}": it has no condition`);
  const rule: Rule = {
    id,
    status,
    priority: entry.priority ?? PRIORITIES[status],
    when: [first, ...others],
    ...(entry.excludes === undefined ? {} : { excludes: entry.excludes.flatMap(toConditions) }),
    versions: [],
    fixture: "",
    origin,
  };
  return { kind: entry.replace ? "replace" : "add", rule };
}

function toConditions(entry: ConditionEntry): readonly Condition[] {
  const { region, pattern, row, style, style_needed: styleNeeded, title, command } = entry;
  const conditions: Condition[] = [];
  if (region !== undefined && pattern !== undefined) {
    conditions.push({
      on: "rows",
      region,
      text: toRegExp(pattern),
      ...(row === undefined ? {} : { row }),
      ...(style === undefined ? {} : { style: withoutUndefined(style) }),
      ...(styleNeeded === undefined ? {} : { styleNeeded }),
    });
  }
  if (title !== undefined) conditions.push({ on: "title", text: toRegExp(title) });
  if (command !== undefined) conditions.push({ on: "command", text: toRegExp(command) });
  if (entry.cursor_visible !== undefined) conditions.push({ on: "cursor", visible: entry.cursor_visible });
  if (entry.styled !== undefined) conditions.push({ on: "style", present: entry.styled });
  for (const has of entry.has ?? []) conditions.push({ on: "layout", has });
  if (entry.dialog !== undefined) conditions.push({ on: "dialog", kinds: entry.dialog });
  return conditions;
}

function toRegExp(pattern: string | readonly string[]): RegExp {
  if (typeof pattern === "string") return new RegExp(pattern, "u");
  return new RegExp(pattern.length === 1 ? pattern[0] ?? "" : pattern.map((each) => `(?:${each})`).join("|"), "u");
}

function withoutUndefined<T extends object>(values: T): { [K in keyof T]: Exclude<T[K], undefined> } {
  return Object.fromEntries(Object.entries(values).filter(([, value]) => value !== undefined)) as never;
}
