import { plainRow } from "../base/text/ansi.ts";
import { DEFAULT_STYLE, type Style, styleAfterRow, styleRow, type StyleSpan } from "./style.ts";
import { present } from "../base/schema.ts";

export type { Color, Style, StyleSpan } from "./style.ts";

/** What is known of a capture besides its text; everything that is missing counts as not known. */
export interface ScreenMeta {
  /** Its width. */
  readonly cols?: number;
  /** Its height. */
  readonly rows?: number;
  /** The pane's title (OSC 0/2), `#{pane_title}` in tmux. */
  readonly title?: string;
  /** Column and row of the cursor, both from 0. */
  readonly cursor?: readonly [x: number, y: number];
  /** Whether the cursor is shown. */
  readonly cursorVisible?: boolean;
  /** Whether the alternate screen is shown. */
  readonly alternate?: boolean;
  /** Whether the pane's process has ended. */
  readonly dead?: boolean;
  /** Name of the pane's foreground program, `#{pane_current_command}` in tmux. */
  readonly command?: string;
}

/** Rows from `first` to `last`, both included; `last < first` where there are none. */
export interface RowRange {
  readonly first: number;
  readonly last: number;
}

/** One row of a screen. What it takes to know is done when it is asked for. */
export interface Row {
  /** As it was captured, control sequences included. */
  readonly raw: string;
  /** What a person reads: no control sequences, no blanks at the end. */
  readonly text: string;
  /** How the text is drawn, from left to right, without gaps. */
  readonly spans: readonly StyleSpan[];
  /** Whether `spans` were asked for. */
  readonly isStyleRead: boolean;
}

/** An immutable snapshot of a pane. The pane's height is `height`, since `rows` are the rows themselves. */
export interface Screen extends Omit<ScreenMeta, "rows"> {
  /** Its rows, from above. */
  readonly rows: readonly Row[];
  /** How many rows the pane has. */
  readonly height?: number;
  /** Whether the capture carries any style at all; where it does not, rules about style have nothing to go by. */
  readonly styled: boolean;
}

/** More rows than this at the bottom of a capture are not looked at; tmux keeps 2,000 unless it is told otherwise. */
const MAX_ROWS = 10_000;

/** Whether all drawing attributes are set anew somewhere in the row, so that what came before does not matter. */
function resetsStyle(raw: string): boolean {
  return raw.includes("\x1b[0m") || raw.includes("\x1b[0;") || raw.includes("\x1b[m");
}

/** tmux sends a style once and lets it run on over the rows, so that a row's style begins somewhere above it. */
function createStyleCarry(lines: readonly string[]): (row: number) => Style {
  const before: (Style | undefined)[] = [];
  return (row) => {
    let from = row;
    while (from > 0 && before[from] === undefined && !resetsStyle(lines[from - 1] as string)) from--;
    let style = before[from] ?? (from === 0 ? DEFAULT_STYLE : styleAfterRow(lines[from - 1] as string, DEFAULT_STYLE));
    for (; from < row; from++) {
      before[from] = style;
      style = styleAfterRow(lines[from] as string, style);
    }
    return before[row] = style;
  };
}

const EIGHT_BLANKS = " ".repeat(8);

/** Cuts blanks at the end, but no no-break spaces: they are how Claude Code marks its composer. */
function trimBlanks(text: string): string {
  let end = text.length;
  // Rows often end with a hundred blanks.
  while (text.endsWith(EIGHT_BLANKS, end)) end -= EIGHT_BLANKS.length;
  while (end > 0 && text.charCodeAt(end - 1) === 0x20) end--;
  return end === text.length ? text : text.slice(0, end);
}

/** A row that works out text and spans when they are first asked for. */
class LazyRow implements Row {
  #text: string | undefined;
  #spans: readonly StyleSpan[] | undefined;

  constructor(readonly raw: string, readonly index: number, readonly styleBefore: (row: number) => Style) {}

  get text(): string {
    return this.#text ??= trimBlanks(plainRow(this.raw));
  }

  get spans(): readonly StyleSpan[] {
    return this.#spans ??= styleRow(this.raw, this.styleBefore(this.index)).spans;
  }

  get isStyleRead(): boolean {
    return this.#spans !== undefined;
  }
}

/** The lines of a capture, the last ones where there are too many. */
function toLines(capture: string): string[] {
  const lines: string[] = [];
  for (let end = capture.length; end >= 0 && lines.length < MAX_ROWS;) {
    const lineEnd = end === 0 ? -1 : capture.lastIndexOf("\n", end - 1);
    lines.push(capture.slice(lineEnd + 1, end));
    end = lineEnd;
  }
  return lines.reverse();
}

/** A sequence that sets a style, and does not only reset it. */
// deno-lint-ignore no-control-regex -- it is what is looked for
const SETS_STYLE = /\x1b\[[0;:]*[1-9][\d;:]*m/;

/**
 * Reads a capture, plain or with ANSI sequences (`tmux capture-pane -p [-e] [-J]`), into a screen. Never throws.
 *
 * A style runs on over line ends, as tmux writes it; every other sequence ends with its row at the latest. Of a capture
 * with more than 10,000 rows the last ones count.
 *
 * @example
 * ```ts
 * import { assertEquals } from "@std/assert";
 * const screen = parseScreen("\x1b[1m›\x1b[0m hello\r\n", { title: "proj" });
 * assertEquals(screen.rows[0]?.text, "› hello");
 * assertEquals(screen.rows[0]?.spans[0]?.style.bold, true);
 * ```
 */
export function parseScreen(capture: string, meta: ScreenMeta = {}): Screen {
  const lines = toLines(capture);
  const styleBefore = createStyleCarry(lines);
  const { rows: height, ...rest } = meta;
  return {
    ...rest,
    ...present({ height }),
    rows: lines.map((raw, index) => new LazyRow(raw, index, styleBefore)),
    styled: SETS_STYLE.test(capture),
  };
}

/**
 * The style at an offset of a row's text; beyond its end, the default one.
 *
 * @example
 * ```ts
 * import { assert } from "@std/assert";
 * const [row] = parseScreen("\x1b[2mold\x1b[0m new").rows;
 * assert(row && styleAt(row, 0).dim && !styleAt(row, 4).dim);
 * ```
 */
export function styleAt(row: Row, offset: number): Style {
  for (const span of row.spans) if (offset < span.end) return span.style;
  return DEFAULT_STYLE;
}
