import * as z from "zod";
import type { Check, FactOf, FactTable, Fields, ValueOf } from "../../base/schema.ts";
import FIELD_TEXTS from "./field_texts.json" with { type: "json" };
import { time } from "./shapes.ts";

export function zodOf<Value>(check: Check<Value>): z.ZodType<Value, Value> {
  // The shape of a check lets the same values pass as the check itself.
  return made(check) as z.ZodType<Value, Value>;
}

/** What the records of a job tell, by type and field; under an empty name, the record itself. */
type RecordTexts = Readonly<Record<string, Readonly<Record<string, string>>>>;

export function recordsOf(facts: FactTable, texts: RecordTexts): Readonly<Record<string, z.ZodObject>> {
  return Object.fromEntries(
    Object.entries(facts).map(([type, fields]) => {
      const about: Readonly<Record<string, string>> = { ...FIELD_TEXTS.ofRecords, ...texts[type] };
      const record = z.object({ at: time("When it happened"), ...fieldsOf(fields, about) });
      return [type, record.describe(about[""] ?? "")];
    }),
  );
}

export function kindsOf<Table extends FactTable>(table: Table): z.ZodType<FactOf<Table>, FactOf<Table>> {
  const kinds = Object.entries(table).map(([type, fields]) =>
    z.object({ type: z.literal(type), ...fieldsOf(fields, {}) })
  );
  // The compiler cannot count them.
  return z.discriminatedUnion("type", kinds as unknown as [z.ZodObject]) as unknown as z.ZodType<
    FactOf<Table>,
    FactOf<Table>
  >;
}

function fieldsOf(fields: Fields, about: Readonly<Record<string, string>>): Record<string, z.ZodType> {
  return Object.fromEntries(
    Object.entries(fields).map(([name, check]) => {
      const text = Object.hasOwn(about, name) ? about[name] : undefined;
      return [name, text === undefined ? made(check) : made(check).describe(text)];
    }),
  );
}

/** What these fields tell; the words of each are in {@linkcode FIELD_TEXTS}, by the path from a run's progress, or an item. */
export function objectAt<Of extends Fields>(fields: Of, path = ""): z.ZodObject<ShapeOf<Of>> {
  const shape = Object.entries(fields).map(([name, check]) => {
    const at = path === "" ? name : `${path}.${name}`;
    const isOptional = check.shape?.kind === "missing_or";
    const found = made(check.shape?.kind === "missing_or" ? check.shape.of : check, at);
    const about = SHOWN_TEXTS[at];
    const told = about === undefined ? found : found.describe(about);
    return [name, isOptional ? told.optional() : told];
  });
  return z.object(Object.fromEntries(shape)) as unknown as z.ZodObject<ShapeOf<Of>>;
}

type ShapeOf<Of extends Fields> = {
  readonly [Name in keyof Of]: undefined extends ValueOf<Of[Name]>
    ? z.ZodOptional<TypeOf<Exclude<ValueOf<Of[Name]>, undefined>>>
    : TypeOf<ValueOf<Of[Name]>>;
};

type TypeOf<Value> = z.ZodType<Value, Value>;

const SHOWN_TEXTS: Readonly<Record<string, string>> = FIELD_TEXTS.ofShown;

/** @param at the path by which its fields have their words; otherwise they have them by their names */
function made({ shape }: Check<unknown>, at?: string): z.ZodType {
  switch (shape?.kind) {
    case undefined:
      return z.unknown();
    case "text":
      return z.string();
    case "number":
      return z.number();
    case "integer":
      return z.int();
    case "count":
      return z.int().min(0);
    case "flag":
      return z.boolean();
    case "one_of":
      return z.literal([...shape.values]);
    case "either":
      return z.union(shape.of.map((one) => made(one)));
    case "missing_or":
      return made(shape.of, at).optional();
    case "null_or":
      return made(shape.of, at).nullable();
    case "list":
      return z.array(made(shape.of, at));
    case "map":
      return z.record(z.string(), made(shape.of));
    case "object":
      return at === undefined ? z.object(fieldsOf(shape.fields, FIELD_TEXTS.ofObjects)) : objectAt(shape.fields, at);
  }
}
