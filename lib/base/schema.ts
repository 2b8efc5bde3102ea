/** Tells whether a value, as JSON has it, is of a type. */
export type Check<Value> = ((value: unknown) => value is Value) & {
  /** What it lets pass, as data; missing where a function decides. */
  readonly shape?: Shape;
};

/** What a check lets pass, as data: a JSON Schema can be made of it. */
type Shape =
  | { readonly kind: "text" | "number" | "integer" | "count" | "flag" }
  | { readonly kind: "one_of"; readonly values: readonly (string | number | null)[] }
  | { readonly kind: "either"; readonly of: readonly Check<unknown>[] }
  /** What may be missing, or null. */
  | { readonly kind: "missing_or" | "null_or"; readonly of: Check<unknown> }
  | { readonly kind: "list"; readonly of: Check<unknown> }
  /** An object whose names are not known. */
  | { readonly kind: "map"; readonly of: Check<unknown> }
  | { readonly kind: "object"; readonly fields: Fields };

/** The check of a field that may be missing. */
type Optional<Value> = Check<Value | undefined> & { readonly optional: true };

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
export const text: Check<string> = shaped((value) => typeof value === "string", { kind: "text" });
/** A string that a test lets pass. */
export function textThat(test: (text: string) => boolean): Check<string> {
  return shaped((value): value is string => typeof value === "string" && test(value), { kind: "text" });
}
/** A number. */
export const number: Check<number> = shaped((value) => typeof value === "number", { kind: "number" });
/** A whole number. */
export const integer: Check<number> = shaped((value): value is number => Number.isInteger(value), { kind: "integer" });
/** A whole number from 0 on. */
export const count: Check<number> = shaped((value): value is number => integer(value) && value >= 0, { kind: "count" });
/** `true` or `false`. */
export const flag: Check<boolean> = shaped((value) => typeof value === "boolean", { kind: "flag" });

/** One of these values. */
export function oneOf<const Value extends string | number | null>(...values: readonly Value[]): Check<Value> {
  const list: readonly unknown[] = values;
  return shaped((value): value is Value => list.includes(value), { kind: "one_of", values });
}

/** One word of a union that is declared elsewhere: the compiler sees to it that none is left out. */
export function wordOf<Word extends string>(words: Readonly<Record<Word, true>>): Check<Word> {
  return oneOf(...Object.keys(words) as Word[]);
}

/** A value of either kind. */
export function either<One, Other>(one: Check<One>, other: Check<Other>): Check<One | Other> {
  return shaped((value): value is One | Other => one(value) || other(value), { kind: "either", of: [one, other] });
}

/** A field that may be missing. */
export function optional<Value>(check: Check<Value>): Optional<Value> {
  return Object.assign(orMissing(check), { optional: true } as const);
}

/** Like {@linkcode optional}, for a field that must be given when a record is made, if only as `undefined`. */
export function orMissing<Value>(check: Check<Value>): Check<Value | undefined> {
  const isThat = (value: unknown): value is Value | undefined => value === undefined || check(value);
  return shaped(isThat, { kind: "missing_or", of: check });
}

/** A value, or null. */
export function orNull<Value>(check: Check<Value>): Check<Value | null> {
  return shaped((value): value is Value | null => value === null || check(value), { kind: "null_or", of: check });
}

/** An array. */
export function listOf<Value>(check: Check<Value>): Check<readonly Value[]> {
  const isThat = (value: unknown): value is readonly Value[] => Array.isArray(value) && value.every(check);
  return shaped(isThat, { kind: "list", of: check });
}

/** An object whose names are not known. */
export function mapOf<Value>(check: Check<Value>): Check<Readonly<Record<string, Value>>> {
  const isThat = (value: unknown): value is Readonly<Record<string, Value>> =>
    isObject(value) && Object.values(value).every(check);
  return shaped(isThat, { kind: "map", of: check });
}

/** An object with these fields. */
export function object<const Of extends Fields>(fields: Of): Check<ValuesOf<Of>> {
  const isThat = (value: unknown): value is ValuesOf<Of> =>
    isObject(value) && findWrongField(value, fields) === undefined;
  return shaped(isThat, { kind: "object", fields });
}

function shaped<Value>(check: (value: unknown) => value is Value, shape: Shape): Check<Value> {
  return Object.assign(check, { shape });
}

/** The first field of an object that is missing, or is not what it must be. */
export function findWrongField(value: Readonly<Record<string, unknown>>, fields: Fields): string | undefined {
  for (const name in fields) if (fields[name]?.(value[name]) !== true) return name;
  return undefined;
}

/** Whether a value is an object, and neither null nor an array. */
export function isObject(value: unknown): value is Readonly<Record<string, unknown>> {
  return typeof value === "object" && value !== null && !Array.isArray(value);
}

/** The object without the keys that have no value. */
export function present<T extends object>(values: T): { [K in keyof T]?: Exclude<T[K], undefined> } {
  return Object.fromEntries(Object.entries(values).filter(([, value]) => value !== undefined)) as never;
}
