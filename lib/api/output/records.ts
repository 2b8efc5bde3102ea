import * as z from "zod";
import type { Check, FactOf, FactTable, Fields } from "../../base/schema.ts";
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

function made({ shape }: Check<unknown>): z.ZodType {
  switch (shape?.kind) {
    case undefined:
      return z.unknown();
    case "text":
      return z.string();
    case "number":
      return z.number();
    case "flag":
      return z.boolean();
    case "one_of":
      return z.literal([...shape.values]);
    case "either":
      return z.union(shape.of.map(made));
    case "missing_or":
      return made(shape.of).optional();
    case "list":
      return z.array(made(shape.of));
    case "map":
      return z.record(z.string(), made(shape.of));
    case "object":
      return z.object(fieldsOf(shape.fields, FIELD_TEXTS.ofObjects));
  }
}
