import { clip, displayWidth, graphemes } from "../../base/text/display_width.ts";

export const MAX_COLUMNS = 100;

/** Breaks text at spaces into lines of at most `width` columns; a longer word gets a line of its own. */
export function wrap(text: string, width: number): string[] {
  const lines: string[] = [];
  let line = "";
  for (const word of text.split(/\s+/).filter((part) => part.length > 0)) {
    if (line.length > 0 && displayWidth(line) + 1 + displayWidth(word) > width) {
      lines.push(line);
      line = word;
    } else {
      line = line.length === 0 ? word : `${line} ${word}`;
    }
  }
  if (line.length > 0 || lines.length === 0) lines.push(line);
  return lines;
}

/**
 * Breaks a row of text into rows of at most `width` columns, at blanks where there are some. Its other blanks stay: it
 * may be code.
 */
export function wrapRow(row: string, width: number): string[] {
  const rows: string[] = [];
  let rest = row;
  while (displayWidth(rest) > width) {
    const room = clip(rest, width) || [...graphemes(rest)][0]!;
    const isWordEnd = rest[room.length] === " ";
    const blank = isWordEnd ? room.length : room.lastIndexOf(" ");
    const end = blank > 0 && room.slice(0, blank).trim() !== "" ? blank : room.length;
    rows.push(rest.slice(0, end).trimEnd());
    rest = rest.slice(end).replace(/^ /, "");
  }
  return [...rows, rest];
}

/**
 * Breaks a row of prose at words into rows of at most `width` columns, indented as it is. A command after "with:", and
 * what stands in quotes, stays in one row, so that it can be copied; it may be too wide then, as a long word may.
 */
export function wrapProse(row: string, width: number): string[] {
  if (displayWidth(row) <= width) return [row];
  const indent = /^ */.exec(row)?.[0] ?? "";
  const rows: string[] = [];
  for (const word of row.trim().replaceAll(WHOLE, (whole) => whole.replaceAll(" ", NO_BREAK)).split(" ")) {
    const last = rows.at(-1);
    if (last === undefined || displayWidth(`${indent}${last} ${word}`) > width) rows.push(word);
    else rows[rows.length - 1] = `${last} ${word}`;
  }
  return rows.map((each) => indent + each.replaceAll(NO_BREAK, " "));
}

/** What is not broken. */
const WHOLE = /(?<=with: )[^,]+|"[^"]*"|`[^`]*`/g;

const NO_BREAK = "\u00a0";

interface TwoColumnsOptions {
  readonly width: number;
  /** @default {30} maximum width of the left column; after a longer left text, the right text is on the next line */
  readonly maxLeft?: number;
}

export function twoColumns(rows: readonly (readonly [string, string])[], options: TwoColumnsOptions): string[] {
  const maxLeft = options.maxLeft ?? 30;
  const widths = rows.map(([left]) => displayWidth(left)).filter((width) => width <= maxLeft);
  const leftWidth = Math.max(0, ...widths);
  const rightWidth = Math.max(20, options.width - leftWidth - 4);
  return rows.flatMap(([left, right]) => {
    const [first = "", ...rest] = wrap(right, rightWidth);
    const indent = " ".repeat(leftWidth + 4);
    const head = displayWidth(left) > leftWidth
      ? [`  ${left}`, `${indent}${first}`]
      : [`  ${padEnd(left, leftWidth)}  ${first}`.trimEnd()];
    return [...head, ...rest.map((line) => indent + line)];
  });
}

/** Rows of cells, each column as wide as its widest cell. */
export function inColumns(rows: readonly (readonly string[])[]): readonly string[] {
  const widths = (rows[0] ?? []).map((_, column) => Math.max(...rows.map((row) => displayWidth(row[column] ?? ""))));
  return rows.map((row) => row.map((cell, column) => padEnd(cell, widths[column] ?? 0)).join("  ").trimEnd());
}

export function padEnd(text: string, width: number): string {
  return text + " ".repeat(Math.max(0, width - displayWidth(text)));
}
