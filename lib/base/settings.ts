/**
 * What a setting is, as plain data. A slice of the settings table is an object of settings, each under its name in
 * code; `lib/config/settings_table.ts` puts the slices together.
 *
 * @module
 */
import { UsageError } from "./errors.ts";

/** A program with its arguments. */
export type Argv = readonly [string, ...string[]];

/**
 * A number: whole unless it is of seconds, or an amount, as of money. `libraryDefault` is the default of the library, where
 * it differs.
 */
interface NumberValue {
  readonly kind: "seconds" | "count" | "bytes" | "amount";
  readonly above?: number;
  readonly least?: number;
  readonly most?: number;
  readonly default?: number;
  readonly libraryDefault?: number;
}

/** What the value of a setting may be, and what it is by default. A setting without a default may be absent. */
export type SettingValue =
  | NumberValue
  | {
    readonly kind: "switch";
    readonly default: boolean;
    /** That of the library, where it differs. */
    readonly libraryDefault?: boolean;
    /** Whether a variable switches it on by `1` and by no word (seed 003). */
    readonly onlyBy1?: true;
  }
  /** `isOpen`: a configuration may add more of them. */
  | {
    readonly kind: "choice";
    readonly of: readonly (string | number)[];
    readonly default?: string | number;
    readonly isOpen?: true;
  }
  /** `must` says in words what `pattern` demands. */
  | { readonly kind: "text"; readonly pattern?: RegExp; readonly must?: string; readonly default?: string }
  /** A string for `sh -c`, or an argv array. */
  | { readonly kind: "command" }
  /** Several argv arrays, at least one. */
  | { readonly kind: "commands"; readonly default: readonly Argv[] };

/** One setting: everything that is said about it, besides the code that uses it. */
export interface Setting<Value = SettingValue> {
  /**
   * Its path in the config file (at most one dot), its environment variable (PANEWRIGHT_ before a name without it works
   * as well), and its flag with what the flag takes. The flag of a switch sets the opposite of the default.
   */
  readonly names: { readonly key: string; readonly env?: string; readonly flag?: `--${string}` };
  readonly value: Value;
  /** A sentence; help shows it for the flag as well. Seconds and bytes are named as such. */
  readonly description: string;
  /** What help says instead: what the flag of a switch does. */
  readonly flagDescription?: string;
  /** What the value may look like, where there is no default to show. */
  readonly example?: unknown;
  /** What a config that is written to start from sets it to. */
  readonly written?: unknown;
}

/** A slice of the settings table, by names in code. */
export type SettingSlice<Value = SettingValue> = Readonly<Record<string, Setting<Value>>>;

/** The type of a setting's value. */
export type ValueOf<Value> = Value extends { kind: NumberValue["kind"] } ? number
  : Value extends { kind: "switch" } ? boolean
  : Value extends { kind: "choice"; of: readonly (infer Choice)[] } ? Choice
  : Value extends { kind: "text" } ? string
  : Value extends { kind: "command" } ? string | Argv
  : Value extends { kind: "commands" } ? readonly Argv[]
  : Value extends { kind: "shape"; schema: () => { _zod: { output: infer Output } } } ? Output
  : never;

type Defaulted<Slice extends SettingSlice<unknown>> = {
  [Name in keyof Slice]: Slice[Name]["value"] extends { default: unknown } ? Name : never;
}[keyof Slice];

/** The settings of a slice, by their names in code; one without a default may be absent. */
export type SettingsOf<Slice extends SettingSlice<unknown>> =
  & { readonly [Name in Defaulted<Slice>]: ValueOf<Slice[Name]["value"]> }
  & { readonly [Name in Exclude<keyof Slice, Defaulted<Slice>>]?: ValueOf<Slice[Name]["value"]> };

/** The settings of a slice where nothing else is said, for callers of the library. */
export function defaultsOf<const Slice extends SettingSlice>(slice: Slice): SettingsOf<Slice> {
  const defaults = Object.entries(slice).flatMap(([name, { value }]) => {
    if ("libraryDefault" in value) return [[name, value.libraryDefault]];
    return "default" in value ? [[name, value.default]] : [];
  });
  return Object.fromEntries(defaults);
}

/**
 * Completes settings with the defaults of their slice, and checks them. `undefined` counts as not given.
 *
 * @throws {UsageError} for an unknown name or a value that is out of range
 */
export function completeSettings<const Slice extends SettingSlice>(
  slice: Slice,
  given: { readonly [Name in keyof SettingsOf<Slice>]?: SettingsOf<Slice>[Name] | undefined },
): SettingsOf<Slice> {
  const entries = Object.entries(given).filter(([, value]) => value !== undefined);
  for (const [name, value] of entries) {
    const setting = Object.hasOwn(slice, name) ? slice[name] : undefined;
    if (setting === undefined) {
      throw new UsageError(`Cannot use the setting "${name}": there is no such setting`, {
        hint: `Settings are: ${Object.keys(slice).join(", ")}.`,
      });
    }
    const { must, holds } = ruleOf(setting.value);
    if (holds(value)) continue;
    const shown = typeof value === "string" ? JSON.stringify(value) : String(value);
    throw new UsageError(`Cannot use ${shown} as ${name}: it must be ${must}`);
  }
  return { ...defaultsOf(slice), ...Object.fromEntries(entries) };
}

/** What a value must be, in words that follow "must be". */
export function describeValue(value: SettingValue): string {
  return ruleOf(value).must;
}

function ruleOf(value: SettingValue): { readonly must: string; readonly holds: (given: unknown) => boolean } {
  switch (value.kind) {
    case "seconds":
    case "count":
    case "bytes":
    case "amount":
      return rangeOf(value);
    case "switch":
      return { must: "true or false", holds: (given) => typeof given === "boolean" };
    case "choice":
      return { must: `one of ${value.of.join(", ")}`, holds: (given) => value.of.some((choice) => choice === given) };
    case "text": {
      const { must = "a string that is not empty", pattern = /./s } = value;
      return { must, holds: (given) => typeof given === "string" && pattern.test(given) };
    }
    case "command":
      return {
        must: "a string for `sh -c`, or an array of a program and its arguments",
        holds: (given) => typeof given === "string" ? given !== "" : isArgv(given),
      };
    case "commands":
      return {
        must: "an array of commands, each an array of strings",
        holds: (given) => Array.isArray(given) && given.length > 0 && given.every(isArgv),
      };
  }
}

function rangeOf({ kind, above = -Infinity, least = -Infinity, most = Infinity }: NumberValue) {
  const isFraction = kind === "seconds" || kind === "amount";
  const noun = isFraction ? "a number" : "a whole number";
  const from = above === -Infinity ? `of at least ${least}` : `greater than ${above}`;
  const range = most === Infinity
    ? from
    : above === -Infinity
    ? `from ${least} to ${most}`
    : `${from} and at most ${most}`;
  const isNumber = isFraction ? Number.isFinite : Number.isInteger;
  return {
    must: `${noun} ${range}`,
    holds: (given: unknown) =>
      isNumber(given) && Number(given) > above && Number(given) >= least && Number(given) <= most,
  };
}

function isArgv(value: unknown): value is Argv {
  return Array.isArray(value) && value.length > 0 && value[0] !== "" && value.every((word) => typeof word === "string");
}
