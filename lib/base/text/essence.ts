/**
 * What is left of a text however its blanks and line ends were treated on the way: its letters and digits.
 *
 * @example
 * ```ts
 * import { assertEquals } from "@std/assert";
 * assertEquals(essence("Fix  a.ts:\n- 漢字"), essence("Fix a.ts: - 漢字"));
 * ```
 */
export function essence(text: string): string {
  return text.replace(/[^\p{L}\p{N}]/gu, "");
}
