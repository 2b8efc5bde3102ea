/** What a caught value says, in one line, for the end of a message of ours. */
export function errorText(error: unknown): string {
  return error instanceof Error ? error.message : String(error);
}

/**
 * The last lines of a screen that are not blank, with the control characters of others made visible.
 *
 * @example
 * ```ts
 * import { assertEquals } from "@std/assert";
 * assertEquals(tailLines("one\r\n\ntwo\u0007\n", 5), ["one", "two\\u{7}"]);
 * ```
 */
export function tailLines(text: string, count: number): readonly string[] {
  return text
    .split(/\r?\n/)
    .filter((line) => line.trim() !== "")
    .slice(-count)
    .map((line) => line.trimEnd().replace(INVISIBLE, (character) => `\\u{${character.codePointAt(0)!.toString(16)}}`));
}

/** Control characters, and those that hide or reorder text. */
const INVISIBLE = /[\p{Cc}\p{Cf}\p{Zl}\p{Zp}]/gu;
