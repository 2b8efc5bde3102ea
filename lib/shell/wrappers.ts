import { namesIn } from "./name_list.ts";
import DATA from "./programs.json" with { type: "json" };
import type { ShellWord, WordPart } from "./syntax.ts";
import { wordText } from "./word_text.ts";

interface WrapperRow {
  /** Options without a value, or with the value in the same word. */
  readonly flags?: string;
  readonly valued?: string;
  /** How many words of its own come between the options and the command. */
  readonly operands?: number;
  /** Whether `NAME=value` may stand before the command. */
  readonly assignments?: boolean;
  readonly adds?: boolean;
  /** Whether it also changes who runs the command, or on what. */
  readonly acts?: boolean;
}

const NEVER = "(?!)";

/** From the manuals of GNU coreutils 9.1, findutils 4.9, util-linux 2.38, bash 5.2, zsh 5.9 and sudo 1.9. */
const WRAPPERS = new Map(
  Object.entries<WrapperRow>(DATA.wrappers).flatMap(([names, { flags = NEVER, valued = NEVER, ...row }]) => {
    const spec = { ...row, flags: new RegExp(flags), valued: new RegExp(valued) };
    return namesIn(names).map((name) => [name, spec] as const);
  }),
);

interface Unwrapped {
  readonly inner: readonly (readonly ShellWord[])[];
  readonly adds: boolean;
  readonly acts: boolean;
  /** `NAME=value` for what it runs. */
  readonly assignments: readonly ShellWord[];
  readonly unclear?: string;
}

const NOTHING: Unwrapped = { inner: [], adds: false, acts: false, assignments: [] };

/** Looks through a program such as `env`, `timeout`, `xargs` or `find -exec`; `undefined` for any other program. */
export function unwrap(program: string, words: readonly ShellWord[]): Unwrapped | undefined {
  if (program === "find") return unwrapFind(words);
  const spec = WRAPPERS.get(program);
  if (spec === undefined) return undefined;
  if (program === "command" && /^-[pvV]*[vV]/.test(words[1]?.value ?? "")) return NOTHING;
  const { adds = false, acts = false } = spec;
  const assignments: ShellWord[] = [];
  let index = 1;
  for (let operands = spec.operands ?? 0; index < words.length; index++) {
    const word = words[index] as ShellWord;
    const text = word.value;
    if (text === "--") {
      index += 1 + operands;
      break;
    }
    if (text !== undefined && spec.flags.test(text)) continue;
    if (text !== undefined && spec.valued.test(text)) index++;
    else if (text?.startsWith("-")) return { ...NOTHING, acts, unclear: `the option ${text} of ${program}` };
    // Any text with a `=` in it is an assignment to env, whatever its name is.
    else if (spec.assignments && assignedName(word) !== undefined) assignments.push(word);
    else if (operands > 0) operands--;
    // A command that is itself an expansion is handled elsewhere.
    else break;
  }
  const replaced = adds ? replacedTexts(words.slice(1, index)) : [];
  if (replaced.includes("")) return { ...NOTHING, acts, unclear: `what ${program} replaces` };
  const rest = words.slice(index).map((word) => replaced.reduce(withoutText, word));
  if (adds && (isFilled(words[index]) || (words[index] !== undefined && rest[0] !== words[index]))) {
    return { ...NOTHING, acts, unclear: `a program that ${program} puts in` };
  }
  return { inner: rest.length === 0 ? [] : [rest], adds, acts, assignments };
}

/**
 * The name in a word of the form `NAME=value`, however it is quoted; `undefined` for any other word.
 *
 * @example
 * ```ts
 * import { assertEquals } from "@std/assert";
 * import { parseShellCommand } from "./parse.ts";
 * const { words } = parseShellCommand(`env 'PA'TH=x "A=$b" BASH_FUNC_ls%%=y npm $x=1`).commands[0]!;
 * assertEquals(words.map(assignedName), [undefined, "PATH", "A", "BASH_FUNC_ls%%", undefined, undefined]);
 * ```
 */
export function assignedName(word: ShellWord): string | undefined {
  const from = word.parts.findIndex(({ type }) => type !== "literal");
  const text = wordText({ parts: from === -1 ? word.parts : word.parts.slice(0, from) });
  const equals = text.indexOf("=");
  return equals === -1 ? undefined : text.slice(0, equals);
}

/** The texts that `xargs` replaces, wherever they stand, by what it reads. */
function replacedTexts(options: readonly ShellWord[]): readonly string[] {
  return options.flatMap(({ value = "" }, index) => {
    const [, attached] = /^(?:-[Ii]|--replace=?)([^]*)$/.exec(value) ?? [];
    if (attached === undefined) return [];
    // What a variable names may be any text, also an empty one.
    return value === "-I" ? [options[index + 1]?.value ?? ""] : [attached === "" ? "{}" : attached];
  });
}

/** A word of which nothing is known where the text stands. */
function withoutText(word: ShellWord, text: string): ShellWord {
  if (!(word.value ?? word.source).includes(text)) return word;
  const put: WordPart = { type: "variable", text, quoted: true };
  const parts = (word.value ?? text).split(text).flatMap((piece, index): readonly WordPart[] => {
    const known = piece === "" ? [] : [{ type: "literal", text: piece, quoted: true } as const];
    return index === 0 ? known : [put, ...known];
  });
  return { ...word, value: undefined, parts, expansions: [...new Set([...word.expansions, "variable" as const])] };
}

function isFilled(word: ShellWord | undefined): boolean {
  return word?.value?.includes("{}") === true;
}

const FIND_RUNS = /^-(?:exec|execdir|ok|okdir)$/;

function unwrapFind(words: readonly ShellWord[]): Unwrapped {
  const inner: ShellWord[][] = [];
  for (let index = 1; index < words.length; index++) {
    if (!FIND_RUNS.test(words[index]?.value ?? "")) continue;
    const from = index + 1;
    while (index < words.length && !/^[;+]$/.test(words[index]?.value ?? "")) index++;
    if (isFilled(words[from])) return { ...NOTHING, acts: true, unclear: "a program that find puts in" };
    if (index > from) inner.push(words.slice(from, index));
  }
  return { ...NOTHING, inner, adds: inner.length > 0, acts: true };
}
