import { joinBytes } from "../base/ports/bytes.ts";

export type ControlEvent =
  | {
    readonly type: "reply";
    readonly isOwn: boolean;
    readonly ok: boolean;
    readonly text: string;
  }
  | { readonly type: "output"; readonly paneId: string; readonly escaped: Uint8Array }
  /** Every other line, such as `%pause %3`: its name without the `%`, and the rest. */
  | { readonly type: "notification"; readonly name: string; readonly rest: string };

const LINE_END = 0x0a;
const PERCENT = 0x25;
const SPACE = 0x20;
const BACKSLASH = 0x5c;
const ZERO = 0x30;

const OUTPUT = new TextEncoder().encode("%output %");
const EXTENDED_OUTPUT = new TextEncoder().encode("%extended-output %");

/** `%begin 1795164560 269 1`: seconds, number of the command, flags. */
const BEGIN = /^%begin (\d{1,20} \d{1,15} (\d{1,10}))$/;

/** A line longer than this is cut: no pane has a row, and no command an answer, of that length. */
const MAX_LINE_BYTES = 16 * 1024 * 1024;

/**
 * Reads what `tmux -C` prints (tmux 3.2 and later), in pieces that may end anywhere.
 *
 * A reply ends only at the `%end` or `%error` that carries time, number and flags of its own `%begin`: what a pane
 * shows may look like any line of the protocol. Bytes are put together before they are decoded, for a piece may end
 * within a character.
 */
export class ControlParser {
  #partial: Uint8Array[] = [];
  #partialBytes = 0;
  #reply: OpenReply | undefined;

  /**
   * The events that this piece completes. What is needed of the piece later on is copied; `escaped` of an output is a
   * part of the piece itself, and good for as long as that.
   */
  push(piece: Uint8Array): ControlEvent[] {
    const events: ControlEvent[] = [];
    let start = 0;
    for (let end = piece.indexOf(LINE_END); end >= 0; end = piece.indexOf(LINE_END, start)) {
      if (this.#reply && this.#partial.length === 0 && piece[start] !== PERCENT) {
        const rowsEnd = endOfRows(piece, end);
        this.#reply.chunks.push(piece.subarray(start, rowsEnd));
        start = rowsEnd;
        continue;
      }
      const event = this.#takeLine(this.#completeLine(piece.subarray(start, end)));
      if (event) events.push(event);
      start = end + 1;
    }
    if (start < piece.length && this.#partialBytes < MAX_LINE_BYTES) {
      this.#partial.push(piece.slice(start));
      this.#partialBytes += piece.length - start;
    }
    if (this.#reply) keepChunks(this.#reply);
    return events;
  }

  #completeLine(rest: Uint8Array): Uint8Array {
    if (this.#partial.length === 0) return rest;
    const line = joinBytes([...this.#partial, rest]);
    this.#partial = [];
    this.#partialBytes = 0;
    return line;
  }

  #takeLine(line: Uint8Array): ControlEvent | undefined {
    if (this.#reply) return this.#takeReplyLine(this.#reply, line);
    if (startsWith(line, OUTPUT)) return outputEvent(line, line.indexOf(SPACE, OUTPUT.length), OUTPUT.length - 1);
    if (startsWith(line, EXTENDED_OUTPUT)) return extendedOutputEvent(line);
    const text = decode([line]);
    const begin = BEGIN.exec(text);
    if (begin) {
      const [, guard = "", flags] = begin;
      this.#reply = { isOwn: flags === "1", guard, chunks: [], keptChunks: 0 };
      return undefined;
    }
    if (!text.startsWith("%")) return undefined;
    const [word = ""] = text.split(" ", 1);
    return { type: "notification", name: word.slice(1), rest: text.slice(word.length + 1) };
  }

  #takeReplyLine(reply: OpenReply, line: Uint8Array): ControlEvent | undefined {
    const { guard, isOwn, chunks } = reply;
    // `%error ` is the longer of the two words.
    if (line[0] === PERCENT && line.length <= guard.length + 7) {
      const text = decode([line]);
      const ok = text === `%end ${guard}`;
      if (ok || text === `%error ${guard}`) {
        this.#reply = undefined;
        return { type: "reply", isOwn, ok, text: decode(chunks) };
      }
    }
    chunks.push(line, LINE_FEED);
    return undefined;
  }
}

interface OpenReply {
  readonly isOwn: boolean;
  readonly guard: string;
  readonly chunks: Uint8Array[];
  /** How many of them are copies, no longer parts of a piece. */
  keptChunks: number;
}

function keepChunks(reply: OpenReply): void {
  const { chunks } = reply;
  for (; reply.keptChunks < chunks.length; reply.keptChunks++) {
    chunks[reply.keptChunks] = chunks[reply.keptChunks]!.slice();
  }
}

const LINE_FEED = Uint8Array.of(LINE_END);

const DECODER = new TextDecoder("utf-8", { ignoreBOM: true });

function endOfRows(piece: Uint8Array, lineEnd: number): number {
  for (let end = lineEnd;;) {
    if (piece[end + 1] === PERCENT) return end + 1;
    const next = piece.indexOf(LINE_END, end + 1);
    if (next < 0) return end + 1;
    end = next;
  }
}

/** `%extended-output %1 0 : text`; there may be more words before the colon one day. */
function extendedOutputEvent(line: Uint8Array): ControlEvent | undefined {
  const idEnd = line.indexOf(SPACE, EXTENDED_OUTPUT.length);
  for (let space = idEnd; space >= 0; space = line.indexOf(SPACE, space + 1)) {
    if (line[space + 1] === 0x3a && line[space + 2] === SPACE) {
      const event = outputEvent(line, idEnd, EXTENDED_OUTPUT.length - 1);
      return event && { ...event, escaped: line.subarray(space + 3) };
    }
  }
  return undefined;
}

function outputEvent(line: Uint8Array, idEnd: number, idStart: number) {
  if (idEnd < 0) return undefined;
  let paneId = "";
  for (let at = idStart; at < idEnd; at++) paneId += String.fromCharCode(line[at]!);
  return { type: "output", paneId, escaped: line.subarray(idEnd + 1) } as const;
}

/**
 * The bytes that a pane's program wrote: tmux writes control characters and the backslash as `\ooo`. Anything else
 * stays as it is.
 */
export function unescapeOutput(escaped: Uint8Array, into?: Uint8Array): Uint8Array {
  if (!escaped.includes(BACKSLASH)) return escaped;
  const bytes = into !== undefined && into.length >= escaped.length ? into : new Uint8Array(escaped.length);
  let length = 0;
  for (let from = 0; from < escaped.length; from++) {
    const byte = escaped[from]!;
    const value = byte === BACKSLASH ? octalAt(escaped, from + 1) : undefined;
    bytes[length++] = value ?? byte;
    if (value !== undefined) from += 3;
  }
  return bytes.subarray(0, length);
}

function octalAt(bytes: Uint8Array, at: number): number | undefined {
  let value = 0;
  for (let index = at; index < at + 3; index++) {
    const digit = (bytes[index] ?? 0) - ZERO;
    if (digit < 0 || digit > 7) return undefined;
    value = value * 8 + digit;
  }
  return value <= 0xff ? value : undefined;
}

function startsWith(line: Uint8Array, prefix: Uint8Array): boolean {
  for (let index = 0; index < prefix.length; index++) if (line[index] !== prefix[index]) return false;
  return true;
}

function decode(pieces: readonly Uint8Array[]): string {
  return DECODER.decode(pieces.length === 1 ? pieces[0] : joinBytes(pieces));
}
