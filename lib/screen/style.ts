import { scanRow } from "../base/text/ansi.ts";

/**
 * A colour as the terminal was told it: a palette index, or `#rrggbb`. The named colours 30–37 and 90–97 are indexes
 * 0–15.
 */
export type Color = number | string;

/** How a stretch of text is drawn. */
export interface Style {
  /** Drawn bold. */
  readonly bold: boolean;
  /** Drawn dim. */
  readonly dim: boolean;
  /** Drawn in italics. */
  readonly italic: boolean;
  /** Underlined. */
  readonly underline: boolean;
  /** Drawn with its colours swapped. */
  readonly reverse: boolean;
  /** `undefined` is the terminal's own foreground. */
  readonly foreground: Color | undefined;
  /** `undefined` is the terminal's own background. */
  readonly background: Color | undefined;
}

/** What the terminal draws with after a reset. */
export const DEFAULT_STYLE: Style = {
  bold: false,
  dim: false,
  italic: false,
  underline: false,
  reverse: false,
  foreground: undefined,
  background: undefined,
};

/** An extended colour within a list of parameters: how many parameters it takes, and which colour it is. */
function extendedColor(params: readonly number[], at: number): { readonly taken: number; readonly color?: Color } {
  if (params[at + 1] === 5) {
    const index = params[at + 2];
    return index === undefined ? { taken: 2 } : { taken: 3, color: index & 255 };
  }
  if (params[at + 1] !== 2) return { taken: 1 };
  const [red, green, blue] = [params[at + 2], params[at + 3], params[at + 4]];
  if (red === undefined || green === undefined || blue === undefined) return { taken: 5 };
  const hex = ((red & 255) << 16 | (green & 255) << 8 | blue & 255).toString(16).padStart(6, "0");
  return { taken: 5, color: `#${hex}` };
}

/** Reads the parameters of an SGR sequence; colons count as semicolons, nothing as 0, nonsense as nothing. */
function parseParams(params: string): number[] {
  const numbers: number[] = [];
  let value = 0;
  for (let i = 0; i < params.length; i++) {
    const code = params.charCodeAt(i);
    if (code >= 48 && code <= 57) value = Math.min(value * 10 + code - 48, 65535);
    else if (code === 59 || code === 58) {
      numbers.push(value);
      value = 0;
    } else return [];
  }
  numbers.push(value);
  return numbers;
}

/**
 * The style after the terminal was sent `ESC [ params m`. Parameters that are not known leave it as it was.
 *
 * @example
 * ```ts
 * import { assertEquals } from "@std/assert";
 * const style = applySgr(DEFAULT_STYLE, "1;38;5;75");
 * assertEquals([style.bold, style.foreground], [true, 75]);
 * ```
 */
export function applySgr(style: Style, params: string): Style {
  if (params === "" || params === "0") return DEFAULT_STYLE;
  let next: { -readonly [K in keyof Style]: Style[K] } = { ...style };
  const numbers = parseParams(params);
  for (let i = 0; i < numbers.length; i++) {
    const code = numbers[i] as number;
    if (code === 0) next = { ...DEFAULT_STYLE };
    else if (code === 1) next.bold = true;
    else if (code === 2) next.dim = true;
    else if (code === 3) next.italic = true;
    else if (code === 4) next.underline = true;
    else if (code === 7) next.reverse = true;
    else if (code === 22) next.bold = next.dim = false;
    else if (code === 23) next.italic = false;
    else if (code === 24) next.underline = false;
    else if (code === 27) next.reverse = false;
    else if (code >= 30 && code <= 37) next.foreground = code - 30;
    else if (code === 39) next.foreground = undefined;
    else if (code >= 40 && code <= 47) next.background = code - 40;
    else if (code === 49) next.background = undefined;
    else if (code >= 90 && code <= 97) next.foreground = code - 82;
    else if (code >= 100 && code <= 107) next.background = code - 92;
    else if (code === 38 || code === 48 || code === 58) {
      const { taken, color } = extendedColor(numbers, i);
      if (code === 38 && color !== undefined) next.foreground = color;
      if (code === 48 && color !== undefined) next.background = color;
      i += taken - 1;
    }
  }
  return next;
}

/** A stretch of a row's text that is drawn alike; `start` and `end` are offsets into the text, `end` excluded. */
export interface StyleSpan {
  /** Where it begins. */
  readonly start: number;
  /** Where it ends. */
  readonly end: number;
  /** How it is drawn. */
  readonly style: Style;
}

/** One row's spans, given the style that the rows before left behind, and the style that it leaves. */
export function styleRow(
  raw: string,
  before: Style = DEFAULT_STYLE,
): { readonly spans: readonly StyleSpan[]; readonly after: Style } {
  if (raw.includes("\t")) raw = raw.replaceAll("\t", " ");
  const spans: StyleSpan[] = [];
  let style = before;
  let length = 0;
  scanRow(raw, (start, end) => {
    spans.push({ start: length, end: length += end - start, style });
  }, (params) => style = applySgr(style, params));
  return { spans, after: style };
}

/** The style that a row leaves behind, without the work for its spans. */
export function styleAfterRow(raw: string, before: Style): Style {
  if (!raw.includes("\x1b[") && !raw.includes("\x9b")) return before;
  return styleRow(raw, before).after;
}
