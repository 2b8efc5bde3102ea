// deno-lint-ignore-file no-control-regex -- control characters are the subject here
import type { Clock } from "../ports/clock.ts";

/** What is done at a terminal's keyboard. */
export type InputEvent =
  /** Characters that came without a bracketed paste around them; no control characters among them. */
  | { readonly type: "text"; readonly text: string }
  /** A bracketed paste as it came, but with its line ends as `\n`. */
  | { readonly type: "paste"; readonly text: string }
  | { readonly type: "key"; readonly key: Key };

/** The keys that mean something to one of our programs; every other one is dropped. `newline` is Ctrl-J. */
export type Key =
  | "enter"
  | "newline"
  | "alt-enter"
  | "shift-enter"
  | "tab"
  | "escape"
  | "backspace"
  | "alt-backspace"
  | "delete"
  | "up"
  | "down"
  | "left"
  | "right"
  | "home"
  | "end"
  | `ctrl-${"a" | "b" | "c" | "d" | "e" | "f" | "u" | "w"}`;

/** Turns a terminal's bytes into events, wherever the stream of bytes is cut. */
interface KeyDecoder {
  push(bytes: Uint8Array): InputEvent[];
  /** Whether what came last may be the Esc key, or the beginning of an escape sequence. */
  readonly escapePending: boolean;
  /** To be called when nothing followed an escape for a while: it was the key. */
  flush(): InputEvent[];
}

/** How long an escape may stand alone before it counts as the key, in milliseconds. */
const ESCAPE_TIMEOUT_MS = 40;

const PASTE_START = "\x1b[200~";
const PASTE_END = "\x1b[201~";

/** What terminals send for the keys that are no characters: xterm's sequences, and Shift-Enter as CSI u. */
const KEYS: Readonly<Record<string, Key>> = {
  "\r": "enter",
  "\r\n": "enter",
  "\n": "newline",
  "\t": "tab",
  "\b": "backspace",
  "\x7f": "backspace",
  "\x01": "ctrl-a",
  "\x02": "ctrl-b",
  "\x03": "ctrl-c",
  "\x04": "ctrl-d",
  "\x05": "ctrl-e",
  "\x06": "ctrl-f",
  "\x15": "ctrl-u",
  "\x17": "ctrl-w",
  "\x1b": "escape",
  "\x1b\r": "alt-enter",
  "\x1b\n": "alt-enter",
  "\x1b\x7f": "alt-backspace",
  "\x1b[A": "up",
  "\x1b[B": "down",
  "\x1b[C": "right",
  "\x1b[D": "left",
  "\x1bOA": "up",
  "\x1bOB": "down",
  "\x1bOC": "right",
  "\x1bOD": "left",
  "\x1b[H": "home",
  "\x1b[F": "end",
  "\x1b[1~": "home",
  "\x1b[4~": "end",
  "\x1b[3~": "delete",
  "\x1b[13;2u": "shift-enter",
};

/** No sequence that a terminal sends is longer. */
const MAX_SEQUENCE = 32;

/**
 * A decoder at the beginning of its input. Bytes may be cut anywhere: inside a character, an escape sequence or the end
 * of a paste. An escape takes nothing along that is not a sequence's: `ESC y` is the Esc key and the letter.
 *
 * @example
 * ```ts
 * import { assertEquals } from "@std/assert";
 * const decoder = createKeyDecoder();
 * const bytes = new TextEncoder().encode("\x1b[200~two\rlines\x1b[201~\r");
 * assertEquals(decoder.push(bytes.subarray(0, 9)), []);
 * assertEquals(decoder.push(bytes.subarray(9)), [
 *   { type: "paste", text: "two\nlines" },
 *   { type: "key", key: "enter" },
 * ]);
 * ```
 */
export function createKeyDecoder(): KeyDecoder {
  const utf8 = new TextDecoder();
  let pending = "";
  let pasted: string[] | undefined;

  const takePaste = (events: InputEvent[]): boolean => {
    const end = pending.indexOf(PASTE_END);
    if (end < 0) {
      const keep = partialSuffixLength(pending, PASTE_END);
      pasted?.push(pending.slice(0, pending.length - keep));
      pending = pending.slice(pending.length - keep);
      return false;
    }
    pasted?.push(pending.slice(0, end));
    events.push({ type: "paste", text: (pasted ?? []).join("").replaceAll("\r\n", "\n").replaceAll("\r", "\n") });
    pasted = undefined;
    pending = pending.slice(end + PASTE_END.length);
    return true;
  };

  /** Takes one event's worth off the front of `pending`; false when more bytes are needed. */
  const takeOne = (events: InputEvent[]): boolean => {
    if (pasted !== undefined) return takePaste(events);
    if (pending === "") return false;
    if (pending.startsWith(PASTE_START)) {
      pasted = [];
      pending = pending.slice(PASTE_START.length);
      return true;
    }
    if (isControl(pending)) {
      const length = pending[0] === "\x1b" ? escapeLength(pending) : pending.startsWith("\r\n") ? 2 : 1;
      if (length === undefined) return false;
      const key = KEYS[pending.slice(0, length)];
      if (key !== undefined) events.push({ type: "key", key });
      pending = pending.slice(length);
      return true;
    }
    const length = /[\x00-\x1f\x7f-\x9f]/.exec(pending)?.index ?? pending.length;
    events.push({ type: "text", text: pending.slice(0, length) });
    pending = pending.slice(length);
    return true;
  };

  return {
    push(bytes) {
      pending += utf8.decode(bytes, { stream: true });
      const events: InputEvent[] = [];
      while (takeOne(events));
      return events;
    },
    get escapePending() {
      return pasted === undefined && ["\x1b", "\x1b[", "\x1bO"].includes(pending);
    },
    flush() {
      if (!this.escapePending) return [];
      const typed = pending.slice(1);
      pending = "";
      return [{ type: "key", key: "escape" }, ...(typed === "" ? [] : [{ type: "text", text: typed } as const])];
    },
  };
}

/** Where {@linkcode createKeyFeed} sends what it decodes. */
interface KeyFeedOptions {
  readonly clock: Clock;
  /** Ends the wait for what may follow an escape. */
  readonly signal: AbortSignal;
  /**
   * Told the events of each piece of input, and those of an escape that has stood alone for {@linkcode
   * ESCAPE_TIMEOUT_MS}.
   */
  onInput(events: readonly InputEvent[]): void;
}

/** Takes the pieces of a terminal's input as they are read. */
export function createKeyFeed({ clock, signal, onInput }: KeyFeedOptions): (bytes: Uint8Array) => void {
  const decoder = createKeyDecoder();
  let pieces = 0;
  return (bytes) => {
    const piece = ++pieces;
    onInput(decoder.push(bytes));
    if (!decoder.escapePending) return;
    clock.sleep(ESCAPE_TIMEOUT_MS, signal).then(() => piece === pieces && onInput(decoder.flush()), () => {});
  };
}

function isControl(text: string): boolean {
  return /^[\x00-\x1f\x7f-\x9f]/.test(text);
}

/**
 * Length of the key or escape sequence at the front, 1 for an escape by itself, undefined while it may be incomplete.
 */
function escapeLength(text: string): number | undefined {
  const second = text[1];
  if (second === undefined) return undefined;
  if (second === "O") return text.length < 3 ? undefined : /[A-DFHMP-Sj-y]/.test(text[2]!) ? 3 : 1;
  if (second !== "[") return KEYS[text.slice(0, 2)] === undefined ? 1 : 2;
  const [sequence] = /^..[0-?]*[ -/]*[@-~]?/.exec(text.slice(0, MAX_SEQUENCE)) ?? [];
  if (sequence === undefined) return 1;
  if (sequence.length > 2 && /[@-~]$/.test(sequence)) return sequence.length;
  return sequence.length < text.length ? Math.max(1, sequence.length) : undefined;
}

/** How many characters at the end of `text` could be the beginning of `marker`. */
function partialSuffixLength(text: string, marker: string): number {
  for (let length = Math.min(marker.length - 1, text.length); length > 0; length--) {
    if (text.endsWith(marker.slice(0, length))) return length;
  }
  return 0;
}
