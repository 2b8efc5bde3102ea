/** What a person or tmux does at the keyboard of the program, as far as the program knows it. */
export type InputEvent =
  /** Characters that came without a bracketed paste around them. */
  | { readonly type: "text"; readonly text: string }
  /** A bracketed paste, with its line ends as `\n`. */
  | { readonly type: "paste"; readonly text: string }
  | { readonly type: "key"; readonly key: Key };

/** The keys that mean something to the program; every other one is dropped. */
export type Key = "enter" | "newline" | "tab" | "escape" | "backspace" | "ctrl-c" | "ctrl-u" | "up" | "down";

/** Turns a terminal's bytes into events, wherever the stream of bytes is cut. */
export interface KeyDecoder {
  push(bytes: Uint8Array): InputEvent[];
  /** Whether an escape stands alone so far: a key by itself, or the beginning of a sequence. */
  readonly escapePending: boolean;
  /** To be called when nothing followed an escape for a while: it was the key itself. */
  flush(): InputEvent[];
}

const PASTE_START = "\x1b[200~";
const PASTE_END = "\x1b[201~";

const CONTROL_KEYS: Readonly<Record<string, Key>> = {
  "\r": "enter",
  "\n": "newline",
  "\t": "tab",
  "\x03": "ctrl-c",
  "\x08": "backspace",
  "\x15": "ctrl-u",
  "\x7f": "backspace",
};

const SEQUENCE_KEYS: Readonly<Record<string, Key>> = {
  "\x1b[A": "up",
  "\x1bOA": "up",
  "\x1b[B": "down",
  "\x1bOB": "down",
};

/**
 * A decoder at the beginning of its input. Bytes may be cut anywhere: inside a character, an escape sequence or the end
 * of a paste.
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
    if (pending[0] === "\x1b") {
      const length = escapeLength(pending);
      if (length === undefined) return false;
      const key = length === 1 ? "escape" : SEQUENCE_KEYS[pending.slice(0, length)];
      if (key !== undefined) events.push({ type: "key", key });
      pending = pending.slice(length);
      return true;
    }
    if (isControl(pending[0]!)) {
      const key = CONTROL_KEYS[pending[0]!];
      if (key !== undefined) events.push({ type: "key", key });
      pending = pending.slice(1);
      return true;
    }
    let length = 1;
    while (length < pending.length && !isControl(pending[length]!)) length++;
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
      return pasted === undefined && pending === "\x1b";
    },
    flush() {
      if (!this.escapePending) return [];
      pending = "";
      return [{ type: "key", key: "escape" }];
    },
  };
}

function isControl(character: string): boolean {
  return character < " " || character === "\x7f";
}

/** Length of the escape sequence at the front, 1 for an escape that begins none, undefined when it may go on. */
function escapeLength(text: string): number | undefined {
  const second = text[1];
  if (second === undefined) return undefined;
  if (second === "O") return text.length < 3 ? undefined : 3;
  if (second !== "[") return 1;
  for (let index = 2; index < text.length; index++) {
    const character = text[index]!;
    if (character >= "@" && character <= "~") return index + 1;
    if (character < " " || character > "?") return index;
  }
  return undefined;
}

/** How many characters at the end of `text` could be the beginning of `marker`. */
function partialSuffixLength(text: string, marker: string): number {
  for (let length = Math.min(marker.length - 1, text.length); length > 0; length--) {
    if (text.endsWith(marker.slice(0, length))) return length;
  }
  return 0;
}
