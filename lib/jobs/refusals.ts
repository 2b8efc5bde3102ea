import { plainLetters } from "../base/text/look_alikes.ts";
import { plainText } from "../base/text/sanitize.ts";
import { createFindRetraction } from "./retractions.ts";

interface RefusalWords {
  readonly label: string;
  readonly capitals: string;
  readonly anyCase: string;
  readonly approved: string;
  readonly offered: readonly [string, string];
}

export type FindRefusal = (lines: readonly string[]) => boolean;

/** What may stand around a label or a value without being read: marks, brackets, bullets, blanks. */
const MARKS = String.raw`[\s*_\x60~"'|()\[\]<>{}#+.=-]{0,40}`;
const LINE_MARKS = String.raw`[^\p{L}\p{N}\n?]{0,40}`;
const GAP = String.raw`[^\p{L}\p{N}\n]{1,40}`;
const SIGN = String.raw`[:=|;→⇒➜➔➞⟶➝>]`;
const NO_WORD_BEFORE = String.raw`(?<![\p{L}\p{N}])`;
const NO_WORD_AFTER = String.raw`(?![\p{L}\p{N}])`;
const CROSSES = "[❌✗✘✖⛔\u{1f534}\u{1f6ab}\u{1f44e}]";
/** `0 FAIL`, `no test FAILED`. */
const NONE_OF = String.raw`\b(?:0|no|none|zero|without)(?: \p{L}{1,12}){0,2}[^\p{L}\p{N}\n]{1,4}`;
const NOT = String.raw`(?:\b(?:not|no|never|cannot)\b|n['’]t\b|!)`;

/**
 * Makes the search for a refusal: the label, whatever stands before it, and then the value
 *
 * - after a colon, an equals sign, a bar or an arrow, be it in the next line, or later in the line where it is in
 *   capitals;
 * - in capitals, behind anything that is no letter, or `is`;
 * - below the label, each in a line of its own, or in a table's column that the label heads;
 * - as the other value with a `not`;
 *
 * and the value as a line of its own, in capitals, or behind `Verdict:`. What merely offers both values does not
 * refuse.
 *
 * It errs on the side of a refusal: the agent is then asked to state its verdict once more.
 */
export function createFindRefusal(words: RefusalWords): FindRefusal {
  // Every command that looks at a run loads this, and few of them read a verdict: patterns take milliseconds to make.
  let search: FindRefusal | undefined;
  return (lines) => (search ??= createSearch(words))(lines);
}

function createSearch({ label, capitals, anyCase, approved, offered }: RefusalWords): FindRefusal {
  const [one, other] = offered;
  const or = String.raw`[ \t*_\x60"']{0,8}(?:\bor\b|[|/,])[ \t*_\x60"']{0,8}(?:${label}[ \t]{0,3}:[ \t*_\x60]{0,8})?`;
  const offers = new RegExp(String.raw`\b(?:${one}${or}${other}|${other}${or}${one})\b`, "giu");
  const unchecked = new RegExp(String.raw`(?:\[ \]|[☐⬜])\s{0,4}(?:${one}|${other})\b`, "giu");
  const named = `${NO_WORD_BEFORE}(?i:${label})`;
  const quiet = withLookAlikes(anyCase);
  const loud = `(?:${withLookAlikes(capitals)})${NO_WORD_AFTER}`;
  const value = `(?:${loud}|(?i:${quiet})${NO_WORD_AFTER}|${CROSSES})`;
  const patterns = [
    `${named}(?:[\\s*_\\x60]{1,8}is)?${MARKS}${SIGN}{1,4}${MARKS}${value}`,
    `${named}${GAP}(?:(?i:is|was|remains|stays|should be|must be)${GAP})?${loud}`,
    `^${MARKS}(?i:final )?(?i:${label})${MARKS}\\n${MARKS}${value}${MARKS}$`,
    // RESULT of the second round: FAIL
    `${named}(?:s|\\(s\\))?[^\\n:=|→?!.]{0,60}${SIGN}${LINE_MARKS}(?:${loud}|(?i:${quiet})${LINE_MARKS}$)`,
    // RESULT: PASS -> FAIL, but not "RESULT: 5 PASS, 0 FAIL"
    `${named}[^\\n:=]{0,12}[:=][^\\n]{0,160}?(?<!${NONE_OF})${NO_WORD_BEFORE}${loud}`,
    `${named}[^\\n:=]{0,12}${SIGN}${LINE_MARKS}(?i:${approved})\\p{L}{0,3}[^\\p{L}\\p{N}\\n]{1,12}(?:then )?(?i:${quiet})${NO_WORD_AFTER}`,
    // RESULT: not passed; RESULT: PASS is not reached
    `${named}[^\\n:=]{0,12}${SIGN}[^\\n.,;(]{0,40}(?i:${NOT})[^\\p{L}\\p{N}\\n]{0,4}` +
    `(?:\\p{L}{1,7}[^\\p{L}\\p{N}\\n]{1,4}){0,2}(?i:${approved})`,
    `${named}[^\\n:=]{0,12}${SIGN}${LINE_MARKS}(?i:${approved})\\p{L}{0,3}[^\\p{L}\\p{N}\\n]{1,4}` +
    `(?:\\p{L}{1,5}[^\\p{L}\\p{N}\\n]{0,4}){0,1}(?i:${NOT})`,
    `${NO_WORD_BEFORE}(?i:verdict|outcome|conclusion|overall)[^\\n:=]{0,20}[:=]${LINE_MARKS}(?:${loud}|(?i:${quiet})${LINE_MARKS}$)`,
    `^${LINE_MARKS}${loud}${LINE_MARKS}$`,
  ].map((pattern) => new RegExp(pattern, "mu"));
  const heading = new RegExp(`^${LINE_MARKS}(?:final )?${label}${LINE_MARKS}$`, "iu");
  const cell = new RegExp(`^${LINE_MARKS}(?:${quiet})${LINE_MARKS}$`, "iu");
  // A review too is contradicted by failed tests.
  const isRetracted = createFindRetraction({
    loud: `(?:${loud}|FAIL(?:ED|URE)?${NO_WORD_AFTER})`,
    anyCase: `(?:${quiet}|fail(?:ed|s|ing|ure)?)${NO_WORD_AFTER}`,
    approved: `(?:${approved}|pass)`,
  });
  return (lines) => {
    const own = lines.join("\n");
    // What an escape sequence takes along in a terminal, an editor shows.
    return [plainText(own), own].some((text) => {
      const shown = asShown(text).replaceAll(offers, " ").replaceAll(unchecked, " ");
      return patterns.some((pattern) => pattern.test(shown)) || hasCell(shown, { heading, cell }) ||
        isRetracted(shown);
    });
  };
}

/** A pattern's words also as figures, signs and letters of the other case draw them: `FAlL`, `REV1SE`. */
function withLookAlikes(words: string): string {
  const like: Readonly<Record<string, string>> = {
    A: "A4@",
    B: "B8",
    E: "E3",
    I: "Iil1|!",
    L: "LlI1|",
    O: "O0",
    S: "S5$",
  };
  return words.replace(/[A-Z]/gi, (letter) => {
    const letters = like[letter.toUpperCase()];
    return letters === undefined ? letter : `[${letter}${letters}]`;
  });
}

function hasCell(text: string, { heading, cell }: { readonly heading: RegExp; readonly cell: RegExp }): boolean {
  let columns: ReadonlySet<number> = new Set();
  for (const line of text.split("\n")) {
    if (!line.includes("|")) {
      columns = new Set();
      continue;
    }
    const cells = line.trim().replace(/^\||\|$/g, "").split("|");
    if (cells.some((text, at) => columns.has(at) && cell.test(text))) return true;
    const headed = cells.flatMap((text, at) => heading.test(text) ? [at] : []);
    if (headed.length > 0) columns = new Set(headed);
  }
  return false;
}

/** Characters that can stand within a word unseen, and the backslash of Markdown's escapes. */
const UNSEEN = /(?![\n\t])[\p{Cc}\p{Cf}\u115f\u1160\u2800\\]/gu;
const INLINE_TAG =
  /<\/?(?:a|abbr|b|big|code|del|em|font|i|ins|kbd|mark|q|s|samp|small|span|strike|strong|sub|sup|tt|u|var)\b[^<>\n]{0,200}>/giu;
const CELL_TAG = /<\/?t[dh]\b[^<>\n]{0,200}>/giu;
const BLOCK_TAG =
  /<\/?(?:blockquote|br|center|dd|details|div|dl|dt|h[1-6]|hr|li|ol|p|pre|section|summary|table|tbody|thead|tr|ul)\b[^<>\n]{0,200}>/giu;
const ENTITIES: Readonly<Record<string, string>> = {
  nbsp: " ",
  colon: ":",
  equals: "=",
  vert: "|",
  rarr: "→",
  ndash: "–",
  mdash: "—",
};

function asShown(text: string): string {
  const decoded = text.replaceAll(/&(?:#(\d{1,7})|#x([0-9a-f]{1,6})|([a-z]{2,8}));/giu, (whole, decimal, hex, name) => {
    if (name !== undefined) return ENTITIES[name.toLowerCase()] ?? whole;
    const code = decimal === undefined ? parseInt(hex, 16) : parseInt(decimal, 10);
    return code > 0 && code <= 0x10ffff ? String.fromCodePoint(code) : whole;
  });
  const untagged = decoded.replaceAll(INLINE_TAG, "").replaceAll(CELL_TAG, "|").replaceAll(BLOCK_TAG, "\n");
  return plainLetters(untagged.replaceAll(/≠|!=/g, ": not ").replaceAll(UNSEEN, ""))
    .replaceAll(/\[[xX✓✔]\]|[☑☒]/gu, " ")
    .replaceAll(/(?<=\p{L})(?:\*{1,3}|~~)(?=\p{L})/gu, "")
    .replaceAll(
      /(?<![\p{L}\p{N}])\p{L}(?<gap>[ .-])\p{L}(?:\k<gap>\p{L}){2,11}(?![\p{L}\p{N}])/gu,
      (spaced) => spaced.replaceAll(/[ .-]/g, ""),
    );
}
