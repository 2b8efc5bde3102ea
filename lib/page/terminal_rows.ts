import { type Color, DEFAULT_STYLE, type Style, styleRow } from "../screen/style.ts";
import { plainRow } from "../base/text/ansi.ts";
import { displayWidth, graphemes } from "../base/text/display_width.ts";
import { sanitizeLine } from "../base/text/sanitize.ts";

export interface TerminalSpan {
  readonly text: string;
  readonly style: Style;
  /** The columns that it must take, where a font may draw it wider or narrower; missing where none does. */
  readonly columns?: number;
}

/** What every monospaced font draws in one column: printable ASCII, Latin, boxes and blocks. */
const EVEN = /^[\x20-\x7e\xa1-\xac\xae-\xff\u2500-\u259f]/;
const PIECES = /[\x20-\x7e\xa1-\xac\xae-\xff\u2500-\u259f]+|[^\x20-\x7e\xa1-\xac\xae-\xff\u2500-\u259f]+/g;

/** The most rows that are drawn: a screen has few, and a capture may be anything. */
const MAX_ROWS = 2000;

export function terminalRows(capture: string): readonly (readonly TerminalSpan[])[] {
  let style = DEFAULT_STYLE;
  return capture.replace(/\n$/, "").split("\n", MAX_ROWS).map((raw) => {
    const row = raw.replace(/\r$/, "");
    const text = plainRow(row);
    const { spans, after } = styleRow(row, style);
    style = after;
    return spans.flatMap((span) => [...evenPieces(text.slice(span.start, span.end), span.style)]);
  });
}

function* evenPieces(text: string, style: Style): Generator<TerminalSpan> {
  for (const [piece] of text.matchAll(PIECES)) {
    if (EVEN.test(piece)) {
      yield { text: piece, style };
      continue;
    }
    for (const cluster of graphemes(piece)) {
      const columns = displayWidth(cluster);
      // What takes no column may hide or reorder text: it is shown as what it is.
      yield columns === 0 ? { text: sanitizeLine(cluster), style } : { text: cluster, style, columns };
    }
  }
}

function cssColor(color: Color): string {
  if (typeof color === "string") return color;
  if (color < 16) return `var(--t${color})`;
  if (color >= 232) return gray(8 + (color - 232) * 10);
  const index = color - 16;
  const part = (value: number) => value === 0 ? 0 : 55 + value * 40;
  return `rgb(${part(Math.floor(index / 36))} ${part(Math.floor(index / 6) % 6)} ${part(index % 6)})`;
}

function gray(value: number): string {
  return `rgb(${value} ${value} ${value})`;
}

export function colorsOf(style: Style): { readonly color?: string; readonly background?: string } {
  const front = style.foreground === undefined ? undefined : cssColor(style.foreground);
  const back = style.background === undefined ? undefined : cssColor(style.background);
  if (style.reverse) return { color: back ?? "var(--term-back)", background: front ?? "var(--term-text)" };
  return { ...front === undefined ? {} : { color: front }, ...back === undefined ? {} : { background: back } };
}
