import { UsageError } from "../base/errors.ts";
import { parseShellCommand, type ShellWord } from "../shell/mod.ts";

// A pattern is a sequence of words. A word's characters stand for themselves, but for `*` (any characters but `/`),
// `**` (any characters) and `?` (one character but `/`); quotes and backslashes take that meaning away. A word `*`
// stands for any one word, a word `**` for any number of words.

type Glyph = string | { readonly any: "character" | "characters" | "path" };

type Item = { readonly type: "words" } | {
  readonly type: "word";
  readonly glyphs: readonly Glyph[];
  readonly text?: string;
};

export interface CommandPattern {
  readonly items: readonly Item[];
}

/**
 * Reads a command pattern.
 *
 * @throws {UsageError} where it is none
 */
export function parseCommandPattern(text: string): CommandPattern {
  const problem = patternProblem(text);
  if (problem !== undefined) throw new UsageError(`Cannot use the pattern ${JSON.stringify(text)}: it ${problem}`);
  return { items: wordsOf(text).map(toItem) };
}

/** What is wrong with a command pattern, as the rest of a sentence; `undefined` where nothing is. */
export function patternProblem(text: string): string | undefined {
  const { commands, problem } = parseShellCommand(text);
  if (problem !== undefined) return `is not a command: ${problem.message}`;
  if (commands.length > 1) return "has more than one command in it: a rule is about one";
  const words = wordsOf(text);
  if (words.length === 0) return "has no words";
  // A pattern "! **" would be "**": the shell takes such words for its own.
  const before = text.slice(0, Math.min(...words.map(({ start }) => start))).trim();
  if (before !== "") return `begins with ${before}, which is a word of the shell's own: leave it out`;
  if ((commands[0]?.redirections.length ?? 0) > 0) return "has a redirection: a rule is about words";
  const expansion = words.flatMap((word) => word.parts).find((part) => part.type !== "literal");
  return expansion === undefined ? undefined : `has an expansion, ${expansion.text}: put it in single quotes`;
}

function wordsOf(text: string): readonly ShellWord[] {
  const [command] = parseShellCommand(text).commands;
  return command === undefined ? [] : [...command.assignments.map(({ word }) => word), ...command.words];
}

function toItem(word: ShellWord): Item {
  const glyphs = word.parts.flatMap(({ text, quoted }) => quoted ? [...text] : glyphsOf(text));
  const only = glyphs.length === 1 ? glyphs[0] : undefined;
  if (typeof only === "object" && only.any === "path") return { type: "words" };
  // One `*` alone is any word, also one with a slash in it.
  if (typeof only === "object" && only.any === "characters") return { type: "word", glyphs: [{ any: "path" }] };
  return {
    type: "word",
    glyphs,
    ...(glyphs.every((glyph) => typeof glyph === "string") ? { text: glyphs.join("") } : {}),
  };
}

function glyphsOf(text: string): Glyph[] {
  return (text.match(/\*{2,}|[^]/gu) ?? []).map((piece): Glyph => {
    if (piece.startsWith("**")) return { any: "path" };
    if (piece === "*") return { any: "characters" };
    return piece === "?" ? { any: "character" } : piece;
  });
}

export interface KnownWord {
  /** `undefined` where it is the outcome of an expansion. */
  readonly value?: string;
  /** Whether it may as well be several words, or none. */
  readonly many?: boolean;
  readonly paths?: readonly string[];
  /** How many of its first characters a pattern must spell out, for a word that asks for what is not harmless. */
  readonly literal?: number;
}

interface MatchOptions {
  /**
   * Whether a command that only adds to the pattern is meant as well: more words after it, a program with its path.
   * What is to be refused must not get through by them; what is to be allowed is allowed as it is written.
   *
   * @default {false}
   */
  readonly loose?: boolean;
}

export function matchCommand(
  pattern: CommandPattern,
  words: readonly KnownWord[],
  options: MatchOptions = {},
): "yes" | "maybe" | "no" {
  if (meansCommand(pattern, words, options)) return "yes";
  return run(pattern, words, { ...options, hopeful: true }) ? "maybe" : "no";
}

export function meansCommand(
  pattern: CommandPattern,
  words: readonly KnownWord[],
  options: MatchOptions = {},
): boolean {
  return run(pattern, words, { ...options, hopeful: false });
}

export function matchPath(pattern: CommandPattern, spellings: readonly string[]): boolean {
  const [item] = pattern.items;
  return item !== undefined && pattern.items.length === 1 && spellings.some((path) => matchItem(item, path));
}

interface RunOptions extends MatchOptions {
  /** Whether what is not known counts as what is wanted. */
  readonly hopeful: boolean;
}

/** Follows all places in the pattern at once: the time is proportional to pattern times words. */
function run({ items }: CommandPattern, words: readonly KnownWord[], options: RunOptions): boolean {
  let places = closure(new Set([0]), items);
  for (const [index, word] of words.entries()) {
    const next = new Set<number>();
    for (const place of places) {
      const item = items[place];
      if (item === undefined) {
        if (options.loose) return true;
        continue;
      }
      if (word.literal !== undefined && literalLength(item) < word.literal) continue;
      if (item.type === "words") next.add(place);
      else if (word.value !== undefined) {
        if (matchKnown(item, word, { ...options, first: index === 0 })) next.add(place + 1);
      } else if (options.hopeful) {
        // Several words may be all that are left, or none.
        if (word.many) { for (let reached = place; reached <= items.length; reached++) next.add(reached); }
        else next.add(place + 1);
      } else if (!word.many && isAnyWord(item.glyphs)) next.add(place + 1);
    }
    places = closure(next, items);
    if (places.size === 0) return false;
  }
  return places.has(items.length);
}

function isAnyWord(glyphs: readonly Glyph[]): boolean {
  const [only] = glyphs;
  return glyphs.length === 1 && typeof only === "object" && only.any === "path";
}

/** How many characters a word must begin with to be meant. */
function literalLength(item: Item): number {
  if (item.type === "words") return 0;
  const pattern = item.glyphs.findIndex((glyph) => typeof glyph !== "string");
  return pattern === -1 ? Infinity : pattern;
}

function closure(places: Set<number>, items: readonly Item[]): Set<number> {
  for (const place of places) {
    if (items[place]?.type === "words") places.add(place + 1);
  }
  return places;
}

function matchKnown(item: Item, word: KnownWord, options: RunOptions & { readonly first: boolean }): boolean {
  const { value = "", paths = [] } = word;
  if (options.first && options.loose && !hasSlash(item)) {
    return matchItem(item, value.slice(value.lastIndexOf("/") + 1));
  }
  // `src/../../x` is not below `src`: a path that climbs counts as what it comes down to.
  if (hasSlash(item) && paths.length > 0) {
    const spellings = options.loose || !/(?:^|\/)\.\.(?:\/|$)/.test(value) ? [value, ...paths] : paths;
    return spellings.some((path) => matchItem(item, path));
  }
  return matchItem(item, value);
}

function hasSlash(item: Item): boolean {
  return item.type === "word" && item.glyphs.includes("/");
}

function matchItem(item: Item, text: string): boolean {
  if (item.type === "words") return true;
  const { glyphs } = item;
  if (item.text !== undefined) return item.text === text;
  if (isAnyWord(glyphs)) return true;
  const reach = (places: Set<number>): Set<number> => {
    for (const place of places) {
      const glyph = glyphs[place];
      if (typeof glyph === "object" && glyph.any !== "character") places.add(place + 1);
    }
    return places;
  };
  let places = reach(new Set([0]));
  for (const character of text) {
    const next = new Set<number>();
    for (const place of places) {
      const glyph = glyphs[place];
      if (glyph === undefined) continue;
      if (typeof glyph === "string") {
        if (glyph === character) next.add(place + 1);
      } else if (glyph.any === "path" || character !== "/") next.add(glyph.any === "character" ? place + 1 : place);
    }
    places = reach(next);
    if (places.size === 0) return false;
  }
  return places.has(glyphs.length);
}
