/** Tells whether a value, as JSON has it, is of a type. */
export type Check<Value> = (value: unknown) => value is Value;

/** The check of a field that may be missing. */
export type Optional<Value> = Check<Value | undefined> & { readonly optional: true };

/** The fields of an object, each with its check. Fields that are not named are let be. */
export type Fields = Readonly<Record<string, Check<unknown>>>;

/** The record types of a job, each with its fields; `type` and `at` are in all of them. */
export type FactTable = Readonly<Record<string, Fields>>;

/** What a check lets pass. */
export type ValueOf<Checked> = Checked extends Check<infer Value> ? Value : never;

/** The object that has these fields. */
export type ValuesOf<Of extends Fields> = Flat<
  & { readonly [Name in keyof Of as Of[Name] extends Optional<unknown> ? never : Name]: ValueOf<Of[Name]> }
  & {
    readonly [Name in keyof Of as Of[Name] extends Optional<unknown> ? Name : never]?: Exclude<
      ValueOf<Of[Name]>,
      undefined
    >;
  }
>;

/** The union of a table's record types. */
export type FactOf<Table extends FactTable> = {
  [Type in keyof Table]: Flat<{ readonly type: Type } & ValuesOf<Table[Type]>>;
}[keyof Table];

type Flat<Type> = { [Name in keyof Type]: Type[Name] };

/** A string. */
export const text: Check<string> = (value) => typeof value === "string";
/** A number. */
export const number: Check<number> = (value) => typeof value === "number";
/** `true` or `false`. */
export const flag: Check<boolean> = (value) => typeof value === "boolean";

/** One of these values. */
export function oneOf<const Value extends string | number | null>(...values: readonly Value[]): Check<Value> {
  const list: readonly unknown[] = values;
  return (value): value is Value => list.includes(value);
}

/** One word of a union that is declared elsewhere: the compiler sees to it that none is left out. */
export function wordOf<Word extends string>(words: Readonly<Record<Word, true>>): Check<Word> {
  return (value): value is Word => typeof value === "string" && Object.hasOwn(words, value);
}

/** A value of either kind. */
export function either<One, Other>(one: Check<One>, other: Check<Other>): Check<One | Other> {
  return (value): value is One | Other => one(value) || other(value);
}

/** A field that may be missing. */
export function optional<Value>(check: Check<Value>): Optional<Value> {
  return Object.assign(orMissing(check), { optional: true } as const);
}

/** Like {@linkcode optional}, for a field that must be given when a record is made, if only as `undefined`. */
export function orMissing<Value>(check: Check<Value>): Check<Value | undefined> {
  return (value): value is Value | undefined => value === undefined || check(value);
}

/** An array. */
export function listOf<Value>(check: Check<Value>): Check<readonly Value[]> {
  return (value): value is readonly Value[] => Array.isArray(value) && value.every(check);
}

/** An object whose names are not known. */
export function mapOf<Value>(check: Check<Value>): Check<Readonly<Record<string, Value>>> {
  return (value): value is Readonly<Record<string, Value>> => isObject(value) && Object.values(value).every(check);
}

/** An object with these fields. */
export function object<const Of extends Fields>(fields: Of): Check<ValuesOf<Of>> {
  return (value): value is ValuesOf<Of> => isObject(value) && findWrongField(value, fields) === undefined;
}

/**
 * The first field of an object that is missing, or is not what it must be.
 *
 * @example
 * ```ts
 * import { assertEquals } from "@std/assert";
 * assertEquals(findWrongField({ role: "tester", seconds: "3" }, { role: text, seconds: number }), "seconds");
 * assertEquals(findWrongField({ role: "tester", more: 1 }, { role: text, seconds: optional(number) }), undefined);
 * ```
 */
export function findWrongField(value: Readonly<Record<string, unknown>>, fields: Fields): string | undefined {
  for (const name in fields) if (fields[name]?.(value[name]) !== true) return name;
  return undefined;
}

/** Whether a value is an object, and neither null nor an array. */
export function isObject(value: unknown): value is Readonly<Record<string, unknown>> {
  return typeof value === "object" && value !== null && !Array.isArray(value);
}
