import type { Excerpt } from "../../base/errors.ts";
import { cut, displayWidth } from "../../base/text/display_width.ts";
import { sanitizeLine } from "../../base/text/sanitize.ts";
import { paint } from "./color.ts";

export interface ExcerptOptions {
  readonly color: boolean;
  readonly columns: number;
}

/** What of a row is meant: a JSON string, a word or number, or a single character. */
const TOKEN = /^(?:"(?:[^"\\]|\\.)*"?|[\w.+-]+|\S)/;

const MARGIN = 12;

export function excerptLines({ line, row, column }: Excerpt, { color, columns }: ExcerptOptions): readonly string[] {
  const [token = ""] = TOKEN.exec(row.slice(column - 1)) ?? [];
  const number = String(line).padStart(5);
  const room = Math.max(20, columns - number.length - 4);
  // A tab is one column wide here, so that the marks stand below what is meant.
  const shown = (text: string) => sanitizeLine(text.replaceAll("\t", " "));
  const before = shown(row.slice(0, column - 1));
  const isTooLong = displayWidth(before) + displayWidth(token) > room;
  const start = isTooLong && before.length > MARGIN ? `…${[...before].slice(-MARGIN).join("")}` : before;
  const text = cut(start + shown(row.slice(column - 1)), room);
  const width = Math.max(1, Math.min(displayWidth(shown(token)), room - displayWidth(start)));
  const gutter = paint(`${" ".repeat(number.length)} |`, "blue", color);
  return [
    gutter,
    `${paint(`${number} |`, "blue", color)} ${text}`.trimEnd(),
    `${gutter} ${" ".repeat(displayWidth(start))}${paint("^".repeat(width), "error", color)}`,
  ];
}
