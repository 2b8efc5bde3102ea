import type { ColorPattern, StylePattern } from "./rules.ts";
import type { Color, Style } from "./screen.ts";

function isOneOf(color: Color | undefined, allowed: readonly ColorPattern[]): boolean {
  return allowed.includes(color ?? "default") || color !== undefined && allowed.includes("coloured");
}

function isPlain(style: Style): boolean {
  return !style.bold && !style.dim && !style.italic && !style.underline && !style.reverse &&
    style.foreground === undefined && style.background === undefined;
}

/**
 * Whether text of this style is drawn as the pattern asks for.
 *
 * @example
 * ```ts
 * import { assert } from "@std/assert";
 * import { DEFAULT_STYLE } from "./style.ts";
 * assert(matchesStyle({ ...DEFAULT_STYLE, foreground: 1 }, { plain: false, foreground: [1, 9] }));
 * ```
 */
export function matchesStyle(style: Style, pattern: StylePattern): boolean {
  return (pattern.bold === undefined || pattern.bold === style.bold) &&
    (pattern.dim === undefined || pattern.dim === style.dim) &&
    (pattern.italic === undefined || pattern.italic === style.italic) &&
    (pattern.reverse === undefined || pattern.reverse === style.reverse) &&
    (pattern.plain === undefined || pattern.plain === isPlain(style)) &&
    (pattern.foreground === undefined || isOneOf(style.foreground, pattern.foreground)) &&
    (pattern.background === undefined || isOneOf(style.background, pattern.background));
}
