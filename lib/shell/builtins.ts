import { conditionEffects } from "./conditions.ts";
import type { ShellVariable, ShellWord } from "./syntax.ts";
import { wordText } from "./word_text.ts";
import { present } from "../base/schema.ts";

/** What a command of the shell itself does to the shell. */
export interface BuiltinEffects {
  /** Variables that it sets. */
  readonly sets: readonly ShellVariable[];
  /** Expressions that it evaluates, in bash or in zsh. */
  readonly arithmetic: readonly string[];
  /** Why it is not known what it does. */
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
  return Object.hasOwn(BUILTINS, program) ? BUILTINS[program]?.(words.slice(1), program) : undefined;
}

type Effects = (operands: readonly ShellWord[], program: string) => BuiltinEffects;

const harmless: Effects = () => NOTHING;

const unclear = (message: string): BuiltinEffects => ({ ...NOTHING, unclear: message });

const evaluates: Effects = (operands) => ({ ...NOTHING, arithmetic: operands.map(wordText) });

const changesMeaning: Effects = (_, program) => unclear(`a change of what other commands mean (${program})`);

/** Known words of which none can hold a subscript, an expansion or a flag of a pattern. */
const PLAIN = /^[\w@%+=:,./-]*$/;
const NAME = /^[A-Za-z_]\w*$/;

const isPlain = ({ value }: ShellWord) => value !== undefined && PLAIN.test(value);

/** Sets the variables that it names after its options; the values of the options are plain. */
function setsNames(
  options: { readonly flags: RegExp; readonly valued: RegExp; readonly otherwise?: string; readonly only?: number },
): Effects {
  return (operands, program) => {
    const arithmetic: string[] = [];
    let index = 0;
    for (; /^-./.test(operands[index]?.value ?? ""); index++) {
      const text = operands[index]?.value as string;
      if (options.valued.test(text)) {
        index++;
        // zsh counts.
        const value = operands[index];
        if (/[^pd]$/.test(text) && value !== undefined) arithmetic.push(wordText(value));
      } else if (text === "--") {
        index++;
        break;
      } else if (!options.flags.test(text)) return unclear(`the option ${text} of ${program}`);
    }
    const names = operands.slice(index).slice(0, options.only);
    if (operands.slice(0, index).some(({ value }) => value?.includes("[") ?? true)) {
      return unclear(`an option of ${program}`);
    }
    if (names.some(({ value }) => !NAME.test(value ?? ""))) return unclear(`a variable that ${program} sets`);
    const all = names.length > 0 ? names.map(({ value }) => value as string) : [options.otherwise ?? "REPLY"];
    return { sets: all.map((name) => ({ name, values: undefined })), arithmetic };
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
  const { arithmetic, unclear: reason } = conditionEffects(program === "test" ? operands : operands.slice(0, -1), {
    double: false,
  });
  return { sets: [], arithmetic, ...present({ unclear: reason }) };
};

const CONVERSION = /%(?:%|\([^)]*\)T|[-+ #0']*(\*|\d*)(?:\.(\*|\d*))?[hlLjzt]*([a-zA-Z]))/g;

const printf: Effects = (operands) => {
  const [format, ...rest] = operands[0]?.value === "--" ? operands.slice(1) : operands;
  const text = format === undefined ? "" : wordText(format);
  const literal = format?.parts.some((part) => part.type === "literal" && /[^\w[\]]/.test(part.text));
  if (/^-/.test(text) || (format?.value === undefined && !literal)) return unclear("a variable that printf sets");
  const kinds = [...text.matchAll(CONVERSION)].flatMap(([, width, precision, kind]) => [
    ...(width === "*" ? ["d"] : []),
    ...(precision === "*" ? ["d"] : []),
    ...(kind === undefined ? [] : [kind]),
  ]);
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
  return {
    ...NOTHING,
    arithmetic: [...numeric, ...variables.filter(({ value }) => value === undefined)].map(wordText),
  };
};

const set: Effects = (operands) => {
  if (operands.length === 0) return unclear("what set shows, all variables with their values");
  for (const [index, { value = "?" }] of operands.entries()) {
    if (value === "--" || value === "-") break;
    if (value === "pipefail" && /^[-+]\w*o$/.test(operands[index - 1]?.value ?? "")) continue;
    if (/^[-+][euxvfCEo]+$/.test(value) || /^(?:errexit|nounset|xtrace|verbose|noclobber|errtrace)$/.test(value)) {
      continue;
    }
    return unclear(`set ${value}`);
  }
  return NOTHING;
};

const SHELL_OPTIONS = /^(?:-[su]|nullglob|failglob|dotglob|globstar|nocaseglob|nocasematch|inherit_errexit|lastpipe)$/;

const onlyPlain: Effects = (operands, program) =>
  operands.every(isPlain) ? NOTHING : unclear(`a word of ${program} that is not plain`);

const UNSET_AS_DEFAULT =
  /^(?:IFS|CDPATH|ENV|BASH_ENV|PROMPT_COMMAND|GLOBIGNORE|NODE_OPTIONS|PYTHONPATH|PYTHONHOME|VIRTUAL_ENV|GIT_(?:DIR|WORK_TREE|INDEX_FILE)|LD_PRELOAD|LD_LIBRARY_PATH)$/;

const BUILTINS: Readonly<Record<string, Effects>> = {
  ":": harmless,
  true: harmless,
  false: harmless,
  echo: harmless,
  pwd: harmless,
  test: condition,
  "[": condition,
  printf,
  set,
  exit: evaluates,
  return: evaluates,
  break: evaluates,
  continue: evaluates,
  shift: evaluates,
  repeat: (operands, program) => evaluates(operands.slice(0, 1), program),
  let: evaluates,
  read: setsNames({ flags: /^-(?:[rs]+a?|a)$/, valued: /^-[rs]*[pdntNu]$/ }),
  mapfile: setsNames({ flags: /^-t$/, valued: /^-[dnOsu]$/, otherwise: "MAPFILE" }),
  readarray: setsNames({ flags: /^-t$/, valued: /^-[dnOsu]$/, otherwise: "MAPFILE" }),
  getopts: (operands) =>
    operands.length === 2 && operands[0] !== undefined && isPlain(operands[0]) && NAME.test(operands[1]?.value ?? "")
      ? { ...NOTHING, sets: [operands[1]?.value ?? "", "OPTARG"].map((name) => ({ name, values: undefined })) }
      : unclear("a variable that getopts sets"),
  export: declares,
  readonly: declares,
  declare: declares,
  typeset: declares,
  local: declares,
  // A shell without PATH looks for programs in the folder that it is in.
  unset: (operands) => {
    const names = operands.map(({ value }) => value).filter((value) => value !== "-v");
    if (!names.every((name) => NAME.test(name ?? ""))) return unclear("a variable that unset removes");
    const sets = names.filter((name) => !UNSET_AS_DEFAULT.test(name ?? ""));
    return { ...NOTHING, sets: sets.map((name) => ({ name: name as string, values: [[]] })) };
  },
  wait: (operands) =>
    operands.every((word) => /^(?:-n|\d+|%\d+|"?\$!"?|"?\$\{?[A-Za-z_]\w*\}?"?)$/.test(word.source))
      ? evaluates(operands.filter(({ value }) => value === undefined), "wait")
      : unclear("a variable that wait sets"),
  shopt: (operands) =>
    operands.every(({ value }) => SHELL_OPTIONS.test(value ?? "")) ? NOTHING : unclear("a shell option"),
  hash: (operands) => operands.every(({ value }) => value === "-r") ? NOTHING : changesMeaning(operands, "hash"),
  umask: onlyPlain,
  ulimit: onlyPlain,
  jobs: (operands) => operands.every(({ value }) => /^-[lnprs]+$/.test(value ?? "")) ? NOTHING : unclear("jobs -x"),
  times: harmless,
  coproc: changesMeaning,
  integer: changesMeaning,
  float: changesMeaning,
  nameref: changesMeaning,
  bind: changesMeaning,
  complete: changesMeaning,
  compgen: changesMeaning,
  compopt: changesMeaning,
  fc: changesMeaning,
  setopt: changesMeaning,
  unsetopt: changesMeaning,
  emulate: changesMeaning,
  zmodload: changesMeaning,
  autoload: changesMeaning,
  functions: changesMeaning,
  zstyle: changesMeaning,
  zparseopts: changesMeaning,
  zformat: changesMeaning,
  zregexparse: changesMeaning,
  zle: changesMeaning,
  bindkey: changesMeaning,
  sched: changesMeaning,
  vared: changesMeaning,
  disable: changesMeaning,
  print: (operands) =>
    operands.every(({ value, parts }) =>
        !/^-/.test(value ?? parts[0]?.text ?? "-") || /^-(?:[rln]+|-)?$/.test(value ?? "P")
      )
      ? NOTHING
      : unclear("an option of print"),
};
