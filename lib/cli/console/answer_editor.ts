import { displayWidth, graphemes } from "../../base/text/display_width.ts";
import type { InputEvent } from "../../base/text/keys.ts";
import { plainText, sanitizeText } from "../../base/text/sanitize.ts";

export interface AnswerEditor {
  readonly before: string;
  readonly after: string;
}

export type EditorStep =
  | { readonly type: "editing"; readonly editor: AnswerEditor }
  | { readonly type: "sent"; readonly answer: string }
  | { readonly type: "left" };

export const EMPTY_ANSWER: AnswerEditor = { before: "", after: "" };

/**
 * The editor after the events of one chunk of input. Enter sends, unless the line ends with a backslash; so does
 * Ctrl-D, which leaves the question open if nothing is written.
 *
 * Enter with more input after it in the same chunk was pasted, in a terminal that does not mark pastes, or typed while
 * nobody read: it is a new line, also without the backslash.
 */
export function onInput(editor: AnswerEditor, events: readonly InputEvent[]): EditorStep {
  let step: EditorStep = { type: "editing", editor };
  for (const [index, event] of events.entries()) {
    if (step.type !== "editing") break;
    const isPastedLineEnd = event.type === "key" && (event.key === "enter" || event.key === "newline") &&
      index < events.length - 1;
    step = isPastedLineEnd ? newLine(step.editor) : onEvent(step.editor, event);
  }
  return step;
}

function onEvent(editor: AnswerEditor, event: InputEvent): EditorStep {
  const { before, after } = editor;
  const edited = (left: string, right = after): EditorStep => ({
    type: "editing",
    editor: { before: left, after: right },
  });
  if (event.type === "text") return edited(before + event.text);
  if (event.type === "paste") return edited(before + plainText(event.text).replaceAll("\t", TAB));
  switch (event.key) {
    case "tab":
      return edited(before + TAB);
    case "alt-enter":
    case "shift-enter":
      return edited(`${before}\n`);
    case "enter":
    case "newline":
      return before.endsWith("\\") ? newLine(editor) : sent(editor) ?? edited(before);
    case "ctrl-d":
      return sent(editor) ?? { type: "left" };
    case "backspace":
      return edited(before.slice(0, before.length - lastLength(before)));
    case "delete":
      return edited(before, after.slice(firstLength(after)));
    case "ctrl-w":
    case "alt-backspace":
      return edited(before.replace(/\S+\s*$|\s+$/, ""));
    case "ctrl-u":
      return edited(before.slice(0, before.lastIndexOf("\n") + 1));
    case "left":
    case "ctrl-b":
      return moved(editor, before.length - lastLength(before));
    case "right":
    case "ctrl-f":
      return moved(editor, before.length + firstLength(after));
    case "home":
    case "ctrl-a":
      return moved(editor, before.lastIndexOf("\n") + 1);
    case "end":
    case "ctrl-e":
      return moved(editor, before.length + lineLength(after));
    case "up":
    case "down":
      return moved(editor, inNeighbourLine(editor, event.key));
    case "escape":
    case "ctrl-c":
      return edited(before);
  }
}

const TAB = "  ";

/** A line more; a backslash that was typed to begin it does not belong to the text. */
function newLine({ before, after }: AnswerEditor): EditorStep & { readonly type: "editing" } {
  return { type: "editing", editor: { before: `${before.replace(/\\$/, "")}\n`, after } };
}

function sent({ before, after }: AnswerEditor): EditorStep | undefined {
  const answer = (before + after).trim();
  return answer === "" ? undefined : { type: "sent", answer };
}

function moved({ before, after }: AnswerEditor, to: number): EditorStep {
  const text = before + after;
  return { type: "editing", editor: { before: text.slice(0, to), after: text.slice(to) } };
}

function lineLength(text: string): number {
  const end = text.indexOf("\n");
  return end < 0 ? text.length : end;
}

function inNeighbourLine({ before, after }: AnswerEditor, direction: "up" | "down"): number {
  const lineStart = before.lastIndexOf("\n") + 1;
  const column = before.length - lineStart;
  if (direction === "up") {
    if (lineStart === 0) return 0;
    const start = before.lastIndexOf("\n", lineStart - 2) + 1;
    return start + Math.min(column, lineStart - 1 - start);
  }
  const rest = lineLength(after);
  if (rest === after.length) return before.length + rest;
  return before.length + rest + 1 + Math.min(column, lineLength(after.slice(rest + 1)));
}

function firstLength(text: string): number {
  for (const character of graphemes(text.slice(0, MAX_GRAPHEME))) return character.length;
  return 0;
}

function lastLength(text: string): number {
  let length = 0;
  for (const character of graphemes(text.slice(-MAX_GRAPHEME))) length = character.length;
  return length;
}

const MAX_GRAPHEME = 64;

interface RenderedAnswer {
  readonly rows: readonly string[];
  readonly cursor: { readonly row: number; readonly column: number };
}

const PROMPT = "> ";
const CONTINUATION = "  ";

export function renderAnswer(
  { before, after }: AnswerEditor,
  { columns }: { readonly columns: number },
): RenderedAnswer {
  const width = Math.max(1, columns - PROMPT.length - 1);
  const rows = [""];
  let cursor = { row: 0, column: 0 };
  const put = (text: string) => {
    for (const character of graphemes(text)) {
      if (character === "\n" || displayWidth(rows.at(-1) ?? "") + displayWidth(character) > width) rows.push("");
      if (character !== "\n") rows[rows.length - 1] += character;
    }
  };
  put(sanitizeText(before));
  cursor = { row: rows.length - 1, column: PROMPT.length + displayWidth(rows.at(-1) ?? "") };
  put(sanitizeText(after));
  return { rows: rows.map((row, index) => (index === 0 ? PROMPT : CONTINUATION) + row), cursor };
}
