import type { DialogInfo, DialogKind, DialogOption } from "./dialog.ts";
import { findSubject } from "./dialog_subject.ts";
import type { Layout } from "./rules.ts";
import { type Row, type RowRange, type Screen, styleAt } from "./screen.ts";
import { createWrapTest } from "./wrapping.ts";
import { matchesStyle } from "./style_pattern.ts";

/** How far above its choices a dialog may begin, in rows: room for a long command or diff. */
const MAX_DIALOG_ROWS = 200;

const NUMBER = /^(\d{1,2})\. ?/;

/** One choice, or a row that continues one, as offsets into the screen. */
interface Choice {
  readonly row: number;
  readonly number: number | undefined;
  readonly lines: string[];
  readonly selected: boolean;
}

interface Selected {
  readonly row: number;
  /** The column in which the choices' numbers or labels begin. */
  readonly column: number;
  readonly numbered: boolean;
}

function indentOf(text: string): number {
  let indent = 0;
  while (indent < text.length && text.charCodeAt(indent) === 0x20) indent++;
  return indent;
}

/** The lowest row that shows the mark of a selected choice. */
function findSelected(screen: Screen, lastRow: number, layout: Layout): Selected | undefined {
  const { dialog } = layout;
  for (let row = lastRow, ink = 0; row >= 0 && ink <= MAX_DIALOG_ROWS; row--) {
    const current = screen.rows[row] as Row;
    if (current.text === "") continue;
    ink++;
    const match = dialog.selected.exec(current.text);
    if (!match) continue;
    const before = match.groups?.before ?? "";
    if (layout.echo.first.test(current.text) && layout.echo.style && screen.styled) {
      if (matchesStyle(styleAt(current, 0), layout.echo.style)) return undefined;
    }
    if (screen.styled && !matchesStyle(styleAt(current, indentOf(before)), dialog.selectedStyle)) continue;
    return { row, column: before.length, numbered: match.groups?.number !== undefined };
  }
  return undefined;
}

/** The choice that a row begins, when the choices stand in the selected one's column. */
function choiceAt(screen: Screen, row: number, selected: Selected): Choice | undefined {
  const { text } = screen.rows[row] as Row;
  const column = row === selected.row ? selected.column : indentOf(text);
  // Claude Code 2.1.72 moves a choice by a column where its label is wrapped.
  if (Math.abs(column - selected.column) > (selected.numbered ? 1 : 0)) return undefined;
  const label = text.slice(column);
  const number = NUMBER.exec(label);
  if (selected.numbered !== (number !== null)) return undefined;
  return {
    row,
    number: number ? Number(number[1]) : undefined,
    lines: [label.slice(number?.[0].length ?? 0).trim()],
    selected: row === selected.row,
  };
}

/** All choices around the selected one, from top to bottom. */
function findChoices(screen: Screen, selected: Selected, bounds: { lastRow: number; layout: Layout }): Choice[] {
  const { dialog } = bounds.layout;
  const continues = createWrapTest(screen.rows);
  const choices: Choice[] = [];
  let first = selected.row;
  for (let row = selected.row - 1, blanks = 0; row >= 0; row--) {
    const { text } = screen.rows[row] as Row;
    if (text === "") {
      if (!selected.numbered && ++blanks > 1) break;
      continue;
    }
    const choice = choiceAt(screen, row, selected);
    if (choice) first = row;
    if (choice?.number === 1) break;
    if (choice || dialog.rule.test(text)) blanks = 0;
    else if (indentOf(text) <= selected.column && !continues(row)) break;
  }
  for (let row = first, gap = false; row <= bounds.lastRow; row++) {
    const { text } = screen.rows[row] as Row;
    if (text === "" || dialog.rule.test(text)) {
      gap = true;
      continue;
    }
    const choice = choiceAt(screen, row, selected);
    const last = choices.at(-1);
    if (choice && (!last || choice.number === undefined || choice.number === (last.number ?? 0) + 1)) {
      choices.push(choice);
    } else if (last && (indentOf(text) >= selected.column + (gap ? 1 : 0) || continues(row))) {
      last.lines.push(text.trim());
    } else break;
    gap = false;
  }
  return choices;
}

function toOption(choice: Choice, key: RegExp): DialogOption {
  const text = choice.lines.join(" ");
  const match = key.exec(text);
  return {
    label: match ? text.slice(0, match.index).trimEnd() : text,
    ...(match?.groups?.key ? { key: match.groups.key } : {}),
    ...(choice.number === undefined ? {} : { number: choice.number }),
    selected: choice.selected,
  };
}

/** The row that a dialog begins with: what the layout says, else what follows the last block or gap. */
function findTop(screen: Screen, firstChoice: number, layout: Layout): number {
  const { dialog } = layout;
  let top = firstChoice;
  for (let row = firstChoice - 1; row >= 0 && firstChoice - row <= MAX_DIALOG_ROWS; row--) {
    const current = screen.rows[row] as Row;
    if (layout.echo.first.test(current.text)) break;
    if (dialog.top.test(current.text)) {
      const style = styleAt(current, indentOf(current.text));
      if (!screen.styled || !dialog.topStyle || matchesStyle(style, dialog.topStyle)) return row;
    }
    if (current.text !== "") top = row;
  }
  return top;
}

/** The paragraphs between two rows: stretches of rows that are neither blank nor a line. */
function paragraphs(screen: Screen, range: RowRange, rule: RegExp): string[] {
  const found: string[][] = [[]];
  for (let row = range.first; row <= range.last; row++) {
    const text = (screen.rows[row] as Row).text.trim();
    if (text === "" || rule.test(text)) found.push([]);
    else found.at(-1)?.push(text);
  }
  return found.filter((lines) => lines.length > 0).map((lines) => lines.join(" "));
}

/** The paragraph that asks: the first one where none looks like it. */
function findHeading(texts: readonly string[], { text, from }: Layout["dialog"]["heading"]): string {
  const asks = from === "top" ? texts.find((each) => text.test(each)) : texts.findLast((each) => text.test(each));
  return asks ?? texts[0] ?? "";
}

/** The first of the sources, in their order, that tells the kind: an agent's words come after the CLI's own. */
function findKind(sources: readonly (string | undefined)[], kinds: Layout["dialog"]["kinds"]): DialogKind {
  for (const source of sources) {
    const found = source === undefined ? undefined : kinds.find(({ text }) => text.test(source));
    if (found) return found.kind;
  }
  return "other";
}

/** Whether what stands below the choices can be a dialog's hints: little, and indented unless it is a known hint. */
function isBelowPlausible(screen: Screen, range: RowRange, { dialog }: Layout): boolean {
  const continues = createWrapTest(screen.rows);
  let below = 0;
  let hinted = false;
  for (let row = range.first; row <= range.last; row++) {
    const { text } = screen.rows[row] as Row;
    if (text === "") continue;
    const hint = dialog.hint.test(text);
    hinted ||= hint;
    if (++below > dialog.maxBelow || indentOf(text) === 0 && !hint && !continues(row)) return false;
  }
  return screen.styled || hinted;
}

/** A dialog, and where it is. */
export interface FoundDialog {
  readonly first: number;
  readonly last: number;
  readonly selectedRow: number;
  readonly info: DialogInfo;
}

/**
 * Finds the dialog that is open at the bottom of a screen without composer: a selected choice, others in its column, and
 * little below them.
 */
export function findDialog(
  screen: Screen,
  bounds: { readonly lastRow: number; readonly layout: Layout },
): FoundDialog | undefined {
  const { lastRow, layout } = bounds;
  const selected = findSelected(screen, lastRow, layout);
  if (!selected) return undefined;
  const choices = findChoices(screen, selected, bounds);
  const lastChoice = choices.at(-1);
  if (choices.length < 2 || !lastChoice) return undefined;
  if (!isBelowPlausible(screen, { first: lastChoice.row + lastChoice.lines.length, last: lastRow }, layout)) {
    return undefined;
  }
  const firstChoice = (choices[0] as Choice).row;
  const first = findTop(screen, firstChoice, layout);
  const body = { first, last: firstChoice - 1 };
  const texts = paragraphs(screen, body, layout.dialog.rule);
  const heading = findHeading(texts, layout.dialog.heading);
  const options = choices.map((choice) => toOption(choice, layout.dialog.key));
  const kind = findKind([texts[0], ...options.map((option) => option.label), heading], layout.dialog.kinds);
  const { text: subject, complete, otherReadings } = findSubject(screen, { ...body, kind }, layout);
  const fingerprint = JSON.stringify([kind, heading, subject ?? "", options.map((option) => option.label)]);
  const info = { kind, heading, subject, subjectComplete: complete, otherReadings, options, fingerprint };
  return { first, last: lastRow, selectedRow: selected.row, info };
}
