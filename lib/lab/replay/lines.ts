import { clip, displayWidth } from "../../base/text/display_width.ts";

export const BOLD = "1";
export const DIM = "2";

interface Span {
  readonly text: string;
  readonly sgr?: string;
}

export interface Line {
  readonly spans: readonly Span[];
  readonly background?: string;
}

export const BLANK: Line = { spans: [] };

export function line(...spans: readonly (Span | string)[]): Line {
  return { spans: spans.map((span) => typeof span === "string" ? { text: span } : span) };
}

export function styled(sgr: string, text: string): Span {
  return { text, sgr };
}

export function wrapText(text: string, width: number): string[] {
  return text.split("\n").flatMap((paragraph) => wrapParagraph(printable(paragraph), Math.max(1, width)));
}

export function renderLine(row: Line, columns: number): string {
  let left = columns;
  let output = "";
  const base = row.background;
  for (const span of row.spans) {
    if (left <= 0) break;
    const text = clip(span.text, left);
    left -= displayWidth(text);
    const sgr = [base, span.sgr].filter((part) => part !== undefined).join(";");
    output += sgr === "" ? text : `\x1b[${sgr}m${text}\x1b[0m`;
  }
  return base === undefined || left <= 0 ? output : `${output}\x1b[${base}m${" ".repeat(left)}\x1b[0m`;
}

function wrapParagraph(text: string, width: number): string[] {
  const rows: string[] = [];
  let row = "";
  let used = 0;
  for (const word of text.match(/\s+|\S+/g) ?? []) {
    const wordWidth = displayWidth(word);
    if (used + wordWidth <= width) {
      row += word;
      used += wordWidth;
      continue;
    }
    if (word.trim() === "") {
      rows.push(row);
      [row, used] = ["", 0];
      continue;
    }
    if (row.trim() !== "") {
      rows.push(row.trimEnd());
      [row, used] = ["", 0];
    }
    let rest = word;
    while (displayWidth(rest) > width - used) {
      const piece = clip(rest, width - used);
      if (piece === "" && used === 0) break;
      rows.push(row + piece);
      [row, used] = ["", 0];
      rest = rest.slice(piece.length);
    }
    row += rest;
    used += displayWidth(rest);
  }
  rows.push(row);
  return rows;
}

function printable(text: string): string {
  // deno-lint-ignore no-control-regex
  return text.replaceAll("\t", "    ").replaceAll(/[\x00-\x1f\x7f-\x9f]/g, "");
}
