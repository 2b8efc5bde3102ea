import type { DialogKind } from "./dialog.ts";
import { displayWidth, widestDisplayWidth } from "../base/text/display_width.ts";
import { type BrokenRow, readRows } from "./row_breaks.ts";
import type { Layout, SubjectPattern } from "./rules.ts";
import { type Row, type RowRange, type Screen, styleAt } from "./screen.ts";
import { matchesStyle } from "./style_pattern.ts";

interface Subject {
  readonly text: string | undefined;
  /** Whether `text`, or one of `otherReadings`, is all of it. */
  readonly complete: boolean;
  readonly otherReadings: readonly string[];
}

const UNKNOWN: Subject = { text: undefined, complete: false, otherReadings: [] };

export function findSubject(
  screen: Screen,
  dialog: RowRange & { readonly kind: DialogKind },
  layout: Layout,
): Subject {
  for (const pattern of layout.dialog.subjects) {
    if (!pattern.kinds.includes(dialog.kind)) continue;
    const range = pattern.in === "block_above" ? blockAbove(screen, dialog.first, layout) : dialog;
    const found = pattern.every ? readList(screen, range, pattern) : readText(screen, range, pattern);
    if (found) return found;
  }
  return UNKNOWN;
}

function blockAbove(screen: Screen, dialogRow: number, { head }: Layout): RowRange {
  for (let row = dialogRow - 1; row >= 0; row--) {
    if (head.test(screen.rows[row]?.text ?? "")) return { first: row, last: dialogRow - 1 };
  }
  return { first: 0, last: -1 };
}

function subjectRow(
  current: Row,
  text: RegExp,
  { style, styled }: { readonly style: SubjectPattern["style"]; readonly styled: boolean },
): string | undefined {
  const match = text.exec(current.text);
  if (!match) return undefined;
  const subject = match.groups?.subject ?? "";
  if (subject === "" || style === undefined || !styled) return subject;
  return matchesStyle(styleAt(current, current.text.indexOf(subject)), style) ? subject : undefined;
}

/**
 * The column in which a subject ends on its row; a box around it does not count. Programs disagree on the width of some
 * sequences of emoji: a row that may reach the edge must not be taken for one that ends before it.
 */
function endOf({ text }: Row, subject: string): number {
  const trimmed = subject.trimEnd();
  return widestDisplayWidth(trimmed === "" ? text : text.slice(0, text.lastIndexOf(trimmed) + trimmed.length));
}

function rightEdge(screen: Screen, { rightMargin = 0 }: SubjectPattern): number {
  const cols = screen.cols ??
    screen.rows.reduce((widest, { text }) => Math.max(widest, displayWidth(text)), 0);
  return cols - rightMargin;
}

function readText(screen: Screen, range: RowRange, pattern: SubjectPattern): Subject | undefined {
  const { after, first, next, cut } = pattern;
  const options = { style: pattern.style, styled: screen.styled };
  const right = rightEdge(screen, pattern);
  for (let row = range.first; row <= range.last; row++) {
    if (after && !after.test(screen.rows[row - 1]?.text ?? "")) continue;
    const current = screen.rows[row] as Row;
    const begin = subjectRow(current, first, options);
    if (begin === undefined) continue;
    const rows: BrokenRow[] = [{ text: begin, endColumn: endOf(current, begin) }];
    let complete = next !== undefined || endOf(current, begin) < right;
    for (let more = row + 1; next && more <= range.last; more++) {
      const further = screen.rows[more] as Row;
      if (cut?.test(further.text)) complete = false;
      const text = complete ? subjectRow(further, next, options) : undefined;
      if (text === undefined) break;
      rows.push({ text, endColumn: endOf(further, text) });
    }
    while (rows.length > 1 && rows.at(-1)?.text.trim() === "") rows.pop();
    const left = displayWidth(current.text.slice(0, current.text.lastIndexOf(begin)));
    const { best, others, all } = readRows(rows, { left, right });
    return { text: best, complete: complete && all, otherReadings: complete && all ? others : [] };
  }
  return undefined;
}

function readList(screen: Screen, range: RowRange, pattern: SubjectPattern): Subject | undefined {
  const options = { style: pattern.style, styled: screen.styled };
  const right = rightEdge(screen, pattern);
  const found: string[] = [];
  let complete = true;
  let count = 1;
  for (let row = range.first; row <= range.last; row++) {
    const current = screen.rows[row] as Row;
    count = Math.max(count, Number(pattern.count?.exec(current.text)?.groups?.count ?? 1));
    if (pattern.cut?.test(current.text)) complete = false;
    const text = subjectRow(current, pattern.first, options);
    if (text === undefined) continue;
    complete &&= widestDisplayWidth(current.text) < right;
    found.push(...text.split(pattern.separator ?? "\n"));
  }
  if (found.length === 0) return undefined;
  return { text: found.join("\n"), complete: complete && found.length >= count, otherReadings: [] };
}
