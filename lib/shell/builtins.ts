import DATA from "./builtins.json" with { type: "json" };
import { conditionEffects } from "./conditions.ts";
import { namesIn } from "./name_list.ts";
import type { ShellVariable, ShellWord } from "./syntax.ts";
import { wordText } from "./word_text.ts";

export interface BuiltinEffects {
  readonly sets: readonly ShellVariable[];
  readonly arithmetic: readonly string[];
  readonly unclear?: string;
}

const NOTHING: BuiltinEffects = { sets: [], arithmetic: [] };

/**
 * What a command of the shell itself does to the shell: what it sets, and what it evaluates out of its words. Only
 * what is known to be harmless has no `unclear`.
 *
 * @returns `undefined` for a program that the shell does not bring
 *
 * @example
 * ```ts
 * import { assertEquals } from "@std/assert";
 * import { parseShellCommand } from "./parse.ts";
 * const effects = (text: string) => builtinEffects(parseShellCommand(text).commands[0]!.words);
 * assertEquals(effects("set -e"), { sets: [], arithmetic: [] });
 * assertEquals(effects("read -r PATH")?.sets, [{ name: "PATH", values: undefined }]);
 * assertEquals(effects("printf -v 'a[$(evil)]' x")?.unclear, "a variable that printf sets");
 * assertEquals(effects("npm test"), undefined);
 * ```
 */
export function builtinEffects(words: readonly ShellWord[]): BuiltinEffects | undefined {
  const program = words[0]?.value?.slice(words[0].value.lastIndexOf("/") + 1) ?? "";
  return BUILTINS.get(program)?.(words.slice(1), program);
}

type Effects = (operands: readonly ShellWord[], program: string) => BuiltinEffects;

/** A row of `builtins.json`: the commands, the rule for them, and what the rule varies in. */
interface Row {
  readonly names: string;
  readonly rule: string;
  /** The words that are harmless; for `unset`, the variables whose being unset is the default. */
  readonly words?: string;
  readonly otherwise?: string;
  readonly flags?: string;
  readonly valued?: string;
  readonly unnamed?: string;
  readonly only?: number;
}

const unclear = (message: string): BuiltinEffects => ({ ...NOTHING, unclear: message });

const evaluated = (words: readonly ShellWord[]): BuiltinEffects => ({ ...NOTHING, arithmetic: words.map(wordText) });

/** The name of a variable: without a subscript, which may run commands. */
const NAME = /^[A-Za-z_]\w*$/;

/** Sets the variables that it names after its options; the values of the options are plain. */
function setsNames({ flags = "", valued = "", unnamed = "" }: Row): Effects {
  const [withoutValue, withValue] = [new RegExp(flags), new RegExp(valued)];
  return (operands, program) => {
    const arithmetic: string[] = [];
    let index = 0;
    for (; /^-./.test(operands[index]?.value ?? ""); index++) {
      const text = operands[index]?.value as string;
      if (withValue.test(text)) {
        index++;
        // zsh counts.
        const value = operands[index];
        if (/[^pd]$/.test(text) && value !== undefined) arithmetic.push(wordText(value));
      } else if (text === "--") {
        index++;
        break;
      } else if (!withoutValue.test(text)) return unclear(`the option ${text} of ${program}`);
    }
    if (operands.slice(0, index).some(({ value }) => value?.includes("[") ?? true)) {
      return unclear(`an option of ${program}`);
    }
    const names = operands.slice(index).map(({ value = "" }) => value);
    if (!names.every((name) => NAME.test(name))) return unclear(`a variable that ${program} sets`);
    return { sets: (names.length > 0 ? names : [unnamed]).map((name) => ({ name, values: undefined })), arithmetic };
  };
}

/** `export`, `declare` and the like. Integers, references and functions change what other commands mean. */
const declares: Effects = (operands, program) => {
  const options = operands.filter(({ value }) => /^[-+]/.test(value ?? ""));
  // With nothing but options they show what is set, also where it is a secret.
  if (options.length === operands.length || options.some(({ value }) => value?.includes("p"))) {
    return unclear(`what ${program} shows, all variables with their values`);
  }
  const sets: ShellVariable[] = [];
  for (const word of operands) {
    const [first] = word.parts;
    const text = first?.type === "literal" ? first.text : "";
    if (word.value !== undefined && /^[-+]./.test(word.value)) {
      if (!/^-[xrgpAa]+$|^--$/.test(word.value)) return unclear(`the option ${word.value} of ${program}`);
      continue;
    }
    if (word.value !== undefined && NAME.test(word.value)) continue;
    const name = /^([A-Za-z_]\w*)\+?=/.exec(text);
    if (name === null) return unclear(`a variable that ${program} sets`);
    const parts = [{ ...first!, text: text.slice(name[0].length) }, ...word.parts.slice(1)];
    // Bash reads a quoted "(…)" as the words of an array, and expands them.
    if (wordText({ parts }).trimStart().startsWith("(")) {
      return unclear(`an array that ${program} reads`);
    }
    sets.push({ name: name[1] as string, values: [parts] });
  }
  return { ...NOTHING, sets };
};

const condition: Effects = (operands, program) => {
  const closed = program === "test" || operands.at(-1)?.value === "]";
  if (!closed) return unclear("a [ without ]");
  return { sets: [], ...conditionEffects(program === "test" ? operands : operands.slice(0, -1), { double: false }) };
};

const CONVERSION = /%(?:%|\([^)]*\)T|[-+ #0']*(\*|\d*)(?:\.(\*|\d*))?[hlLjzt]*([a-zA-Z]))/g;

const printf: Effects = (operands) => {
  const [format, ...rest] = operands[0]?.value === "--" ? operands.slice(1) : operands;
  const text = format === undefined ? "" : wordText(format);
  const literal = format?.parts.some((part) => part.type === "literal" && /[^\w[\]]/.test(part.text));
  if (/^-/.test(text) || (format?.value === undefined && !literal)) return unclear("a variable that printf sets");
  const kinds = [...text.matchAll(CONVERSION)].flatMap(([, width, precision, kind]) => {
    const stars = [width, precision].filter((one) => one === "*").map(() => "d");
    return kind === undefined ? stars : [...stars, kind];
  });
  // zsh evaluates what it prints as a number.
  const known = format?.value !== undefined && rest.every(({ expansions }) => expansions.length === 0);
  const anyNumber = kinds.some((one) => /[^bcqsQ]/.test(one));
  const numeric = rest.filter((word, index) => {
    const kind = kinds[index % Math.max(1, kinds.length)] ?? "s";
    return known ? /[^bcqsQ]/.test(kind) : anyNumber && wordText(word).includes("[");
  });
  const unquoted = format?.value === undefined && rest.some((word) => wordText(word).includes("["));
  if (unquoted) return unclear("a format of printf that is not known");
  const variables = format?.value === undefined || kinds.every((kind) => /[bcqsQ]/.test(kind)) ? [] : rest;
  return evaluated([...numeric, ...variables.filter(({ value }) => value === undefined)]);
};

const set = (harmless: RegExp): Effects => (operands) => {
  if (operands.length === 0) return unclear("what set shows, all variables with their values");
  for (const [index, { value = "?" }] of operands.entries()) {
    if (value === "--" || value === "-") break;
    if (value === "pipefail" && /^[-+]\w*o$/.test(operands[index - 1]?.value ?? "")) continue;
    if (!harmless.test(value)) return unclear(`set ${value}`);
  }
  return NOTHING;
};

const getopts: Effects = ([options, variable, ...more]) => {
  const name = variable?.value ?? "";
  const plain = /^[\w@%+=:,./-]*$/.test(options?.value ?? "[") && NAME.test(name) && more.length === 0;
  if (!plain) return unclear("a variable that getopts sets");
  return { ...NOTHING, sets: [name, "OPTARG"].map((one) => ({ name: one, values: undefined })) };
};

/** A shell without PATH looks for programs in the folder that it is in. */
const unset = (harmless: RegExp): Effects => (operands) => {
  const names = operands.map(({ value = "" }) => value).filter((value) => value !== "-v");
  if (!names.every((name) => NAME.test(name))) return unclear("a variable that unset removes");
  return { ...NOTHING, sets: names.filter((name) => !harmless.test(name)).map((name) => ({ name, values: [[]] })) };
};

const print: Effects = (operands) =>
  operands.every(({ value, parts }) =>
      !/^-/.test(value ?? parts[0]?.text ?? "-") || /^-(?:[rln]+|-)?$/.test(value ?? "P")
    )
    ? NOTHING
    : unclear("an option of print");

/** The rules of a name that `builtins.json` uses; where there is none, what the command does is not known. */
const RULES: Readonly<Record<string, (row: Row, words: RegExp) => Effects>> = {
  harmless: () => () => NOTHING,
  only: ({ otherwise = "" }, words) => (operands) =>
    operands.every(({ value }) => value !== undefined && words.test(value)) ? NOTHING : unclear(otherwise),
  evaluates: ({ only }) => (operands) => evaluated(operands.slice(0, only)),
  waits: (_, words) => (operands) =>
    operands.every(({ source }) => words.test(source))
      ? evaluated(operands.filter(({ value }) => value === undefined))
      : unclear("a variable that wait sets"),
  sets: setsNames,
  set: (_, words) => set(words),
  unset: (_, words) => unset(words),
  declares: () => declares,
  condition: () => condition,
  getopts: () => getopts,
  printf: () => printf,
  print: () => print,
};

const BUILTINS = new Map(
  DATA.flatMap((row: Row) => {
    const rule = Object.hasOwn(RULES, row.rule) ? RULES[row.rule] : undefined;
    const effects: Effects = rule?.(row, new RegExp(row.words ?? "")) ??
      ((_, program) => unclear(`a change of what other commands mean (${program})`));
    return namesIn(row.names).map((name) => [name, effects] as const);
  }),
);
