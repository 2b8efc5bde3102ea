/**
 * Writes schemas/ and the reference part of docs/events.md from the types of what `--json` prints: `deno task schemas`.
 *
 * @module
 */
import { OUTPUT_SCHEMAS, outputJsonSchema } from "../lib/api/output/schemas.ts";
import { packJsonSchema } from "../lib/config/pack_schema.ts";
import { configJsonSchema } from "../lib/config/schema.ts";
import { openApiDocument } from "../lib/api/operations/openapi.ts";
import { OPERATIONS } from "../lib/api/operations/mod.ts";

/** The document, below the root of the repository. */
export const EVENTS_DOCUMENT = new URL("../docs/events.md", import.meta.url);

/** The folder with the schemas, a file each. */
export const SCHEMAS_FOLDER = new URL("../schemas/", import.meta.url);

/** What stands above this line is written by hand. */
const MARKER = "<!-- Made from the types from here on, by `deno task schemas`. -->\n<!-- deno-fmt-ignore-start -->";

/** The schemas, and the OpenAPI document of `panewright serve`, by the names of their files. */
export function schemaFiles(): ReadonlyMap<string, string> {
  const schemas = Object.entries(OUTPUT_SCHEMAS).map(([name, schema]) =>
    [name, outputJsonSchema(name, schema)] as const
  );
  const named = [["config", configJsonSchema()] as const, ["agent-pack", packJsonSchema()] as const, ...schemas];
  const files = named.map(([name, schema]) => [`${name}.schema.json`, schema] as const);
  const all = [...files, ["openapi.json", openApiDocument(OPERATIONS)] as const];
  return new Map(all.map(([name, schema]) => [name, `${JSON.stringify(schema, undefined, 2)}\n`]));
}

/** The document with its reference part made anew. */
export function withEvents(document: string): string {
  const end = document.indexOf(MARKER);
  if (end < 0) throw new Error(`Cannot find the line "${MARKER}" in docs/events.md`);
  const told = new Map<string, string>();
  const sections = Object.entries(OUTPUT_SCHEMAS).flatMap(([name, schema]) => {
    const { $defs } = outputJsonSchema(name, schema) as { readonly $defs: Readonly<Record<string, Schema>> };
    const isTold = ([type, object]: [string, Schema]) => told.get(type) === JSON.stringify(object);
    const [again = [], types = []] = [true, false].map((is) =>
      Object.entries($defs).filter((one) => isTold(one) === is)
    );
    for (const [type, object] of types) told.set(type, JSON.stringify(object));
    const links = again.map(([type]) => `[${type}](#${type})`).join(", ");
    return [
      `## ${name}`,
      "",
      `Printed by ${schema.of}. Schema: [${name}.schema.json](../schemas/${name}.schema.json).` +
      (links === "" ? "" : ` As above: ${links}.`),
      ...types.flatMap(([type, object]) => typeSection(type, object)),
      "",
    ];
  });
  const index = Object.keys(OUTPUT_SCHEMAS).map((name) => `[${name}](#${name})`).join(", ");
  return `${document.slice(0, end)}${MARKER}\n\n${
    [`Schemas by command: ${index}.`, "", ...sections].join("\n")
  }\n<!-- deno-fmt-ignore-end -->\n`;
}

/** A JSON Schema, as far as it is used here. */
interface Schema {
  readonly type?: string;
  readonly description?: string;
  readonly enum?: readonly unknown[];
  readonly const?: unknown;
  readonly properties?: Readonly<Record<string, Schema>>;
  readonly required?: readonly string[];
  readonly additionalProperties?: Schema | boolean;
  readonly items?: Schema;
  readonly anyOf?: readonly Schema[];
  readonly oneOf?: readonly Schema[];
}

/** Fields that are explained once, for all types. */
const OF_EACH: ReadonlySet<string> = new Set(["`type`", "`v`", "`at`"]);

function typeSection(type: string, object: Schema): string[] {
  const rows = fieldsOf(object).filter(([name]) => !OF_EACH.has(name));
  const about = object.description ?? "";
  return [
    "",
    `### ${type}`,
    ...(about === "" ? [] : ["", about]),
    "",
    ...(rows.length === 0 ? ["It has no fields of its own."] : ["| Field | Value | Meaning |", "| --- | --- | --- |"]),
    ...rows.map((row) => `| ${row.map((cell) => cell.replaceAll("|", "\\|").replaceAll("<", "&lt;")).join(" | ")} |`),
  ];
}

/** A row for each field of an object, and for each field of an object in it: name, value, meaning. */
function fieldsOf({ properties = {}, required = [] }: Schema, within = ""): [string, string, string][] {
  return Object.entries(properties).flatMap(([name, schema]) => {
    const path = `${within}${name}`;
    const value = `${valueOf(schema)}${required.includes(name) ? "" : ", may be missing"}`;
    return [[`\`${path}\``, value, schema.description ?? ""], ...innerFields(schema, path)];
  });
}

/** The fields of what is in a field, down to one level of lists and maps. */
function innerFields(schema: Schema, path: string): [string, string, string][] {
  const inner = [schema, ...(schema.anyOf ?? [])].find(({ type }) => type !== "null" && type !== undefined);
  // Tokens are explained once, for all types.
  if (schema.oneOf !== undefined) return fieldsOfKinds(schema.oneOf, path);
  if (inner === undefined || inner.properties?.["inputTokens"] !== undefined) return [];
  if (inner.items !== undefined) return innerFields(inner.items, `${path}[]`);
  if (typeof inner.additionalProperties === "object") return innerFields(inner.additionalProperties, `${path}.*`);
  return fieldsOf(inner, `${path}.`);
}

/** The fields of objects of several kinds, which their `type` tells apart: each field once, with its kinds. */
function fieldsOfKinds(kinds: readonly Schema[], path: string): [string, string, string][] {
  const fields = kinds.flatMap(({ properties = {}, ...kind }) => {
    const { type, ...others } = properties;
    const of = type === undefined ? "" : valueOf(type);
    return fieldsOf({ ...kind, properties: others }, `${path}.`).map(([name, value]) => ({ name, value, of }));
  });
  const byField = Map.groupBy(fields, ({ name, value }) => JSON.stringify([name, value]));
  const rows = Array.from(byField.values(), (same): [string, string, string] => [
    same[0]!.name,
    same[0]!.value,
    `Of ${same.map(({ of }) => of).join(", ")}.`,
  ]);
  const types = kinds.flatMap(({ properties }) =>
    properties?.["type"] === undefined ? [] : valueOf(properties["type"])
  );
  return [[`\`${path}.type\``, types.join(", "), "What it is; the other fields depend on it."], ...rows];
}

function valueOf(schema: Schema): string {
  if (schema.const !== undefined) return `\`${JSON.stringify(schema.const)}\``;
  if (schema.enum !== undefined) return schema.enum.map((value) => `\`${JSON.stringify(value)}\``).join(", ");
  const alternatives = schema.anyOf ?? schema.oneOf;
  if (alternatives !== undefined) {
    // Objects that differ are told apart in the schema.
    return [...new Set(alternatives.map((each) => each.properties === undefined ? valueOf(each) : "object"))].join(
      " or ",
    );
  }
  switch (schema.type) {
    case undefined:
      return "any";
    case "integer":
      return "whole number";
    case "boolean":
      return "true or false";
    case "array":
      return schema.items === undefined ? "list" : `list of ${pluralOf(valueOf(schema.items))}`;
    default:
      return schema.type;
  }
}

function pluralOf(value: string): string {
  return /^\w+$/.test(value) ? `${value}s` : value;
}

if (import.meta.main) {
  for (const [name, text] of schemaFiles()) await Deno.writeTextFile(new URL(name, SCHEMAS_FOLDER), text);
  await Deno.writeTextFile(EVENTS_DOCUMENT, withEvents(await Deno.readTextFile(EVENTS_DOCUMENT)));
}
