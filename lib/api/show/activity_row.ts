import { sanitizeLine } from "../../base/text/sanitize.ts";
import { present } from "../../base/schema.ts";

export const ROW_STYLES = ["strong", "faint", "good", "caution", "bad", "cyan"] as const;

export type RowStyle = typeof ROW_STYLES[number];

/** A row of what a person sees of an agent. Its text holds nothing that a terminal would act upon; it is not wrapped. */
export interface ActivityRow {
  /** ISO 8601. */
  readonly at: string;
  /** What stands before the text, and tells what it is: `• `, `$ `. */
  readonly mark: string;
  readonly text: string;
  readonly style?: RowStyle;
  readonly begins: boolean;
  /** Whether its time is worth knowing: a turn begins or ends. @default {false} */
  readonly isTimed?: boolean;
}

/** UTF-16 units of a row. */
const MAX_ROW = 2000;

/**
 * One row of a foreign text: tabs become blanks, what a terminal would act upon becomes visible, and what is too long is
 * cut.
 */
export function safeRow(row: string, maxRow = MAX_ROW): string {
  const short = row.length > maxRow ? `${row.slice(0, maxRow).toWellFormed()}…` : row;
  return sanitizeLine(short.replaceAll("\t", "    ")).trimEnd();
}

export function safeRows(text: string, maxRow = MAX_ROW): readonly string[] {
  return text.split("\n").map((row) => safeRow(row, maxRow));
}

/** Something new: its first row has the mark, the others stand below the text. */
export function block(
  at: string,
  { mark, texts, style }: { readonly mark: string; readonly texts: readonly string[]; readonly style?: RowStyle },
): readonly ActivityRow[] {
  return texts.map((text, index) => ({
    at,
    mark: index === 0 ? mark : " ".repeat(mark.length),
    text,
    ...present({ style }),
    begins: index === 0,
  }));
}

export function quoted(
  at: string,
  { mark, texts, style = "faint" }: {
    readonly mark: string;
    readonly texts: readonly string[];
    readonly style?: RowStyle;
  },
): readonly ActivityRow[] {
  return texts.map((text) => ({ at, mark, text, style, begins: false }));
}

export function fromWorkdir(path: string, workdir: string): string {
  return path.startsWith(`${workdir}/`) ? path.slice(workdir.length + 1) : path;
}
