import { parseArgs } from "@std/cli/parse-args";
import { didYouMean } from "../../base/text/suggest.ts";
import { UsageError } from "../../base/errors.ts";
import { COLOR_CHOICES } from "./color.ts";
import type { ArgumentSpec, FlagSpec } from "./command.ts";

export const GLOBAL_FLAGS = [
  { name: "json", type: "switch", description: "results and events as JSON on stdout, one object per line" },
  { name: "quiet", short: "q", type: "switch", description: "only the result, no progress" },
  {
    name: "verbose",
    short: "v",
    type: "switch",
    description: "more detail: every status change, the causes of errors",
  },
  {
    name: "color",
    type: "choice",
    choices: COLOR_CHOICES,
    placeholder: "WHEN",
    description: "colours: auto (in a terminal), always or never; the variables NO_COLOR and FORCE_COLOR set it, too",
  },
  { name: "no-color", type: "switch", description: "the same as --color never" },
  { name: "help", short: "h", type: "switch", description: "show help and exit" },
  { name: "version", short: "V", type: "switch", description: "show the version and exit" },
] as const satisfies readonly FlagSpec[];

/** Where the command's name stands, after flags that every command accepts; -1 where there is none. */
export function commandIndex(argv: readonly string[]): number {
  let index = 0;
  // A single one is standard input.
  while (argv[index]?.startsWith("-") && argv[index] !== "-") {
    const takesValue = GLOBAL_FLAGS.some(({ name, type }) => type !== "switch" && argv[index] === `--${name}`);
    index += takesValue ? 2 : 1;
  }
  return index < argv.length ? index : -1;
}

type RawFlagValue = string | number | boolean | readonly (string | number)[];

interface ParsedFlags {
  readonly values: Readonly<Record<string, RawFlagValue>>;
  readonly positionals: readonly string[];
}

export function parseFlags(args: readonly string[], specs: readonly FlagSpec[]): ParsedFlags {
  const switches = specs.filter((spec) => spec.type === "switch");
  const valued = specs.filter((spec) => spec.type !== "switch");
  const parsed = parseArgs(joinNumbers(args, valued), {
    boolean: switches.map((spec) => spec.name),
    string: ["_", ...valued.map((spec) => spec.name)],
    collect: valued.map((spec) => spec.name),
    alias: Object.fromEntries(specs.flatMap((spec) => spec.short === undefined ? [] : [[spec.name, spec.short]])),
    "--": true,
    unknown: (arg, key) => key === undefined ? true : refuseFlag(arg, specs),
  });
  refuseSwitchValues(args, switches);

  const values: Record<string, RawFlagValue> = {};
  for (const spec of switches) {
    if (parsed[spec.name] === true) values[spec.name] = true;
  }
  for (const spec of valued) {
    const given = parsed[spec.name];
    if (!Array.isArray(given) || given.length === 0) continue;
    const converted = given.map((value) => convert(spec, String(value)));
    if (converted.length > 1 && spec.repeatable !== true) {
      throw new UsageError(`Cannot use --${spec.name} ${given.length} times: it takes one value`);
    }
    values[spec.name] = spec.repeatable === true ? converted : converted[0]!;
  }
  return { values, positionals: [...parsed._.map(String), ...(parsed["--"] ?? [])] };
}

export function checkPositionals(
  positionals: readonly string[],
  specs: readonly ArgumentSpec[],
  options: { readonly command: string },
): void {
  const hint = `"panewright help ${options.command}" shows the usage.`;
  const missing = specs.filter((spec) => spec.required === true)[positionals.length];
  if (missing !== undefined) {
    throw new UsageError(`Cannot run "${options.command}": the argument ${missing.name} is missing`, { hint });
  }
  for (const [index, positional] of positionals.entries()) {
    const spec = specs[index] ?? (specs.at(-1)?.rest === true ? specs.at(-1) : undefined);
    if (positional.length > 0 || spec === undefined || spec.text === true) continue;
    throw new UsageError(`Cannot use the argument ${spec.name}: it is empty`, {
      hint: "A variable of your shell that is not set leaves an argument empty.",
    });
  }
  const surplus = positionals[specs.length];
  if (surplus === undefined || specs.at(-1)?.rest === true) return;
  const takes = specs.length === 0
    ? "no arguments"
    : `at most ${specs.length}: ${specs.map(({ name }) => name).join(", ")}`;
  throw new UsageError(`Cannot use the argument "${surplus}": "${options.command}" takes ${takes}`, { hint });
}

/** A negative number after a flag is its value: no flag begins with a digit. */
function joinNumbers(args: readonly string[], valued: readonly FlagSpec[]): string[] {
  const end = args.indexOf("--");
  const joined: string[] = [];
  for (const arg of end === -1 ? args : args.slice(0, end)) {
    const takesIt = /^-\.?\d/.test(arg) && valued.some(({ name }) => joined.at(-1) === `--${name}`);
    joined.push(takesIt ? `${joined.pop()}=${arg}` : arg);
  }
  return end === -1 ? joined : [...joined, ...args.slice(end)];
}

/** What other tools call them. */
const FLAG_GUESSES: Readonly<Record<string, string>> = {
  ...{ agent: "provider", cli: "provider", dir: "wd", cwd: "wd", directory: "wd", background: "detach", d: "detach" },
  ...{ yes: "trust", y: "trust", isolated: "workspace", worktree: "workspace", jobs: "parallel", test: "check" },
};

function refuseFlag(arg: string, specs: readonly FlagSpec[]): never {
  const [name = ""] = arg.split("=", 1);
  const valued = specs.find((spec) => spec.type !== "switch" && `--${spec.name}` === name);
  if (valued !== undefined) throw missingValue(valued);
  const names = specs.map((spec) => `--${spec.name}`);
  const guess = `--${FLAG_GUESSES[name.replace(/^-+/, "")] ?? ""}`;
  const meant = names.includes(guess) ? `; here it is ${guess}` : didYouMean(name, names);
  throw new UsageError(`Cannot use ${name}: no such flag${meant}`, {
    hint: /^-\.?\d/.test(name)
      ? 'Write "--" before an argument that begins with "-".'
      : `Flags here: ${names.join(", ")}.`,
  });
}

/** Otherwise `--json=no` would count as `--json`. */
function refuseSwitchValues(args: readonly string[], switches: readonly FlagSpec[]): void {
  for (const arg of args) {
    if (arg === "--") return;
    const spec = switches.find(({ name }) => arg.startsWith(`--${name}=`));
    if (spec !== undefined) throw new UsageError(`Cannot use ${arg}: --${spec.name} takes no value`);
  }
}

function convert(spec: FlagSpec, text: string): string | number {
  if (text.length === 0) throw missingValue(spec);
  switch (spec.type) {
    case "integer":
      if (!/^\d{1,15}$/.test(text)) throw wrongValue(spec, text, "a whole number");
      return Number(text);
    case "number":
      if (!/^\d{1,15}(\.\d{1,15})?$/.test(text)) throw wrongValue(spec, text, "a number, such as 2 or 0.5");
      return Number(text);
    case "choice": {
      const choices = spec.choices ?? [];
      if (choices.includes(text)) return text;
      throw wrongValue(spec, text, `one of ${choices.join(", ")}`, didYouMean(text, choices));
    }
    case "string":
    case "switch":
      return text;
  }
}

function missingValue(spec: FlagSpec): UsageError {
  return new UsageError(`Cannot use --${spec.name} without a value`, {
    hint: `Write --${spec.name} ${valueName(spec)}, or --${spec.name}=${valueName(spec)} if the value begins with "-".`,
  });
}

function wrongValue(spec: FlagSpec, text: string, expected: string, suggestion = ""): UsageError {
  return new UsageError(`Cannot use --${spec.name} "${text}": it must be ${expected}${suggestion}`);
}

/** The name of a flag's value in help and errors: its placeholder, or its choices. */
export function valueName(spec: FlagSpec): string {
  return spec.placeholder ?? spec.choices?.join("|") ?? "VALUE";
}
