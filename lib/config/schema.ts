import * as z from "zod";
import { OFFERED_PROVIDER_IDS, OFFERED_SCREEN_IDS, screenIds } from "../agents/mod.ts";
import type { Provider, ProviderId } from "../agents/provider.ts";
import type { SettingValue } from "../base/settings.ts";
import { type Config, GROUPS, settingsTable, type TableEntry } from "./settings_table.ts";
import { isKeyed, valueAt } from "./source.ts";
import { AGENT_ID, argv, MOST, type ShapeValue, shellText, text } from "./shapes.ts";

type Shape = Record<string, z.ZodType>;

/** How a schema is read with that is made anew in each process: to compile it takes longer than it saves. */
export const ONCE = { jitless: true } as const;

export interface FileForm {
  /**
   * What a file may have; of the keys on top and in groups only those that the data has, where some is given: the whole
   * takes longer to make than all else at the start of a command.
   */
  schemaFor(data?: unknown): z.ZodObject<Shape>;
  /** Every key that there is, dotted; one that stands in the wrong place is told where it belongs. */
  readonly keys: readonly string[];
  readonly providerIds: readonly ProviderId[];
}

export interface ConfigForm extends FileForm {
  readonly settings: readonly TableEntry[];
}

export function formOf(providers: readonly Provider[], more: readonly ProviderId[] = []): ConfigForm {
  return configFormFor([...providers.map(({ id }) => id), ...more], screenIds(providers));
}

export function configFormFor(
  providerIds: readonly ProviderId[],
  withScreens: readonly ProviderId[] = providerIds,
): ConfigForm {
  const settings = settingsTable(providerIds, withScreens);
  const made = new Map<string, z.ZodType>();
  const shapeFor = (data: unknown, group?: string): Shape =>
    Object.fromEntries(
      ofGroup(settings, group).filter(([name]) => isAskedFor(name, data)).map(([name, { key, value, description }]) => {
        const schema = made.get(key) ?? withDefault(schemaOf(limited(value)), value).describe(description);
        made.set(key, schema);
        return [name, schema];
      }),
    );
  const schemaFor = (data?: unknown) => {
    const groups = Object.entries(GROUPS).filter(([group]) => isAskedFor(group, data)).map(([group, description]) => {
      const inner = shapeFor(data === undefined ? data : valueAt(data, [group]) ?? {}, group);
      return [group, z.strictObject(inner).prefault({}).describe(description)];
    });
    return z.strictObject({ ...shapeFor(data), ...Object.fromEntries(groups) });
  };
  return { settings, schemaFor, keys: [...Object.keys(GROUPS), ...settings.map(({ key }) => key)], providerIds };
}

/** The settings of a group by their names in it; those of none, where none is named. */
function ofGroup(settings: readonly TableEntry[], group?: string): readonly (readonly [string, TableEntry])[] {
  return settings.flatMap((setting) => {
    const [name = "", ...groups] = setting.key.split(".").toReversed();
    return groups[0] === group ? [[name, setting]] : [];
  });
}

function isAskedFor(name: string, data: unknown): boolean {
  return data === undefined || isKeyed(data) && Object.hasOwn(data, name);
}

export function parseConfig(data: unknown, { schemaFor, settings }: ConfigForm): Config {
  const given = schemaFor(data).parse(data, ONCE);
  const whole = (group?: string) =>
    ofGroup(settings, group).flatMap(([name, { value }]) => {
      const set = valueAt(given, group === undefined ? [name] : [group, name]);
      if (set === undefined) return "default" in value ? [[name, value.default]] : [];
      return [[name, set]];
    });
  const groups = Object.keys(GROUPS).map((group) => [group, Object.fromEntries(whole(group))]);
  // The schema and the type are made from the same table: one by this file, one by the compiler.
  return Object.fromEntries([...whole(), ...groups]) as Config;
}

export function configJsonSchema(): Record<string, unknown> {
  const form = configFormFor(OFFERED_PROVIDER_IDS, OFFERED_SCREEN_IDS);
  const { $schema, ...schema } = z.toJSONSchema(form.schemaFor(), {
    io: "input",
    override({ path, jsonSchema }) {
      allowAgents(jsonSchema, path.join("."));
      const key = path.filter((part) => part !== "properties").join(".");
      const [variable] = form.settings.find((setting) => setting.key === key)?.variables ?? [];
      if (variable !== undefined) jsonSchema.description = `${jsonSchema.description} Variable: ${variable}.`;
    },
  });
  return { $schema, title: "panewright configuration", ...schema };
}

function allowAgents(schema: z.core.JSONSchema.BaseSchema, path: string): void {
  const { enum: choices, type = "string" } = schema;
  if (choices?.join() === OFFERED_PROVIDER_IDS.join()) {
    delete schema.enum;
    schema.anyOf = [{ enum: choices }, { type, pattern: AGENT_ID.source }];
  }
  if (path === "properties.providers") {
    const [first] = Object.values(schema.properties ?? {});
    const { description: _, ...entry } = typeof first === "object" ? first : {};
    schema.patternProperties = { [AGENT_ID.source]: entry };
  }
}

export function unwrapSchema(schema: unknown): unknown {
  let inner = schema;
  for (;;) {
    if (inner instanceof z.ZodOptional || inner instanceof z.ZodDefault || inner instanceof z.ZodPrefault) {
      inner = inner.def.innerType;
    } else if (inner instanceof z.ZodLazy) inner = inner.def.getter();
    else return inner;
  }
}

export function limited(value: SettingValue | ShapeValue): SettingValue | ShapeValue {
  const { kind } = value;
  return kind === "seconds" || kind === "count" || kind === "bytes" || kind === "amount"
    ? { most: MOST[kind], ...value }
    : value;
}

function withDefault(schema: z.ZodType, value: SettingValue | ShapeValue): z.ZodType {
  return "default" in value ? schema.default(value.default) : schema.optional();
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
      return z.union([shellText(), argv()]);
    case "commands":
      return z.array(argv()).min(1);
    case "shape":
      return z.lazy(value.schema);
  }
}
