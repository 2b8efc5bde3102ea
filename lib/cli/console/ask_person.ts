import type { DialogQuestion } from "../../turn/desk/desk_context.ts";
import type { PersonQuestion } from "../../jobs/pipeline/await_answer.ts";
import { type Clock, systemClock } from "../../base/ports/clock.ts";
import { createKeyFeed } from "../../base/text/keys.ts";
import { dialogRequest } from "../../journal/words/lines.ts";
import { type EditorStep, EMPTY_ANSWER, onInput, renderAnswer } from "./answer_editor.ts";
import { askLine } from "./ask_line.ts";
import { canMoveCursor } from "./color.ts";
import type { CliIo, TerminalInput } from "./command.ts";
import { plainText, sanitizeLine, sanitizeText } from "../../base/text/sanitize.ts";
import { createLocks } from "../../jobs/locks.ts";
import { duration } from "../../journal/words/words.ts";

export interface TerminalPerson extends Disposable {
  ask(question: string, signal: AbortSignal): Promise<string | undefined>;
}

export function openTerminalPerson(
  io: CliIo,
  { clock = systemClock }: { readonly clock?: Clock } = {},
): TerminalPerson {
  const input = io.openTerminalInput();
  const locks = createLocks<"terminal">();
  return {
    async ask(question, signal) {
      using _terminal = await locks.take("terminal", signal);
      return await (canMoveCursor(io) ? askAt : askInLines)({ io, clock, input, question, signal });
    },
    [Symbol.dispose]: () => input[Symbol.dispose](),
  };
}

const START_PASTE_MARKS = "\x1b[?2004h";
const END_PASTE_MARKS = "\x1b[?2004l";

interface Asking {
  readonly io: CliIo;
  readonly clock: Clock;
  readonly input: TerminalInput;
  readonly question: string;
  readonly signal: AbortSignal;
}

async function askAt({ io, clock, input, question, signal }: Asking): Promise<string | undefined> {
  using raw = new DisposableStack();
  // Before the question can be seen: the terminal itself would take what is typed in between for lines.
  raw.use(input.startRaw());
  io.stderr(question);
  io.stderr(START_PASTE_MARKS);
  raw.defer(() => io.stderr(END_PASTE_MARKS));

  let step = { type: "editing", editor: EMPTY_ANSWER } as EditorStep;
  let editor = EMPTY_ANSWER;
  let cursorRow = 0;
  const draw = () => {
    const { rows, cursor } = renderAnswer(editor, { columns: io.columns() });
    const up = rows.length - 1 - cursor.row;
    io.stderr(
      `${moveUp(cursorRow)}\r\x1b[J${rows.join("\r\n")}${moveUp(up)}\r${moveRight(cursor.column)}`,
    );
    cursorRow = cursor.row;
  };
  const leave = (note: string) => {
    const { rows, cursor } = renderAnswer(editor, { columns: io.columns() });
    io.stderr(`${"\n".repeat(rows.length - cursor.row)}\r${note}`);
  };
  const over = new AbortController();
  raw.defer(() => over.abort());
  const feed = createKeyFeed({
    clock,
    signal: over.signal,
    onInput(events) {
      step = onInput(editor, events);
      if (step.type === "editing") editor = step.editor;
      if (step.type === "sent") editor = { before: step.answer, after: "" };
    },
  });
  while (step.type === "editing") {
    draw();
    const bytes = await input.read(signal).catch(() => undefined);
    if (signal.aborted) return void leave("");
    if (bytes === undefined) return void leave("The question stays open.\n");
    feed(bytes);
  }
  draw();
  leave(step.type === "left" ? "The question stays open.\n" : "");
  return step.type === "sent" ? step.answer : undefined;
}

async function askInLines({ io, input, question, signal }: Asking): Promise<string | undefined> {
  const lines: string[] = [];
  do {
    const text = lines.length === 0 ? question : "";
    const line = await askLine(text, { io, input, signal }).catch(() => undefined);
    if (signal.aborted) return undefined;
    if (line === undefined) {
      io.stderr("The question stays open.\n");
      return undefined;
    }
    lines.push(line.replace(/[\r\n]+$/, ""));
  } while (lines.at(-1)!.endsWith("\\") || lines.join("").trim() === "");
  return plainText(lines.map((line) => line.replace(/\\$/, "")).join("\n")).trim();
}

const CONTEXT_LINES = 12;

export function askedQuestion(question: PersonQuestion): string {
  const { id, task, step, text, attemptLog, secondsLeft, call, problem } = question;
  const context = sanitizeText(attemptLog.trim()).split("\n").slice(-CONTEXT_LINES).map((line) => `  ${line}`);
  return [
    "",
    `Question ${id} of step ${JSON.stringify(sanitizeLine(step))}, task ${sanitizeLine(task)}`,
    ...(attemptLog.trim() === "" ? [] : ["What the agent did last:", ...context]),
    "",
    ...sanitizeText(text.trim()).split("\n"),
    "",
    ...timeLeft(secondsLeft),
    ...(problem === undefined ? [] : [`That is no answer: ${sanitizeLine(problem)}.`]),
    call === undefined
      ? "Your answer (\\ before Enter starts a new line, Ctrl-D leaves the question open):"
      : "Your answer: yes, or no and why (Ctrl-D leaves the question open):",
    "",
  ].join("\n");
}

export function askedDialog(question: DialogQuestion): string {
  const { id, role, kind, subject, reason, secondsLeft, questions, problem } = question;
  const how = questions === undefined
    ? "yes, or no and why"
    : questions.length === 1
    ? "numbers or labels, or text: and your own words"
    : "a line for each question, \\ before Enter starts the next";
  return [
    "",
    `Dialog ${id}: the ${role} ${dialogRequest({ kind, subject })}`,
    ...(subject === undefined ? [] : sanitizeText(subject).split("\n").map((row) => `  | ${row}`)),
    "",
    `You are asked because: ${sanitizeLine(reason)}`,
    ...timeLeft(secondsLeft),
    ...(problem === undefined ? [] : [`That is no answer: ${sanitizeLine(problem)}.`]),
    `Your answer: ${how} (Ctrl-D leaves the dialog open):`,
    "",
  ].join("\n");
}

function timeLeft(seconds: number | undefined): readonly string[] {
  return seconds === undefined ? [] : [`Time left to answer: ${duration(seconds)}.`];
}

function moveUp(rows: number): string {
  return rows === 0 ? "" : `\x1b[${rows}A`;
}

function moveRight(columns: number): string {
  return columns === 0 ? "" : `\x1b[${columns}C`;
}
