/**
 * Writes the reference part of docs/configuration.md from the settings table: `deno task docs`.
 *
 * @module
 */
import { configJsonSchema, limited } from "../lib/config/schema.ts";
import { flagsOf } from "../lib/config/flags.ts";
import { GROUPS, SETTINGS, type TableEntry } from "../lib/config/settings_table.ts";
import { describeValue } from "../lib/base/settings.ts";

/** The document, below the root of the repository. */
export const DOCUMENT = new URL("../docs/configuration.md", import.meta.url);

/** What stands above this line is written by hand. */
const MARKER =
  "<!-- Made from the settings table from here on, by `deno task docs`. -->\n<!-- deno-fmt-ignore-start -->";

interface Schema {
  readonly type?: string;
  readonly description?: string;
  readonly default?: unknown;
  readonly enum?: readonly unknown[];
  readonly const?: unknown;
  readonly minimum?: number;
  readonly maximum?: number;
  readonly exclusiveMinimum?: number;
  readonly properties?: Readonly<Record<string, Schema>>;
  readonly required?: readonly string[];
  readonly additionalProperties?: Schema | boolean;
  readonly items?: Schema;
  readonly anyOf?: readonly Schema[];
  readonly oneOf?: readonly Schema[];
}

/** The document with its reference part made anew. */
export function withReference(document: string): string {
  const end = document.indexOf(MARKER);
  if (end < 0) throw new Error(`Cannot find the line "${MARKER}" in docs/configuration.md`);
  return `${document.slice(0, end)}${MARKER}\n\n${reference()}`;
}

function reference(): string {
  const root = configJsonSchema() as Schema;
  const topLevel = SETTINGS.filter(({ key }) => !key.includes("."));
  const at = (schema: Schema | undefined, ...path: readonly string[]): Schema =>
    path.reduce<Schema>((inner, key) => inner.properties?.[key] ?? {}, schema ?? {});
  const pipelines = at(root, "pipelines").additionalProperties as Schema;
  const step = pipelines.items;
  const rule = Object.values(at(root, "rules").properties ?? {})[0]?.items;
  const permissionRule = at(root, "permissions", "deny").items?.anyOf?.find(({ properties }) => properties);
  return [
    "## Settings by group",
    ...section("Top level", "", topLevel),
    ...Object.entries(GROUPS).flatMap(([group, description]) =>
      section(`\`${group}\``, description, SETTINGS.filter(({ key }) => key.startsWith(`${group}.`)))
    ),
    "## Objects within settings",
    ...objectSection(
      "Agents: `providers.<provider>` and `roles.<role>`",
      Object.values(at(root, "roles").properties ?? {})[0],
    ),
    ...objectSection("Steps: `pipelines.<name>[]`", step),
    ...(at(step, "check").anyOf?.[0]?.oneOf ?? []).flatMap((check) =>
      objectSection(`Checks: \`check\` of type \`${check.properties?.["type"]?.const}\``, check)
    ),
    ...objectSection("Permission rules: `permissions.deny[]`, `ask[]` and `allow[]`", permissionRule),
    ...objectSection("Screen rules: `rules.<provider>[]`", rule),
    "## Environment variables",
    "",
    ...table(
      ["Variable", "Short name", "Setting"],
      SETTINGS.filter(({ variables }) => variables.length > 0)
        .map(({ variables: [name = "", short], key }) => [name, short ?? "", key])
        .toSorted(([left = ""], [right = ""]) => left < right ? -1 : 1)
        .map((names) => names.map((name) => name === "" ? "" : `\`${name}\``)),
    ),
    "<!-- deno-fmt-ignore-end -->",
    "",
  ].join("\n").replaceAll("\n\n\n", "\n\n");
}

function section(title: string, description: string, settings: readonly TableEntry[]): string[] {
  return ["", `### ${title}`, "", ...(description === "" ? [] : [description, ""]), ...settings.flatMap(entry)];
}

const COMMANDS = { run: "`panewright run`", exec: "`panewright exec`", both: "both commands" };

function entry(setting: TableEntry): string[] {
  const { key, value, variables: [variable], job, description, example } = setting;
  const must = value.kind === "shape"
    ? value.must
    : describeValue(limited(value) as Parameters<typeof describeValue>[0]);
  const facts = [
    `Value: ${must}.`,
    "default" in value
      ? `Default: ${code(value.default)}.`
      : `No default${example === undefined ? "" : `; for example ${code(example)}`}.`,
    ..."libraryDefault" in value ? [`Default of the library (\`lib/mod.ts\`): ${code(value.libraryDefault)}.`] : [],
    ...flagsOf(setting).map(({ name, type, placeholder, choices }) =>
      `Flag: \`--${name}${type === "switch" ? "" : ` ${placeholder ?? choices?.join("|")}`}\`.`
    ),
    ...variable === undefined ? [] : [`Variable: \`${variable}\`.`],
    `Used by ${COMMANDS[job]}.`,
  ];
  return [`- **\`${key}\`**: ${description}`, `  ${facts.join(" ")}`, ""];
}

function objectSection(title: string, schema: Schema | undefined): string[] {
  const rows = Object.entries(schema?.properties ?? {}).map(([key, inner]) => [
    `\`${key}\``,
    `${typeOf(inner)}${keysOf(inner)}${schema?.required?.includes(key) ? ", required" : ""}`,
    inner.default === undefined ? "" : code(inner.default),
    inner.description ?? "",
  ]);
  return ["", `### ${title}`, "", ...table(["Key", "Value", "Default", "Meaning"], rows)];
}

/** The keys of an object that has no section of its own. */
function keysOf({ properties }: Schema): string {
  return properties === undefined ? "" : ` with ${Object.keys(properties).map((key) => `\`${key}\``).join(", ")}`;
}

function typeOf(schema: Schema): string {
  const { type = "", minimum, maximum, exclusiveMinimum } = schema;
  if (schema.const !== undefined) return code(schema.const);
  if (schema.enum !== undefined) return `one of ${schema.enum.map(code).join(", ")}`;
  const alternatives = schema.anyOf ?? schema.oneOf;
  if (alternatives !== undefined) return [...new Set(alternatives.map(typeOf))].join(" or ");
  if (type === "array") return schema.items === undefined ? "array" : `array of ${typeOf(schema.items)}`;
  if (type === "boolean") return "true or false";
  if (type !== "number" && type !== "integer") return type;
  const noun = type === "integer" ? "whole number" : "number";
  return exclusiveMinimum === undefined
    ? `${noun} from ${minimum} to ${maximum}`
    : `${noun} > ${exclusiveMinimum}, ≤ ${maximum}`;
}

function table(head: readonly string[], rows: readonly (readonly string[])[]): string[] {
  const line = (cells: readonly string[]) =>
    `| ${cells.map((cell) => cell.replaceAll("|", "\\|").replaceAll("<", "&lt;")).join(" | ")} |`;
  return [line(head), line(head.map(() => "---")), ...rows.map(line), ""];
}

function code(value: unknown): string {
  return `\`${JSON.stringify(value)}\``;
}

if (import.meta.main) {
  await Deno.writeTextFile(DOCUMENT, withReference(await Deno.readTextFile(DOCUMENT)));
}
