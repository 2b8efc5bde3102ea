import type { ArgumentSpec, Command, Completed, FlagSpec } from "../console/command.ts";
import { GLOBAL_FLAGS } from "../console/parse.ts";

type Wanted =
  | { readonly type: "flags"; readonly flags: readonly FlagSpec[] }
  | { readonly type: "choices"; readonly choices: readonly string[] }
  | { readonly type: "existing"; readonly kinds: readonly Completed[] };

export interface TypedLine {
  readonly wanted: Wanted;
  /** The values that flags have so far, by their long names; the last one of each. */
  readonly values: Readonly<Record<string, string>>;
  readonly positionals: readonly string[];
}

export function wantedAt(words: readonly string[], command: Partial<Pick<Command, "flags" | "arguments">>): TypedLine {
  const flags = [...(command.flags ?? []), ...GLOBAL_FLAGS];
  const [current = "", ...before] = words.toReversed();
  const values: Record<string, string> = {};
  const positionals: string[] = [];
  let awaiting: FlagSpec | undefined;
  let flagsEnded = false;
  for (const word of before.toReversed()) {
    const flag = flagsEnded ? undefined : flagOf(word, flags);
    if (awaiting !== undefined) {
      values[awaiting.name] = word;
      awaiting = undefined;
    } else if (flag !== undefined && flag.value === undefined) {
      awaiting = flag.spec.type === "switch" ? undefined : flag.spec;
    } else if (flag?.value !== undefined) values[flag.spec.name] = flag.value;
    else if (!flagsEnded && word === "--") flagsEnded = true;
    else if (flagsEnded || !word.startsWith("-")) positionals.push(word);
  }
  const inCurrent = flagsEnded ? undefined : flagOf(current, flags);
  const valued = awaiting ?? (inCurrent?.value === undefined ? undefined : inCurrent.spec);
  const typed = { values, positionals };
  if (valued !== undefined) return { ...typed, wanted: wantedOf(valued, valued.placeholder) };
  if (!flagsEnded && current.startsWith("-")) return { ...typed, wanted: { type: "flags", flags } };
  const taken = command.arguments ?? [];
  const argument = taken[positionals.length] ?? (taken.at(-1)?.rest === true ? taken.at(-1) : undefined);
  return { ...typed, wanted: argument === undefined ? NOTHING : wantedOf(argument, argument.name) };
}

const NOTHING: Wanted = { type: "existing", kinds: [] };

/** The words of a line as a program would get them: bash makes three of `--flag=value`, and two of `@1`. */
export function joinWords(words: readonly string[]): readonly string[] {
  const result: string[] = [];
  for (const [index, word] of words.entries()) {
    const before = result.at(-1);
    if (before === "@") result[result.length - 1] = before + word;
    else if (word !== "=" || before?.startsWith("--") !== true) result.push(word);
    else if (index === words.length - 1) result.push("");
  }
  return result;
}

function flagOf(
  word: string,
  flags: readonly FlagSpec[],
): { readonly spec: FlagSpec; readonly value: string | undefined } | undefined {
  const [, name, value] = /^--([^=]+)(?:=(.*))?$/s.exec(word) ?? [];
  const spec = flags.find((flag) => flag.name === name || (flag.short !== undefined && `-${flag.short}` === word));
  return spec === undefined ? undefined : { spec, value };
}

function wantedOf({ choices, completes }: FlagSpec | ArgumentSpec, name = ""): Wanted {
  if (choices !== undefined) return { type: "choices", choices };
  if (completes !== undefined) return { type: "existing", kinds: completes };
  // A word in lower case stands for itself.
  if (/^[a-z]+$/.test(name)) return { type: "choices", choices: [name] };
  return { type: "existing", kinds: KINDS_BY_NAME[name] ?? [] };
}

const KINDS_BY_NAME: Readonly<Record<string, readonly Completed[]>> = {
  FILE: ["files"],
  CONFIG: ["files"],
  TASK: ["files"],
  DIR: ["folders"],
  RUN: ["runs"],
  ROLE: ["roles"],
};
