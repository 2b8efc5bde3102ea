import type { StylePattern } from "./rules.ts";
import type { Color, Row, RowRange, Screen, Style } from "./screen.ts";
import { present } from "../base/schema.ts";

/** How far red, green and blue of a shade of grey may be apart, of 255. */
const GREY_SPREAD = 24;

/** Black, white and grey of the 16 colours that a terminal names, and of the colour cube. */
const GREYS: readonly Color[] = [0, 7, 8, 15, 16, 59, 102, 145, 188, 231];

function isVivid(color: Color): boolean {
  if (typeof color === "number") return !GREYS.includes(color) && color < 232;
  const parts = [1, 3, 5].map((at) => parseInt(color.slice(at, at + 2), 16));
  return Math.max(...parts) - Math.min(...parts) > GREY_SPREAD;
}

function isOneOf(color: Color | undefined, allowed: readonly Color[]): boolean {
  if (allowed.includes(color ?? "default")) return true;
  return color !== undefined && (allowed.includes("coloured") || allowed.includes("vivid") && isVivid(color));
}

function isPlain(style: Style): boolean {
  return !style.bold && !style.dim && !style.italic && !style.underline && !style.reverse &&
    style.foreground === undefined && style.background === undefined;
}

/**
 * Whether text of this style is drawn as the pattern asks for.
 *
 * @param mark the style of the row's first character, for patterns that compare with it
 *
 * @example
 * ```ts
 * import { assert } from "@std/assert";
 * import { DEFAULT_STYLE } from "./style.ts";
 * assert(matchesStyle({ ...DEFAULT_STYLE, foreground: 1 }, { plain: false, foreground: [1, 9] }));
 * ```
 */
export function matchesStyle(style: Style, pattern: StylePattern, { mark }: { readonly mark?: Style } = {}): boolean {
  return (pattern.bold === undefined || pattern.bold === style.bold) &&
    (pattern.dim === undefined || pattern.dim === style.dim) &&
    (pattern.italic === undefined || pattern.italic === style.italic) &&
    (pattern.reverse === undefined || pattern.reverse === style.reverse) &&
    (pattern.plain === undefined || pattern.plain === isPlain(style)) &&
    (pattern.foreground === undefined || isOneOf(style.foreground, pattern.foreground)) &&
    (pattern.background === undefined || isOneOf(style.background, pattern.background)) &&
    (pattern.mark === undefined || pattern.mark === (style.foreground === mark?.foreground));
}

export function asksForColor({ foreground, background, mark }: StylePattern): boolean {
  return foreground !== undefined || background !== undefined || mark !== undefined;
}

export function withoutColor({ bold, dim, italic, reverse }: StylePattern): StylePattern {
  return present({ bold, dim, italic, reverse });
}

export function isColored({ spans }: Row): boolean {
  return spans.some(({ style: { foreground, background } }) => foreground !== undefined || background !== undefined);
}

export function isAnyColored({ rows }: Screen, { first, last }: RowRange): boolean {
  for (let row = last; row >= first; row--) if (isColored(rows[row] as Row)) return true;
  return false;
}
