import { commandLayers, namesIn, parseShellCommand, type ShellCommand, type ShellWord } from "../shell/mod.ts";
import DATA from "./name_sources.json" with { type: "json" };
import { secretPart } from "./protected_paths.ts";

/** What the names are that commands write for another one to read: a secret's, or not known. */
type NameSource = { readonly secret: string } | { readonly unknown: string } | undefined;

/** Programs that show what is in files. */
export const SHOWS: ReadonlySet<string> = new Set(namesIn(DATA.shows));

const FILTERS = new Set(namesIn(DATA.filters));

/** Options with which a lister of files tells of hidden ones as well. */
const HIDDEN = patternsIn(DATA.hidden);

/** The words with which an editor of texts puts no names together. */
const PLAIN = patternsIn(DATA.plain);

function patternsIn(rows: Readonly<Record<string, string>>): ReadonlyMap<string, RegExp> {
  return new Map(Object.entries(rows).map(([program, pattern]) => [program, new RegExp(pattern)]));
}

/** Programs that print no names but those in their own words. */
const LISTERS = new Set(namesIn(DATA.listers));

/**
 * What names the commands of a pipeline write, as far as it matters to a program that gets them: where it may be given
 * the name of a secret, or one that they put together.
 */
export function namesFrom(commands: readonly ShellCommand[], program: string): NameSource {
  let unknown: NameSource;
  for (const command of commands) {
    const layer = commandLayers(command).at(-1);
    if (layer === undefined) {
      unknown ??= { unknown: "names that are not known" };
      continue;
    }
    const found = namesOf(layer.program ?? "", layer.words.slice(1), { command, shows: SHOWS.has(program) });
    if (found !== undefined && "secret" in found) return found;
    unknown ??= found;
  }
  return unknown;
}

/** Whether all that the commands of a pipeline write are names of files, so that none is taken for an option. */
export function writesFileNames(commands: readonly ShellCommand[]): boolean {
  return commands.length > 0 && commands.every((command) => {
    const layer = commandLayers(command).at(-1);
    if (layer === undefined || namesFrom([command], "") !== undefined) return false;
    const { program = "", words: [, ...words] } = layer;
    const has = (pattern: RegExp) => words.some(({ value }) => value === undefined || pattern.test(value));
    const reads = command.readsPipe || command.precededBy === "|";
    if (/^(?:echo|printf)$/.test(program)) return !has(/[-=\\]/);
    if (/^(?:rg|[ef]?grep)$/.test(program)) {
      const names = words.some(({ value }) => /^(?:-[a-zA-Z]*l[a-zA-Z]*|--files(?:-with.*)?)$/.test(value ?? ""));
      const texts = program === "rg" ? /^-\w*[or]|^--(?:only-m|repl)/ : /^-\w*o|^--only-m/;
      return (names || reads) && !has(texts);
    }
    if (program === "git") {
      const [sub] = words;
      const lists = /^(?:ls-files|status|grep)$/.test(sub?.value ?? "") ||
        words.some(({ value }) => /^--name-(?:only|status)$/.test(value ?? ""));
      return lists && !has(/^--(?:f|pretty|output-indicator|\w+-prefix)/);
    }
    if (/^(?:find|fd|fdfind)$/.test(program)) return !has(/^-f?printf|^--format/);
    return program === "ls" || (reads && /^(?:sort|uniq|head|tail|cat|tee|tr|sed|awk)$/.test(program));
  });
}

export function namesFromSubstitutions({ parts }: Pick<ShellWord, "parts">, program: string): NameSource {
  let unknown: NameSource;
  for (const { type, text } of parts) {
    if (type !== "command_substitution") continue;
    const inner = text.startsWith("$(") ? text.slice(2, -1) : text.slice(1, -1);
    const found = namesFrom(parseShellCommand(inner).commands, program);
    if (found !== undefined && "secret" in found) return found;
    unknown ??= found;
  }
  return unknown;
}

export function secretIn(text: string): string | undefined {
  for (const name of text.split(/[\s:,;"'|()<>]+/)) {
    const secret = name === "" ? undefined : secretPart(name);
    if (secret !== undefined) return secret;
  }
  return undefined;
}

function namesOf(
  program: string,
  words: readonly ShellWord[],
  { command, shows }: { readonly command: ShellCommand; readonly shows: boolean },
): NameSource {
  const unknown = { unknown: `names that ${program} writes` };
  const values = words.map(({ value }) => value);
  const has = (pattern: RegExp) => values.some((value) => pattern.test(value ?? ""));
  switch (program) {
    case "echo":
    case "printf": {
      const [first = ""] = program === "printf" ? values : [];
      const secret = values.map((value) => value === undefined ? undefined : secretIn(value)).find(Boolean);
      if (secret !== undefined) return { secret };
      if (has(/(?:^|\s)(?:\/|~|\.\.(?:\/|$|\s))/)) return unknown;
      const plain = values.every((value) => value !== undefined && !/\\[0-7xuUc]/.test(value)) &&
        /^(?:%s(?:\\n|\\0| )?|[^%]*)$/.test(first);
      return plain ? undefined : unknown;
    }
    case "find": {
      const secret = secretFound(words, shows);
      return secret === undefined ? undefined : { secret };
    }
  }
  const [findsHidden, plainWord] = [HIDDEN.get(program), PLAIN.get(program)];
  if (findsHidden !== undefined) return shows && has(findsHidden) ? unknown : undefined;
  if (plainWord !== undefined) {
    return values.every((value) => value !== undefined && plainWord.test(value)) ? undefined : unknown;
  }
  const reads = command.readsPipe || command.precededBy === "|";
  if (/^[ef]?grep$/.test(program) && !reads) {
    const everywhere = has(/^-\w*[rR]|^--r/) && !has(/^--include/) &&
      values.some((value) => /^\.?\/?$/.test(value ?? ""));
    return everywhere && shows ? unknown : undefined;
  }
  if (LISTERS.has(program) || (FILTERS.has(program) && reads)) return undefined;
  return unknown;
}

const NAME_TEST = /^-i?(?:name|path|wholename|regex|lname)$/;

/**
 * The secret that find may find: by the names that it is told, or for a program that shows files, as it is told none.
 */
export function secretFound(words: readonly ShellWord[], shows: boolean): string | undefined {
  const tests = words.findIndex(({ value }) => /^[-(!]/.test(value ?? ""));
  const roots = tests === -1 ? words : words.slice(0, tests);
  // What comes after the first action does not narrow what it gets.
  const acts = words.findIndex(({ value }) => /^-(?:print|printf|print0|ls|(?:exec|ok)(?:dir)?)$/.test(value ?? ""));
  let isNamed = false;
  for (const [index, { value }] of words.entries()) {
    const [negation = "", test = ""] = [words[index - 2]?.value, words[index - 1]?.value];
    if (!NAME_TEST.test(test) || /^(?:!|-not)$/.test(negation)) continue;
    if (acts === -1 || index < acts) isNamed = true;
    // Dots and other signs of a regular expression are those of a pattern here.
    const pattern = /regex$/.test(test) ? value?.replaceAll(/\\(.)/g, "$1") : value;
    const secret = pattern === undefined ? undefined : secretPart(pattern, { dots: true });
    if (secret !== undefined) return secret;
  }
  const whole = roots.length === 0 || roots.some(({ value }) => value === undefined || /^(?:\.\/*)+$/.test(value));
  return shows && whole && !isNamed ? "any file" : undefined;
}
