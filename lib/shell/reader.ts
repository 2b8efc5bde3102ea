import type { ShellCommand, ShellNote } from "./syntax.ts";

/** The text is not understood from here on; never leaves this folder. */
export class ShellSyntaxError extends Error {
  override name = "ShellSyntaxError";

  constructor(readonly note: ShellNote) {
    super(note.message);
  }
}

/** A here-document whose text comes after the next newline. */
export interface PendingHereDocument {
  readonly delimiter: string;
  /** Whether expansions in it are left alone. */
  readonly quoted: boolean;
  readonly stripTabs: boolean;
  /** Where its command stands: what is expanded in the text is run there. */
  readonly context: CommandContext;
  /** The operator's offset, for messages. */
  readonly start: number;
  /** Takes the text once it is read; `undefined` where something in it is expanded. */
  receive(text: string | undefined): void;
}

/** What all parts of a parse add to. */
export interface Collected {
  readonly commands: ShellCommand[];
  readonly scopes: (number | undefined)[];
  readonly undecidable: ShellNote[];
}

/** Where a command stands, as far as it matters to its meaning. */
export interface CommandContext {
  readonly scope: number;
  readonly readsPipe: boolean;
  readonly inLoop: boolean;
  /** How many constructs are around it. */
  readonly depth: number;
}

/** A text that is read from left to right. */
export interface Reader {
  readonly text: string;
  /** The next character's index. */
  at: number;
  /** Nothing is read from here on. */
  end: number;
  readonly collected: Collected;
  readonly pending: PendingHereDocument[];
  /** The offset in the whole text that an index of `text` stands for. */
  offsetOf(index: number): number;
}

/** Deeper nesting is not followed: a hostile text must not exhaust the stack. */
const MAX_DEPTH = 60;

/** The character at the reader's place or some way after it; empty at the end. */
export function peek(reader: Reader, ahead = 0): string {
  const index = reader.at + ahead;
  return index < reader.end ? reader.text[index] as string : "";
}

/** Whether the text goes on with these characters. */
export function looksAt(reader: Reader, text: string): boolean {
  return reader.at + text.length <= reader.end && reader.text.startsWith(text, reader.at);
}

/** Ends the parse. */
export function fail(reader: Reader, message: string, from: number = reader.at): never {
  throw new ShellSyntaxError({
    message,
    start: reader.offsetOf(from),
    end: reader.offsetOf(Math.min(from + 1, reader.text.length)),
  });
}

/** The context of what stands inside; ends the parse where that would be too deep. */
export function deeper(reader: Reader, context: CommandContext, change: Partial<CommandContext> = {}): CommandContext {
  const depth = context.depth + 1;
  if (depth > MAX_DEPTH) fail(reader, `more than ${MAX_DEPTH} constructs inside each other`);
  return { ...context, ...change, depth };
}

/** A shell of its own, started by the one of `context`. */
export function openScope(reader: Reader, context: CommandContext): CommandContext {
  const { scopes } = reader.collected;
  scopes.push(context.scope);
  return deeper(reader, context, { scope: scopes.length - 1 });
}

/** Passes over blanks, continued lines and a comment. */
export function skipBlanks(reader: Reader): void {
  for (;;) {
    const next = peek(reader);
    if (next === " " || next === "\t") reader.at++;
    else if (next === "\\" && peek(reader, 1) === "\n") reader.at += 2;
    else break;
  }
  if (peek(reader) !== "#") return;
  const newline = reader.text.indexOf("\n", reader.at);
  reader.at = newline === -1 || newline > reader.end ? reader.end : newline;
}

/** Whether a reserved word stands here, and the word ends with it. */
export function looksAtWord(reader: Reader, word: string): boolean {
  const after = peek(reader, word.length);
  return looksAt(reader, word) && (after === "" || " \t\n;&|()<>".includes(after));
}
