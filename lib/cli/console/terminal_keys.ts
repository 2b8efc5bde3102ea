/** A key, or text that was typed or pasted. */
export type Key =
  /** Without control characters but `\n`. */
  | { readonly type: "text"; readonly text: string }
  | { readonly type: KeyName };

/** The keys that an editor acts upon. */
export type KeyName =
  | "enter"
  | "new_line"
  | "backspace"
  | "delete"
  | "delete_word"
  | "delete_to_start"
  | "left"
  | "right"
  | "up"
  | "down"
  | "home"
  | "end"
  | "end_of_input";

/** Between two pieces of a terminal's input. */
export interface KeyDecoder {
  /** The beginning of an escape sequence whose rest has not come yet. */
  readonly pending: string;
  /** Whether a bracketed paste is open. */
  readonly pasting: boolean;
}

/** The decoder before the first input. */
export const NEW_DECODER: KeyDecoder = { pending: "", pasting: false };

const PASTE_START = "\x1b[200~";
const PASTE_END = "\x1b[201~";

const SEQUENCES: Readonly<Record<string, KeyName>> = {
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
  "\x1b\r": "new_line",
  "\x1b\n": "new_line",
  "\x1b[13;2u": "new_line",
  "\x1b\x7f": "delete_word",
};

const CONTROLS: Readonly<Record<string, KeyName>> = {
  "\x7f": "backspace",
  "\b": "backspace",
  "\x01": "home",
  "\x02": "left",
  "\x04": "end_of_input",
  "\x05": "end",
  "\x06": "right",
  "\x15": "delete_to_start",
  "\x17": "delete_word",
};

/**
 * The keys in a piece of a terminal's input.
 *
 * Enter is the end of a line that comes last in its piece. One with more behind it was pasted, in a terminal that does not
 * mark pastes: it is a new line.
 *
 * @example
 * ```ts
 * import { assertEquals } from "@std/assert";
 * assertEquals(decodeKeys(NEW_DECODER, "yes\r").keys, [{ type: "text", text: "yes" }, { type: "enter" }]);
 * assertEquals(decodeKeys(NEW_DECODER, "a\nb\x1b[").keys, [{ type: "text", text: "a\nb" }]);
 * ```
 */
export function decodeKeys(decoder: KeyDecoder, input: string): { readonly keys: Key[]; readonly decoder: KeyDecoder } {
  const text = decoder.pending + input;
  const keys: Key[] = [];
  let { pasting } = decoder;
  let at = 0;
  while (at < text.length) {
    const rest = text.slice(at, at + MAX_SEQUENCE);
    const sequence = rest.startsWith("\x1b") ? escapeSequence(rest) : undefined;
    if (sequence === "") return { keys, decoder: { pending: text.slice(at), pasting } };
    if (sequence !== undefined) {
      if (sequence === PASTE_START) pasting = true;
      if (sequence === PASTE_END) pasting = false;
      const type = SEQUENCES[sequence];
      if (type !== undefined && !pasting) keys.push({ type });
      at += sequence.length;
      continue;
    }
    const lineEnd = /^(?:\r\n|\r|\n)/.exec(rest)?.[0];
    if (lineEnd !== undefined) {
      at += lineEnd.length;
      if (pasting || at < text.length) add("\n");
      else keys.push({ type: "enter" });
      continue;
    }
    const character = String.fromCodePoint(text.codePointAt(at) ?? 0);
    at += character.length;
    const control = CONTROLS[character];
    if (control !== undefined && !pasting) keys.push({ type: control });
    // deno-lint-ignore no-control-regex -- these are what must not get into the text
    else if (!/[\x00-\x1f\x7f-\x9f]/.test(character)) add(character);
    else if (character === "\t") add("  ");
  }
  return { keys, decoder: { pending: "", pasting } };

  function add(more: string): void {
    const last = keys.at(-1);
    if (last?.type === "text") keys[keys.length - 1] = { type: "text", text: last.text + more };
    else keys.push({ type: "text", text: more });
  }
}

/** No sequence that a terminal sends is longer. */
const MAX_SEQUENCE = 32;

/** The escape sequence that a text begins with; empty where its end has not come yet. */
function escapeSequence(text: string): string {
  // deno-lint-ignore no-control-regex -- escape sequences are the subject here
  const [whole] = /^\x1b(?:\[[0-?]*[ -/]*[@-~]|O[ -~]|[^[O])/.exec(text) ?? [];
  if (whole !== undefined) return whole;
  return text.length < MAX_SEQUENCE ? "" : "\x1b";
}
