// deno-lint-ignore no-control-regex
const UNSAFE = /[\u0000-\u0008\u000b-\u001f\u007f-\u009f\u061c\u200b-\u200f\u2028-\u202e\u2060-\u2069\ufeff]/g;

/**
 * Text of others, safe for a person's terminal: control characters, and the invisible ones that reorder or hide text,
 * become visible escapes. Newlines and tabs stay.
 *
 * @example
 * ```ts
 * import { assertEquals } from "@std/assert";
 * assertEquals(sanitizeText("a\x1b[2Jb\r\n"), "a\\x1b[2Jb\\r\n");
 * ```
 */
export function sanitizeText(text: string): string {
  return text.replaceAll(UNSAFE, escapeCharacter);
}

/**
 * Like {@linkcode sanitizeText}, for one line: newlines and tabs become escapes too.
 *
 * @example
 * ```ts
 * import { assertEquals } from "@std/assert";
 * assertEquals(sanitizeLine("a\tb\nc"), "a\\tb\\nc");
 * ```
 */
export function sanitizeLine(text: string): string {
  return sanitizeText(text).replaceAll("\n", "\\n").replaceAll("\t", "\\t");
}

/**
 * A value as one line of JSON with its newline, in which every character that a terminal could act upon is an escape.
 *
 * @example
 * ```ts
 * import { assertEquals } from "@std/assert";
 * assertEquals(jsonLine({ text: "a\x1b[2J\u009b" }), '{"text":"a\\u001b[2J\\u009b"}\n');
 * ```
 */
export function jsonLine(value: unknown): string {
  const json = JSON.stringify(value).replaceAll(
    UNSAFE,
    (character) => `\\u${character.codePointAt(0)!.toString(16).padStart(4, "0")}`,
  );
  return `${json}\n`;
}

function escapeCharacter(character: string): string {
  if (character === "\r") return "\\r";
  const code = character.codePointAt(0)!;
  return code < 0x100 ? `\\x${code.toString(16).padStart(2, "0")}` : `\\u${code.toString(16).padStart(4, "0")}`;
}
