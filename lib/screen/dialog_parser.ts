import type { DialogInfo, DialogKind, DialogOption } from "./dialog.ts";
import { findSubject } from "./dialog_subject.ts";
import type { Layout } from "./rules.ts";
import { type Row, type RowRange, type Screen, styleAt } from "./screen.ts";
import { createWrapTest } from "./wrapping.ts";
import { isAnyColored, matchesStyle } from "./style_pattern.ts";
import { present } from "../base/schema.ts";

/** How far above its choices a dialog may begin, in rows: room for a long command or diff. */
const MAX_DIALOG_ROWS = 200;

const NUMBER = /^(\d{1,2})\. ?/;

/** What stands in the place of the mark of a selected choice where more choices are out of sight. */
const SCROLL_MARK = /^( {0,5})[↑↓] (?=\d)/;

/** The same in a row of its own. */
const SCROLL_ROW = /^ {0,5}[↑↓]$/;

interface Choice {
  readonly row: number;
  readonly number: number | undefined;
  readonly lines: string[];
  readonly selected: boolean;
  /** Whether choices next to it are out of sight. */
  readonly scrolled: boolean;
}

interface Selected {
  readonly row: number;
  /** The column in which the choices' numbers or labels begin. */
  readonly column: number;
  readonly numbered: boolean;
  /** Whether it is drawn as a selected choice is; where nothing has a colour, it may look like the others. */
  readonly drawn: boolean;
}

function indentOf(text: string): number {
  let indent = 0;
  while (indent < text.length && text.charCodeAt(indent) === 0x20) indent++;
  return indent;
}

/** The lowest row that is drawn as a selected choice, else the lowest that has the mark of one. */
function findSelected(screen: Screen, lastRow: number, layout: Layout): Selected | undefined {
  const { dialog } = layout;
  let plain: Selected | undefined;
  for (let row = lastRow, ink = 0; row >= 0 && ink <= MAX_DIALOG_ROWS; row--) {
    const current = screen.rows[row] as Row;
    if (current.text === "") continue;
    ink++;
    const match = dialog.selected.exec(current.text);
    if (!match) continue;
    const before = match.groups?.before ?? "";
    const looksSent = layout.echo.first.test(current.text);
    if (looksSent && layout.echo.style && screen.styled) {
      if (matchesStyle(styleAt(current, 0), layout.echo.style)) return plain;
    }
    const numbered = match.groups?.number !== undefined;
    const drawn = !screen.styled || matchesStyle(styleAt(current, indentOf(before)), dialog.selectedStyle);
    const selected = { row, column: before.length, numbered, drawn };
    if (drawn) return selected;
    if (numbered || !looksSent) plain ??= selected;
  }
  return plain;
}

/** The choice that a row begins, when the choices stand in the selected one's column. */
function choiceAt(screen: Screen, row: number, selected: Selected): Choice | undefined {
  const { text } = screen.rows[row] as Row;
  const mark = selected.numbered && row !== selected.row ? SCROLL_MARK.exec(text) : null;
  const column = row === selected.row ? selected.column : mark?.[0].length ?? indentOf(text);
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
    scrolled: mark !== null,
  };
}

/** So many rows below a row that was wrapped to the left edge, the next choice begins at the latest. */
const MAX_WRAPPED_ROWS = 4;

function findChoices(screen: Screen, selected: Selected, bounds: { lastRow: number; layout: Layout }): Choice[] {
  const { dialog } = bounds.layout;
  const continues = createWrapTest(screen.rows);
  // Where a long command takes all rows, no blank one is left above the hint (Codex 0.169.0). A label that goes on in
  // the next row is indented further, or not at all where the terminal has wrapped it.
  const isHint = (text: string) =>
    indentOf(text) > 0 && indentOf(text) <= selected.column && dialog.proof?.test(text) === true;
  const choices: Choice[] = [];
  // Codex wraps what it says of a choice to the left edge (0.169.0, login at 40 columns).
  const isWithin = (row: number): boolean => {
    const last = choices.at(-1);
    if (!selected.numbered || !last) return false;
    for (let next = row + 1; next <= Math.min(row + MAX_WRAPPED_ROWS, bounds.lastRow); next++) {
      const choice = choiceAt(screen, next, selected);
      if (choice) return isNext(choice, last);
    }
    return false;
  };
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
    if (choice && (!last || isNext(choice, last))) {
      choices.push(choice);
    } else if (
      last && !isHint(text) &&
      (!gap && isWithin(row) || indentOf(text) >= selected.column + (gap ? 1 : 0) || continues(row))
    ) {
      last.lines.push(text.trim());
    } else break;
    gap = false;
  }
  return choices;
}

/** Whether a choice follows another one; numbers are left out only where choices are out of sight. */
function isNext({ number }: Choice, last: Choice): boolean {
  if (number === undefined) return true;
  const next = (last.number ?? 0) + 1;
  return number === next || last.scrolled && number > next;
}

function toOption(choice: Choice, key: RegExp): DialogOption {
  const text = choice.lines.join(" ");
  const match = key.exec(text);
  return {
    label: match ? text.slice(0, match.index).trimEnd() : text,
    ...present({ key: match?.groups?.key || undefined, number: choice.number }),
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

/** A row of hints that breaks off in the middle of one. */
const OPEN_HINT = / (?:·|to|Esc|Enter)$/;

/** Whether a row is the end of a hint that Claude Code has wrapped, by words and without an indent (2.1.328). */
function endsHint({ rows, cols = 0 }: Screen, row: number, hint: RegExp): boolean {
  const above = rows[row - 1]?.text ?? "";
  const [word = ""] = rows[row]?.text.split(" ", 1) ?? [];
  return hint.test(above) && OPEN_HINT.test(above) && above.length + 1 + word.length > cols;
}

/**
 * What stands below the choices: hints, rows that may belong to a dialog, for they are few, and indented, or what
 * belongs to none.
 */
function judgeBelow(screen: Screen, range: RowRange, { dialog, head }: Layout): "hints" | "plausible" | "implausible" {
  const continues = createWrapTest(screen.rows);
  let below = 0;
  let hinted = false;
  for (let row = range.first; row <= range.last; row++) {
    const { text } = screen.rows[row] as Row;
    if (text === "" || SCROLL_ROW.test(text)) continue;
    const hint = dialog.hint.test(text);
    hinted ||= hint;
    if (
      ++below > dialog.maxBelow ||
      indentOf(text) === 0 && !hint && (!continues(row) || head.test(text)) && !endsHint(screen, row, dialog.hint)
    ) {
      return "implausible";
    }
  }
  return hinted ? "hints" : "plausible";
}

/**
 * Whether a dialog whose selected choice is drawn like the others is one all the same: nothing from its choices on has
 * a colour, and a row below them proves it, or one above them with no block of the conversation in between.
 */
function isProved(screen: Screen, { first, choices, below, lastRow }: {
  readonly first: number;
  readonly choices: RowRange;
  readonly below: number;
  readonly lastRow: number;
}, { head, dialog: { proof } }: Layout): boolean {
  if (proof === undefined || isAnyColored(screen, { first: choices.first, last: lastRow })) return false;
  const isProof = ({ text }: Row) => proof.test(text);
  if (screen.rows.slice(below, lastRow + 1).some(isProof)) return true;
  const above = screen.rows.slice(first, choices.first);
  return above.slice(above.findLastIndex(({ text }) => head.test(text)) + 1).some(isProof);
}

/**
 * Finds the dialog that is open at the bottom of a screen without composer: a selected choice, others in its column,
 * and little below them.
 */
export function findDialog(
  screen: Screen,
  bounds: {
    readonly lastRow: number;
    readonly layout: Layout;
    /** Whether it must be proved, as what stands there may be a prompt. @default {false} */
    readonly proofNeeded?: boolean;
  },
): {
  readonly first: number;
  readonly last: number;
  readonly selectedRow: number;
  readonly info: DialogInfo;
} | undefined {
  const { lastRow, layout, proofNeeded = false } = bounds;
  const selected = findSelected(screen, lastRow, layout);
  if (!selected) return undefined;
  const choices = findChoices(screen, selected, bounds);
  const lastChoice = choices.at(-1);
  if (choices.length < 2 || !lastChoice) return undefined;
  const below = lastChoice.row + lastChoice.lines.length;
  const verdict = judgeBelow(screen, { first: below, last: lastRow }, layout);
  if (verdict === "implausible") return undefined;
  const firstChoice = (choices[0] as Choice).row;
  const first = findTop(screen, firstChoice, layout);
  if (proofNeeded || !selected.drawn || !screen.styled && verdict !== "hints") {
    const parts = { first, choices: { first: firstChoice, last: lastChoice.row }, below, lastRow };
    if (!isProved(screen, parts, layout)) return undefined;
  }
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
