import * as z from "zod";
import { PROVIDER_IDS } from "../providers/mod.ts";
import type { ProviderId } from "../providers/provider.ts";
import type { SettingValue } from "../settings.ts";
import { type Config, GROUPS, settingsTable, type TableEntry } from "./settings_table.ts";
import { argv, MOST, type ShapeValue, text } from "./shapes.ts";

type Shape = Record<string, z.ZodType>;

/** What a configuration may say: the settings table, and the schema that it makes. */
export interface ConfigForm {
  readonly settings: readonly TableEntry[];
  readonly schema: z.ZodObject<Shape>;
}

/** The form of configurations that may name these providers. */
export function configFormFor(providerIds: readonly ProviderId[]): ConfigForm {
  const settings = settingsTable(providerIds);
  const schema = z.strictObject({
    ...shapeOf(settings.filter(({ key }) => !key.includes("."))),
    ...Object.fromEntries(
      Object.entries(GROUPS).map(([group, description]) => {
        const inner = shapeOf(settings.filter(({ key }) => key.startsWith(`${group}.`)));
        return [group, z.strictObject(inner).prefault({}).describe(description)];
      }),
    ),
  });
  return { settings, schema };
}

/** The effective configuration of data that the schema takes. */
export function parseConfig(data: unknown, { schema }: ConfigForm): Config {
  // The schema and the type are made from the same table: one by this file, one by the compiler.
  return schema.parse(data) as Config;
}

/** The JSON Schema (draft 2020-12) of config files, for editors. Descriptions name the key's variable as well. */
export function configJsonSchema(): Record<string, unknown> {
  const form = configFormFor(PROVIDER_IDS);
  const { $schema, ...schema } = z.toJSONSchema(form.schema, {
    io: "input",
    override({ path, jsonSchema }) {
      const key = path.filter((part) => part !== "properties").join(".");
      const variable = form.settings.find((setting) => setting.key === key)?.env;
      if (variable !== undefined) jsonSchema.description = `${jsonSchema.description} Variable: ${variable}.`;
    },
  });
  return { $schema, title: "panewright configuration", ...schema };
}

/** The schema inside of what only makes it optional or gives it a default. */
export function unwrapSchema(schema: unknown): unknown {
  let inner = schema;
  while (inner instanceof z.ZodOptional || inner instanceof z.ZodDefault || inner instanceof z.ZodPrefault) {
    inner = inner.def.innerType;
  }
  return inner;
}

/**
 * A value with the limits of what a person writes, where the table names none.
 *
 * @example
 * ```ts
 * import { assertEquals } from "@std/assert";
 * assertEquals(limited({ kind: "count", least: 0 }), { kind: "count", least: 0, most: 1_000_000 } as const);
 * ```
 */
export function limited(value: SettingValue | ShapeValue): SettingValue | ShapeValue {
  const { kind } = value;
  return kind === "seconds" || kind === "count" || kind === "bytes" || kind === "amount"
    ? { most: MOST[kind], ...value }
    : value;
}

function shapeOf(settings: readonly TableEntry[]): Shape {
  return Object.fromEntries(settings.map((setting) => {
    const { key, value, description } = setting;
    return [key.split(".").at(-1) ?? key, withDefault(schemaOf(limited(value)), value).describe(description)];
  }));
}

function withDefault(schema: z.ZodType, value: SettingValue | ShapeValue): z.ZodType {
  if (!("default" in value)) return schema.optional();
  return value.kind === "shape" ? schema.prefault(value.default) : schema.default(value.default);
}

function schemaOf(value: SettingValue | ShapeValue): z.ZodType {
  switch (value.kind) {
    case "seconds":
    case "count":
    case "bytes":
    case "amount": {
      const { above, least, most } = value;
      let schema = value.kind === "seconds" || value.kind === "amount" ? z.number() : z.int();
      if (above !== undefined) schema = schema.gt(above);
      if (least !== undefined) schema = schema.min(least);
      return most === undefined ? schema : schema.max(most);
    }
    case "switch":
      return z.boolean();
    case "choice":
      return z.literal(value.of);
    case "text":
      return value.pattern === undefined ? text() : z.string().regex(value.pattern, `must be ${value.must}`);
    case "command":
      return z.union([text(), argv()]);
    case "commands":
      return z.array(argv()).min(1);
    case "shape":
      return value.schema;
  }
}
