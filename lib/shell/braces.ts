import type { ShellWord, WordPart } from "./syntax.ts";

type Glyph = Pick<WordPart, "text" | "quoted">;

/** More words than these from one are not worth following; nor are more braces, or a longer word. */
const MAX_WORDS = 64;
const MAX_BRACES = 16;
const MAX_LENGTH = 4096;

/**
 * The words that bash and zsh make of one with braces: `src/{a,b}` is `src/a` and `src/b`. A word without them is
 * itself.
 *
 * @returns `undefined` where that is not known: with an expansion in it, with braces that are not balanced, with too
 * many words, or where it is too long
 *
 * @example
 * ```ts
 * import { assertEquals } from "@std/assert";
 * import { parseShellCommand } from "./parse.ts";
 * const words = (text: string) => expandBraces(parseShellCommand(text).commands[0]!.words[0]!);
 * assertEquals(words(".en{v,u{w..y}}")?.map(({ value }) => value), [".env", ".enuw", ".enux", ".enuy"]);
 * assertEquals(words("a'{b,c}'")?.map(({ value }) => value), ["a{b,c}"]);
 * assertEquals(words("{a,$b}"), undefined);
 * assertEquals(words("{a,b}".repeat(100_000)), undefined);
 * ```
 */
export function expandBraces(word: ShellWord): readonly ShellWord[] | undefined {
  if (!word.expansions.includes("brace")) return [word];
  if (word.source.length > MAX_LENGTH || word.parts.some(({ type }) => type !== "literal")) return undefined;
  const glyphs = word.parts.flatMap(({ text, quoted }): Glyph[] =>
    quoted ? [{ text, quoted }] : [...text].map((character) => ({ text: character, quoted }))
  );
  const braces = glyphs.filter(is("{")).length;
  if (braces > MAX_BRACES || braces !== glyphs.filter(is("}")).length) return undefined;
  return expand(glyphs)?.map((one) => wordOf(one, word));
}

function is(text: string): (glyph: Glyph) => boolean {
  return (glyph) => !glyph.quoted && glyph.text === text;
}

function expand(glyphs: readonly Glyph[]): readonly (readonly Glyph[])[] | undefined {
  for (const [open, glyph] of glyphs.entries()) {
    if (!is("{")(glyph)) continue;
    const choice = readChoice(glyphs, open);
    if (choice === undefined) continue;
    const [before, after] = [glyphs.slice(0, open), glyphs.slice(choice.end)];
    const found: (readonly Glyph[])[] = [];
    for (const one of choice.choices) {
      const all = expand([...one, ...after]);
      if (all === undefined || found.length + all.length > MAX_WORDS) return undefined;
      found.push(...all.map((rest) => [...before, ...rest]));
    }
    return found;
  }
  return [glyphs];
}

function readChoice(
  glyphs: readonly Glyph[],
  open: number,
): { readonly choices: readonly (readonly Glyph[])[]; readonly end: number } | undefined {
  const choices: Glyph[][] = [[]];
  for (let index = open + 1, depth = 0; index < glyphs.length; index++) {
    const glyph = glyphs[index] as Glyph;
    if (is("}")(glyph) && depth === 0) {
      const all = choices.length > 1 ? choices : rangeOf(choices[0] ?? []);
      return all === undefined ? undefined : { choices: all, end: index + 1 };
    }
    if (is("{")(glyph)) depth++;
    else if (is("}")(glyph)) depth--;
    if (is(",")(glyph) && depth === 0) choices.push([]);
    else choices.at(-1)?.push(glyph);
  }
  return undefined;
}

/** `1..5`, `a..e`: one more than are followed, where there are more. */
function rangeOf(glyphs: readonly Glyph[]): readonly (readonly Glyph[])[] | undefined {
  const text = glyphs.map(({ text }) => text).join("");
  const match = /^(-?\d{1,9}|[A-Za-z])\.\.(-?\d{1,9}|[A-Za-z])(?:\.\.(-?\d{1,9}))?$/.exec(text);
  if (match === null) return undefined;
  const [, from = "", to = "", step = "1"] = match;
  const numbers = /\d/.test(from) && /\d/.test(to);
  const [first, last] = [from, to].map((end) => numbers ? Number(end) : end.charCodeAt(0)) as [number, number];
  const by = Math.max(1, Math.abs(Number(step)));
  const count = Math.min(Math.floor(Math.abs(last - first) / by), MAX_WORDS) + 1;
  const width = numbers && [from, to].some((end) => /^-?0\d/.test(end)) ? Math.max(from.length, to.length) : 0;
  return Array.from({ length: count }, (_, index) => {
    const value = first + (last < first ? -1 : 1) * by * index;
    const written = numbers ? String(value).padStart(width, "0") : String.fromCharCode(value);
    return [...written].map((character) => ({ text: character, quoted: false }));
  });
}

function wordOf(glyphs: readonly Glyph[], word: ShellWord): ShellWord {
  const parts = glyphs.map((glyph): WordPart => ({ type: "literal", ...glyph }));
  const pattern = glyphs.some(({ text, quoted }) => !quoted && /[*?[]/.test(text));
  const [first] = glyphs;
  const tilde = first !== undefined && is("~")(first);
  const kept = word.expansions.filter((kind) =>
    kind === "pathname" ? pattern : kind !== "brace" && (kind !== "tilde" || tilde)
  );
  const expansions = tilde && !kept.includes("tilde") ? [...kept, "tilde" as const] : kept;
  return {
    ...word,
    parts: merged(parts),
    expansions,
    value: expansions.length === 0 ? glyphs.map(({ text }) => text).join("") : undefined,
  };
}

function merged(parts: readonly WordPart[]): readonly WordPart[] {
  const all: WordPart[] = [];
  for (const part of parts) {
    const last = all.at(-1);
    if (last?.quoted === part.quoted) all[all.length - 1] = { ...last, text: last.text + part.text };
    else all.push(part);
  }
  return all.length > 0 ? all : [{ type: "literal", text: "", quoted: false }];
}
