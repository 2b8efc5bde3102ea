import type { ShellWord, WordPart } from "./syntax.ts";

interface WrapperSpec {
  /** Options without a value, or with the value in the same word. */
  readonly flags?: RegExp;
  /** Options whose value is the next word. */
  readonly valued?: RegExp;
  /** How many words of its own come between the options and the command. */
  readonly operands?: number;
  /** Whether `NAME=value` may stand before the command. */
  readonly assignments?: true;
  /** Whether it adds words to the command. */
  readonly adds?: true;
  /** Whether it also changes who runs the command, or on what. */
  readonly acts?: true;
}

/** From the manuals of GNU coreutils 9.1, findutils 4.9, util-linux 2.38, bash 5.2 and sudo 1.9. */
const WRAPPERS: Readonly<Record<string, WrapperSpec>> = {
  env: {
    flags: /^(?:-|-[i0v]+|-u.+|--(?:ignore-environment|null|debug|unset=.*))$/,
    valued: /^(?:-u|--unset)$/,
    assignments: true,
  },
  nice: { flags: /^(?:-?-\d+|-n-?\d+|--adjustment=.*)$/, valued: /^(?:-n|--adjustment)$/ },
  ionice: { flags: /^(?:-[cn]\d|-t)$/, valued: /^-[cn]$/ },
  nohup: {},
  setsid: { flags: /^(?:-[cfw]+|--(?:ctty|fork|wait))$/ },
  time: { flags: /^-[pvq]+$/, valued: /^-f$/ },
  timeout: {
    flags: /^(?:-v|-[sk].+|--(?:foreground|preserve-status|verbose|signal=.*|kill-after=.*))$/,
    valued: /^(?:-[sk]|--signal|--kill-after)$/,
    operands: 1,
  },
  stdbuf: { flags: /^(?:-[ioe].+|--(?:input|output|error)=.*)$/, valued: /^-[ioe]$/ },
  command: { flags: /^-p$/ },
  builtin: {},
  exec: { flags: /^-[cl]+$/, valued: /^-a$/ },
  busybox: {},
  // zsh
  noglob: {},
  nocorrect: {},
  "-": {},
  repeat: { operands: 1 },
  xargs: {
    flags:
      /^(?:-[0rtpxo]+|-[dEILnPsa].+|-[ile].*|--(?:null|no-run-if-empty|verbose|exit|open-tty|(?:delimiter|arg-file|max-\w+|replace|eof)=.*|replace|eof))$/,
    valued: /^(?:-[dEILnPsa]|--(?:delimiter|arg-file|max-args|max-procs|max-chars|max-lines))$/,
    adds: true,
    acts: true,
  },
  sudo: {
    flags: /^(?:-[EHnSbkAP]+|--(?:preserve-env.*|non-interactive|stdin|background|set-home|user=.*|group=.*))$/,
    valued: /^(?:-[ugUhpCTrt]|--(?:user|group|host|prompt))$/,
    assignments: true,
    acts: true,
  },
  doas: { flags: /^-[nL]+$/, valued: /^-[uC]$/, acts: true },
};

interface Unwrapped {
  /** The words of each command; none if only the wrapper itself acts. */
  readonly inner: readonly (readonly ShellWord[])[];
  readonly adds: boolean;
  readonly acts: boolean;
  /** `NAME=value` for what it runs. */
  readonly assignments: readonly ShellWord[];
  /** Why what it runs is not known. */
  readonly unclear?: string;
}

const NOTHING: Unwrapped = { inner: [], adds: false, acts: false, assignments: [] };

/** Looks through a program such as `env`, `timeout`, `xargs` or `find -exec`; `undefined` for any other program. */
export function unwrap(program: string, words: readonly ShellWord[]): Unwrapped | undefined {
  if (program === "find") return unwrapFind(words);
  const spec = Object.hasOwn(WRAPPERS, program) ? WRAPPERS[program] : undefined;
  if (spec === undefined) return undefined;
  if (program === "command" && /^-[pvV]*[vV]/.test(words[1]?.value ?? "")) return NOTHING;
  const { adds = false, acts = false } = spec;
  const assignments: ShellWord[] = [];
  let index = 1;
  for (let operands = spec.operands ?? 0; index < words.length; index++) {
    const word = words[index] as ShellWord;
    const text = word.value;
    if (text === undefined) {
      if (operands > 0 || (spec.assignments && isAssignment(word))) {
        if (spec.assignments && isAssignment(word)) assignments.push(word);
        else operands--;
        continue;
      }
      // A command that is itself an expansion is handled elsewhere.
      break;
    }
    if (text === "--") {
      index += 1 + operands;
      break;
    }
    if (spec.flags?.test(text)) continue;
    if (spec.valued?.test(text)) index++;
    else if (text.startsWith("-")) return { ...NOTHING, acts, unclear: `the option ${text} of ${program}` };
    else if (spec.assignments && isAssignment(word)) assignments.push(word);
    else if (operands > 0) operands--;
    else break;
  }
  const replaced = adds ? replacedTexts(words.slice(1, index)) : [];
  if (replaced.includes("")) return { ...NOTHING, acts, unclear: `what ${program} replaces` };
  const rest = words.slice(index).map((word) => replaced.reduce(withoutText, word));
  if (adds && (isReplaced(words[index], "{}") || (words[index] !== undefined && rest[0] !== words[index]))) {
    return { ...NOTHING, acts, unclear: `a program that ${program} puts in` };
  }
  return { inner: rest.length === 0 ? [] : [rest], adds, acts, assignments };
}

/** Any text with a `=` in it is an assignment to env, whatever its name is. */
function isAssignment(word: ShellWord): boolean {
  return assignedName(word) !== undefined;
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
  const text = word.parts.slice(0, from === -1 ? word.parts.length : from).map((part) => part.text).join("");
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
  const pieces = (word.value ?? text).split(text).map((piece): WordPart => ({
    type: "literal",
    text: piece,
    quoted: true,
  }));
  const parts = pieces.flatMap((
    piece,
    index,
  ) => [...(index === 0 ? [] : [put]), ...(piece.text === "" ? [] : [piece])]);
  return { ...word, value: undefined, parts, expansions: [...new Set([...word.expansions, "variable" as const])] };
}

function isReplaced(word: ShellWord | undefined, text: string): boolean {
  return word?.value?.includes(text) === true;
}

const FIND_RUNS = /^-(?:exec|execdir|ok|okdir)$/;

function unwrapFind(words: readonly ShellWord[]): Unwrapped {
  const inner: ShellWord[][] = [];
  for (let index = 1; index < words.length; index++) {
    if (!FIND_RUNS.test(words[index]?.value ?? "")) continue;
    const from = index + 1;
    while (index < words.length && !/^[;+]$/.test(words[index]?.value ?? "")) index++;
    if (isReplaced(words[from], "{}")) return { ...NOTHING, acts: true, unclear: "a program that find puts in" };
    if (index > from) inner.push(words.slice(from, index));
  }
  return { ...NOTHING, inner, adds: inner.length > 0, acts: true };
}
