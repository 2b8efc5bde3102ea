import { findDialog } from "./dialog_parser.ts";
import type { DialogInfo } from "./dialog.ts";
import type { Layout } from "./rules.ts";
import { type Row, type RowRange, type Screen, styleAt } from "./screen.ts";
import { createWrapTest } from "./wrapping.ts";
import { asksForColor, isAnyColored, isColored, matchesStyle } from "./style_pattern.ts";
import { present } from "../base/schema.ts";

export interface Composer {
  /** What was typed, without glyph and indentation; empty where only a placeholder is shown. */
  readonly text: string;
  /** The markers in it that stand for pasted texts; missing where there is none. */
  readonly pasted?: PastedText;
  readonly state: "empty" | "draft";
  readonly firstRow: number;
  readonly lastRow: number;
}

/** What a composer shows of pasted texts that are too long for it. */
export interface PastedText {
  readonly markers: readonly PasteMarker[];
  readonly rest: string;
}

/** What stands for a pasted text, and how long it says that one is. */
export interface PasteMarker {
  readonly chars?: number;
  readonly lines?: number;
}

export interface Regions {
  readonly composer: Composer | undefined;
  readonly dialog: (RowRange & { readonly info: DialogInfo }) | undefined;
  readonly footer: RowRange;
  readonly status: RowRange;
  /** What came after the last prompt that was sent; all of the conversation where none is visible. */
  readonly lastTurn: RowRange;
  readonly transcript: RowRange;
  /** The row on which the last prompt that was sent begins. */
  readonly echoRow: number | undefined;
  /** The last row that is not blank; -1 on a blank screen. */
  readonly lastRow: number;
}

/** The last row that is not blank, at or above `from`; -1 where there is none. */
function lastInkedRow(rows: readonly Row[], from: number = rows.length - 1): number {
  let row = from;
  while (row >= 0 && isBlank(rows[row] as Row)) row--;
  return row;
}

function isBlank(row: Row): boolean {
  return row.text.trim() === "";
}

function isPlaceholder(screen: Screen, row: Row, text: string, { composer }: Layout): boolean {
  if (!screen.styled) return composer.placeholders.test(text);
  const from = row.text.length - text.length;
  const first = styleAt(row, from);
  if (matchesStyle(text.length < 2 ? first : styleAt(row, from + 1), composer.placeholderStyle)) return true;
  // Without colours it is drawn like a draft with the cursor on its first character (2.1.200, NO_COLOR).
  return first.reverse && composer.placeholders.test(text) && !isColored(row);
}

/** Where the rows of a prompt end that begins at `first`, when `bottom` is the screen's last row that is not blank. */
function composerEnd(screen: Screen, first: number, bottom: number, layout: Layout): number {
  const { rows } = screen;
  if (layout.composer.frame) {
    for (let row = first + 1; row <= bottom; row++) {
      if (layout.composer.frame.test((rows[row] as Row).text)) return row - 1;
    }
    return first;
  }
  let end = bottom;
  while (end > first && !isBlank(rows[end] as Row)) end--;
  if (end > first) end = lastInkedRow(rows, end);
  const cursorRow = screen.cursorVisible !== false ? screen.cursor?.[1] : undefined;
  if (cursorRow !== undefined && cursorRow > end && cursorRow <= bottom) end = cursorRow;
  return end;
}

interface Prompt {
  readonly row: number;
  readonly typed: string;
}

/** The composer's first row: nothing may stand below it but what the layout allows there. */
function findPrompt(screen: Screen, lastRow: number, layout: Layout): Prompt | undefined {
  const { rows } = screen;
  const { composer } = layout;
  const continues = createWrapTest(rows);
  let frames = 0;
  let below = 0;
  for (let row = lastRow; row >= 0; row--) {
    const current = rows[row] as Row;
    const { text } = current;
    if (text === "") continue;
    if (composer.frame?.test(text)) {
      if (!composer.frame.test(rows[row + 1]?.text ?? "") && ++frames > 1) return undefined;
      continue;
    }
    if (!composer.frame || frames === 1) {
      const prompt = composer.first.exec(text);
      const match = prompt ?? composer.shell?.exec(text);
      const style = prompt ? composer.style : composer.shellStyle;
      const framed = !composer.frame || composer.frame.test(rows[row - 1]?.text ?? "");
      // The style comes last, as everywhere: a look takes the less time the fewer rows' styles it asks for.
      const isDrawn = () => !screen.styled || !style || matchesStyle(styleAt(current, 0), style);
      if (match && framed && isDrawn()) return { row, typed: match.groups?.text ?? "" };
    }
    if (frames > 0 || composer.next.test(text)) continue;
    // A row that begins a block continues none, however long the row above it is.
    const mayStand = composer.below.test(text) || continues(row) && !layout.head.test(text);
    if (!mayStand || ++below > composer.maxBelow) return undefined;
  }
  return undefined;
}

/** The prompt of an older CLI on a screen without style: the last row that is not indented. */
function findBarePrompt(screen: Screen, lastRow: number, { composer }: Layout): Prompt | undefined {
  if (!composer.bare || screen.styled) return undefined;
  for (let row = lastRow; row >= 0; row--) {
    const { text } = screen.rows[row] as Row;
    if (text === "" || composer.next.test(text)) continue;
    const match = composer.bare.exec(text);
    return match ? { row, typed: match.groups?.text ?? "" } : undefined;
  }
  return undefined;
}

function findComposer(screen: Screen, lastRow: number, layout: Layout): Composer | undefined {
  const { composer } = layout;
  const prompt = findPrompt(screen, lastRow, layout) ?? findBarePrompt(screen, lastRow, layout);
  if (!prompt) return undefined;
  const { row, typed } = prompt;
  const end = composerEnd(screen, row, lastRow, layout);
  const lines = [typed];
  for (let next = row + 1; next <= end; next++) {
    const { text } = screen.rows[next] as Row;
    lines.push(composer.next.exec(text)?.groups?.text ?? text);
  }
  const placeholder = end === row && typed !== "" && isPlaceholder(screen, screen.rows[row] as Row, typed, layout);
  const text = placeholder ? "" : lines.join("\n").trimEnd();
  const pasted = findPasted(text, layout);
  return { text, ...present({ pasted }), state: text === "" ? "empty" : "draft", firstRow: row, lastRow: end };
}

/** The markers in the text of a composer that stand for pasted texts; `undefined` where there is none. */
export function findPasted(text: string, { composer: { pasteMarker } }: Layout): PastedText | undefined {
  if (pasteMarker === undefined || !pasteMarker.test(text)) return undefined;
  const markers: PasteMarker[] = [];
  const rest = text.replaceAll(new RegExp(pasteMarker, "gu"), (...match) => {
    const groups: unknown = match.at(-1);
    const { chars, lines } = isGroups(groups) ? groups : {};
    markers.push(present({ chars: numberOf(chars), lines: numberOf(lines) }));
    return "";
  });
  return { markers, rest };
}

function numberOf(digits: string | undefined): number | undefined {
  return digits === undefined ? undefined : Number(digits);
}

/** A function that replaces is given the named groups last, where the pattern has some. */
function isGroups(value: unknown): value is Readonly<Record<string, string | undefined>> {
  return typeof value === "object";
}

/** Without style or colours a selected choice of a dialog looks like a prompt; its number tells them apart. */
function isEcho(screen: Screen, row: Row, { echo, dialog }: Layout): boolean {
  if (!echo.first.test(row.text)) return false;
  const isNumbered = () => dialog.selected.exec(row.text)?.groups?.number !== undefined;
  if (!screen.styled) return !isNumbered();
  if (!echo.style || matchesStyle(styleAt(row, 0), echo.style)) return true;
  return asksForColor(echo.style) && !isColored(row) && !isNumbered();
}

function findEcho(screen: Screen, from: number, layout: Layout): number | undefined {
  for (let row = from; row >= 0; row--) if (isEcho(screen, screen.rows[row] as Row, layout)) return row;
  return undefined;
}

/**
 * Where the rows end that belong to the prompt itself. A background tells; without one, the first block of the answer
 * does, unless the prompt's row is the screen's first: its answer may have been scrolled from under it.
 */
function findTurnStart(screen: Screen, echoRow: number, bottom: number, layout: Layout): number {
  if (!screen.styled) return echoRow + 1;
  const { rows } = screen;
  const { background } = styleAt(rows[echoRow] as Row, 0);
  let row = echoRow + 1;
  if (background !== undefined) {
    const belongs = (next: Row) => isBlank(next) || styleAt(next, 0).background === background;
    while (row <= bottom && belongs(rows[row] as Row)) row++;
    return row;
  }
  while (row <= bottom && !layout.head.test((rows[row] as Row).text)) row++;
  return row <= bottom || echoRow > 0 ? row : 1;
}

/** From the composer upwards through what merely adds to the status, to the block that it adds to. */
function findStatus(screen: Screen, above: number, echoRow: number | undefined, layout: Layout): RowRange {
  const top = echoRow === undefined ? 0 : echoRow + 1;
  for (let row = above; row >= top; row--) {
    const text = (screen.rows[row] as Row).text;
    if (layout.head.test(text) && !layout.detail.test(text)) return { first: row, last: above };
  }
  return { first: top, last: above };
}

/** A line with the session's name closes a dialog as it closes the composer; what counts stands above it. */
function aboveClosingLine({ rows }: Screen, lastRow: number, { dialog: { closing } }: Layout): number {
  if (!closing?.test(rows[lastRow]?.text ?? "")) return lastRow;
  const continues = createWrapTest(rows);
  let first = lastRow;
  while (continues(first) && rows[first - 1]?.text.startsWith("─")) first--;
  return lastInkedRow(rows, first - 1);
}

/**
 * Whether the row that looks like the first of a prompt may be the selected choice of a dialog. Where colours are used,
 * they tell the two apart.
 */
function mayBeChoice(screen: Screen, { row, lastRow }: { row: number; lastRow: number }, layout: Layout): boolean {
  if (layout.composer.frame) return false;
  if (!screen.styled) return true;
  return layout.dialog.selected.test(screen.rows[row]?.text ?? "") &&
    !isAnyColored(screen, { first: row, last: lastRow });
}

/**
 * Finds the parts of a screen by its structure: what stands where, and how its marks are drawn.
 *
 * Works upwards from the last row, so that long captures cost little.
 */
export function findRegions(screen: Screen, layout: Layout): Regions {
  const bottomRow = lastInkedRow(screen.rows);
  const prompt = findComposer(screen, bottomRow, layout);
  const lastRow = prompt ? bottomRow : aboveClosingLine(screen, bottomRow, layout);
  const mayBeDialog = !prompt || mayBeChoice(screen, { row: prompt.firstRow, lastRow }, layout);
  const proofNeeded = prompt !== undefined && screen.styled;
  const found = mayBeDialog ? findDialog(screen, { lastRow, layout, proofNeeded }) : undefined;
  const dialog = found && found.selectedRow >= (prompt?.firstRow ?? 0) ? found : undefined;
  const composer = dialog ? undefined : prompt;
  let bottom = (composer?.firstRow ?? dialog?.first ?? lastRow + 1) - 1;
  while (composer && layout.composer.frame?.test(screen.rows[bottom]?.text ?? "")) bottom--;
  const echoRow = findEcho(screen, bottom, layout);
  return {
    composer,
    dialog,
    footer: { first: composer ? composer.lastRow + 1 : lastRow + 1, last: lastRow },
    status: composer ? findStatus(screen, bottom, echoRow, layout) : { first: 0, last: -1 },
    lastTurn: { first: echoRow === undefined ? 0 : findTurnStart(screen, echoRow, bottom, layout), last: bottom },
    transcript: { first: 0, last: bottom },
    echoRow,
    lastRow,
  };
}
