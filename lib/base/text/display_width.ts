import { eastAsianWidth } from "get-east-asian-width";

const PRINTABLE_ASCII = /^[\x20-\x7e]*$/;
/** Marks, format characters that are not drawn, and the vowels and final consonants of decomposed Hangul syllables. */
const ZERO_WIDTH =
  /^(?:[\p{Mn}\p{Me}\p{Zl}\p{Zp}\u1160-\u11ff\ud7b0-\ud7ff]|(?![\xad\u{600}-\u{605}\u{6dd}\u{70f}\u{890}\u{891}\u{8e2}\u{110bd}\u{110cd}])\p{Cf})$/u;
/**
 * What joins characters to an emoji that is drawn in two columns, whatever its parts would take: ZWJ, VS16, keycap,
 * skin tone.
 */
const JOINER = /[\u200d\ufe0f\u20e3\u{1f3fb}-\u{1f3ff}]/u;
const EMOJI_SEQUENCE =
  /^(?:[0-9#*]\ufe0f?\u20e3|\p{Extended_Pictographic}(?:\ufe0f|\p{Emoji_Modifier}|\u200d\p{Extended_Pictographic}))/u;

/**
 * How many terminal columns text takes: two for East Asian wide and fullwidth characters and for emoji, also those that
 * are made of several, and none for combining marks. Ambiguous characters take one, as Unicode Standard Annex #11
 * recommends.
 *
 * Agents' CLIs break their rows by this count. tmux 3.3a draws some sequences of emoji wider or narrower, and
 * characters that are newer than the machine's C library: see {@linkcode widestDisplayWidth}.
 *
 * @example
 * ```ts
 * import { assertEquals } from "@std/assert";
 * assertEquals(["a界e\u0301", "⚠️", "👩🏽‍🚀", "🇩🇪"].map(displayWidth), [4, 2, 2, 2]);
 * ```
 */
export function displayWidth(text: string): number {
  if (PRINTABLE_ASCII.test(text)) return text.length;
  if (!JOINER.test(text)) return sumOfWidths(text);
  let width = 0;
  for (const cluster of graphemes(text)) width += EMOJI_SEQUENCE.test(cluster) ? 2 : sumOfWidths(cluster);
  return width;
}

/**
 * The most columns that text takes in any terminal or program: the width of a sequence of emoji, or of its parts where
 * they are drawn one by one. To be used where too small a width would be dangerous.
 *
 * @example
 * ```ts
 * import { assertEquals } from "@std/assert";
 * assertEquals(["a界", "⚠️", "👍🏽"].map(widestDisplayWidth), [3, 2, 4]);
 * ```
 */
export function widestDisplayWidth(text: string): number {
  if (!JOINER.test(text)) return displayWidth(text);
  let width = 0;
  for (const cluster of graphemes(text)) width += Math.max(displayWidth(cluster), sumOfWidths(cluster));
  return width;
}

/**
 * The longest beginning of a text that fits into so many columns; no character that a person sees is cut in two.
 *
 * @example
 * ```ts
 * import { assertEquals } from "@std/assert";
 * assertEquals([clip("a界b", 2), clip("a👩🏽‍🚀b", 3)], ["a", "a👩🏽‍🚀"]);
 * ```
 */
export function clip(text: string, columns: number): string {
  if (displayWidth(text) <= columns) return text;
  if (PRINTABLE_ASCII.test(text)) return text.slice(0, Math.max(0, columns));
  let used = 0;
  let length = 0;
  for (const cluster of graphemes(text)) {
    used += displayWidth(cluster);
    if (used > columns) break;
    length += cluster.length;
  }
  return text.slice(0, length);
}

/** The characters of a text as people see them: grapheme clusters. */
export function* graphemes(text: string): Generator<string> {
  // The first segmenter of a process takes 10 ms to make: none is made before it is needed.
  for (const { segment } of new Intl.Segmenter().segment(text)) yield segment;
}

function sumOfWidths(text: string): number {
  let width = 0;
  for (const character of text) {
    if (!ZERO_WIDTH.test(character)) width += eastAsianWidth(character.codePointAt(0)!);
  }
  return width;
}

/** Cuts text to at most `width` terminal columns; `…` marks the cut. */
export function cut(text: string, width: number): string {
  return displayWidth(text) <= width ? text : `${clip(text, width - 1)}…`;
}
