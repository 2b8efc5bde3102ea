import type { ShellCommand, ShellNote, ShellVariable, WordPart } from "./syntax.ts";

/** The text is not understood from here on. It is caught within this folder. */
export class ShellSyntaxError extends Error {
  override name = "ShellSyntaxError";

  constructor(readonly note: ShellNote) {
    super(note.message);
  }
}

/** A here-document whose text follows the next newline. */
export interface PendingHereDocument {
  readonly delimiter: string;
  /** Whether its text is literal, without expansions. */
  readonly quoted: boolean;
  readonly stripTabs: boolean;
  /** Where its command is: expansions in the text are run there. */
  readonly context: CommandContext;
  /** The operator's offset, for messages. */
  readonly start: number;
  /** Receives the text once it is read, `undefined` if something in it is expanded, and then its parts. */
  receive(text: string | undefined, parts: readonly WordPart[]): void;
}

interface Collected {
  readonly commands: ShellCommand[];
  readonly scopes: (number | undefined)[];
  readonly undecidable: ShellNote[];
  readonly arithmetic: string[];
  readonly variables: ShellVariable[];
  readonly notPosix: ShellNote[];
}

/** Where a command is, as far as that affects its meaning. */
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
  at: number;
  end: number;
  readonly collected: Collected;
  readonly pending: PendingHereDocument[];
  /** The offset in the whole text for an index of `text`. */
  offsetOf(index: number): number;
}

/** The deepest nesting that is read: a hostile text must not exhaust the stack. */
const MAX_DEPTH = 60;

/** The character at the reader's position, or at an offset from it; empty at the end. */
export function peek(reader: Reader, ahead = 0): string {
  const index = reader.at + ahead;
  return index < reader.end ? reader.text[index] as string : "";
}

export function looksAt(reader: Reader, text: string): boolean {
  return reader.at + text.length <= reader.end && reader.text.startsWith(text, reader.at);
}

export function fail(reader: Reader, message: string, from: number = reader.at): never {
  throw new ShellSyntaxError({
    message,
    start: reader.offsetOf(from),
    end: reader.offsetOf(Math.min(from + 1, reader.text.length)),
  });
}

export function noteFrom(reader: Reader, from: number, message: string): ShellNote {
  return { message, start: reader.offsetOf(from), end: reader.offsetOf(reader.at) };
}

/** The context one level deeper; ends the parse if that is too deep. */
export function deeper(reader: Reader, context: CommandContext, change: Partial<CommandContext> = {}): CommandContext {
  const depth = context.depth + 1;
  if (depth > MAX_DEPTH) fail(reader, `more than ${MAX_DEPTH} constructs inside each other`);
  return { ...context, ...change, depth };
}

/** The context of a subshell, started by the shell of `context`. */
export function openScope(reader: Reader, context: CommandContext): CommandContext {
  const { scopes } = reader.collected;
  scopes.push(context.scope);
  return deeper(reader, context, { scope: scopes.length - 1 });
}

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

export function looksAtWord(reader: Reader, word: string): boolean {
  const after = peek(reader, word.length);
  return looksAt(reader, word) && (after === "" || " \t\n;&|()<>".includes(after));
}

export function skipWord(reader: Reader, word: string): boolean {
  const found = looksAtWord(reader, word);
  if (found) reader.at += word.length;
  return found;
}

/** What a sticky pattern matches at the reader's position, or at another, before the end. */
export function matchAt(reader: Reader, pattern: RegExp, from = reader.at): RegExpExecArray | undefined {
  pattern.lastIndex = from;
  const match = pattern.exec(reader.text);
  return match !== null && from + match[0].length <= reader.end ? match : undefined;
}
