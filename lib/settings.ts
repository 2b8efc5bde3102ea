/**
 * What a setting is, as plain data. A slice of the settings table is an object of entries, each under its name in code;
 * `lib/config/settings_table.ts` puts the slices together.
 *
 * @module
 */
import { UsageError } from "./errors.ts";

/** What the value of a setting may be, and what it is by default. A setting without a default may be absent. */
export type SettingValue =
  | {
    readonly kind: "seconds" | "count" | "bytes";
    /** The value must be greater than this. */
    readonly above?: number;
    readonly least?: number;
    readonly most?: number;
    readonly default?: number;
    /** The default for callers of the library, where it differs from that of the command line. */
    readonly libraryDefault?: number;
  }
  | { readonly kind: "switch"; readonly default: boolean }
  | { readonly kind: "choice"; readonly of: readonly (string | number)[]; readonly default?: string | number }
  /** `must` says in words what `pattern` demands. */
  | { readonly kind: "text"; readonly pattern?: RegExp; readonly must?: string; readonly default?: string }
  /** A string for `sh -c`, or an argv array. */
  | { readonly kind: "command" }
  /** Several argv arrays, at least one. */
  | { readonly kind: "commands"; readonly default: readonly Argv[] };

/** A program with its arguments. */
export type Argv = readonly [string, ...string[]];

/** The flag that sets a setting. That of a switch says what it sets it to, and describes that. */
export type SettingFlag =
  | { readonly name: string; readonly placeholder?: string }
  | { readonly name: string; readonly sets: boolean; readonly description: string };

/** One setting: everything that is said about it, besides the code that uses it. */
export interface Setting<Value = SettingValue> {
  /** Its dotted path in the config file; at most one dot. */
  readonly key: string;
  readonly value: Value;
  /** The environment variable. The loop's own have the seeds' names; others begin with PANEWRIGHT_. */
  readonly env?: string;
  readonly flag?: SettingFlag;
  /** A sentence; the help of the flag shows it as well. Seconds and bytes are named as such. */
  readonly description: string;
  /** What the value may look like, where there is no default to show. */
  readonly example?: unknown;
}

/** A slice of the settings table, by names in code. */
export type SettingSlice<Value = SettingValue> = Readonly<Record<string, Setting<Value>>>;

/** The type of a setting's value. */
export type ValueOf<Value> = Value extends { kind: "seconds" | "count" | "bytes" } ? number
  : Value extends { kind: "switch" } ? boolean
  : Value extends { kind: "choice"; of: readonly (infer Choice)[] } ? Choice
  : Value extends { kind: "text" } ? string
  : Value extends { kind: "command" } ? string | Argv
  : Value extends { kind: "commands" } ? readonly Argv[]
  : Value extends { kind: "shape"; schema: { _zod: { output: infer Output } } } ? Output
  : never;

/** The settings of a slice, by their names in code; one without a default may be absent. */
export type SettingsOf<Slice extends SettingSlice<unknown>> =
  & {
    readonly [Name in keyof Slice as Slice[Name] extends { value: { default: unknown } } ? Name : never]: ValueOf<
      Slice[Name]["value"]
    >;
  }
  & {
    readonly [Name in keyof Slice as Slice[Name] extends { value: { default: unknown } } ? never : Name]?: ValueOf<
      Slice[Name]["value"]
    >;
  };

/** The settings of a slice where nothing else is said, for callers of the library. */
export function defaultsOf<const Slice extends SettingSlice>(slice: Slice): SettingsOf<Slice> {
  const defaults = Object.entries(slice).flatMap(([name, { value }]) => {
    const own = "libraryDefault" in value ? value.libraryDefault : "default" in value ? value.default : undefined;
    return own === undefined ? [] : [[name, own] as const];
  });
  return Object.fromEntries(defaults) as SettingsOf<Slice>;
}

/**
 * Completes settings with the defaults of their slice, and checks them. `undefined` counts as not given.
 *
 * @throws {UsageError} for an unknown name or a value that is out of range
 *
 * @example
 * ```ts
 * import { assertEquals } from "@std/assert";
 * const slice = { waitSeconds: { key: "wait", value: { kind: "seconds", least: 0, default: 3 }, description: "" } } as const;
 * assertEquals(completeSettings(slice, {}), { waitSeconds: 3 });
 * ```
 */
export function completeSettings<const Slice extends SettingSlice>(
  slice: Slice,
  given: { readonly [Name in keyof SettingsOf<Slice>]?: SettingsOf<Slice>[Name] | undefined },
): SettingsOf<Slice> {
  const settings: Record<string, unknown> = { ...defaultsOf(slice) };
  for (const [name, value] of Object.entries(given)) {
    if (value === undefined) continue;
    const setting = Object.hasOwn(slice, name) ? slice[name] : undefined;
    if (setting === undefined) {
      throw new UsageError(`Cannot use the setting "${name}": there is no such setting`, {
        hint: `Settings are: ${Object.keys(slice).join(", ")}.`,
      });
    }
    if (!isValid(setting.value, value)) {
      const shown = typeof value === "string" ? JSON.stringify(value) : String(value);
      throw new UsageError(`Cannot use ${shown} as ${name}: it must be ${describeValue(setting.value)}`);
    }
    settings[name] = value;
  }
  return settings as SettingsOf<Slice>;
}

/**
 * What a value must be, in words that follow "must be".
 *
 * @example
 * ```ts
 * import { assertEquals } from "@std/assert";
 * assertEquals(describeValue({ kind: "seconds", above: 0, most: 3600 }), "a number greater than 0 and at most 3600");
 * assertEquals(describeValue({ kind: "count", least: 1 }), "a whole number of at least 1");
 * assertEquals(describeValue({ kind: "count", least: 0, most: 4 }), "a whole number from 0 to 4");
 * ```
 */
export function describeValue(value: SettingValue): string {
  switch (value.kind) {
    case "seconds":
    case "count":
    case "bytes": {
      const { kind, above, least, most } = value;
      const noun = kind === "seconds" ? "a number" : "a whole number";
      if (least !== undefined && most !== undefined) return `${noun} from ${least} to ${most}`;
      const from = above === undefined ? `of at least ${least}` : `greater than ${above}`;
      return `${noun} ${from}${most === undefined ? "" : ` and at most ${most}`}`;
    }
    case "switch":
      return "true or false";
    case "choice":
      return `one of ${value.of.join(", ")}`;
    case "text":
      return value.must ?? "a string that is not empty";
    case "command":
      return "a string for `sh -c`, or an array of a program and its arguments";
    case "commands":
      return "an array of commands, each an array of strings";
  }
}

function isValid(value: SettingValue, given: unknown): boolean {
  switch (value.kind) {
    case "seconds":
    case "count":
    case "bytes": {
      const { kind, above = -Infinity, least = -Infinity, most = Infinity } = value;
      if (!(kind === "seconds" ? Number.isFinite(given) : Number.isInteger(given))) return false;
      const number = Number(given);
      return number > above && number >= least && number <= most;
    }
    case "switch":
      return typeof given === "boolean";
    case "choice":
      return value.of.some((choice) => choice === given);
    case "text":
      return typeof given === "string" && given !== "" && (value.pattern?.test(given) ?? true);
    case "command":
      return (typeof given === "string" && given !== "") || isArgv(given);
    case "commands":
      return Array.isArray(given) && given.length > 0 && given.every(isArgv);
  }
}

function isArgv(value: unknown): value is Argv {
  return Array.isArray(value) && value.length > 0 && value[0] !== "" && value.every((word) => typeof word === "string");
}
