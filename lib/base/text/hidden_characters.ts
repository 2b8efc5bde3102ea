// C0 but newline and tab, DEL, C1, soft hyphen, marks and isolates of direction, fillers, joiners, variation selectors,
// byte order mark, interlinear annotations, tags, and half a surrogate pair.
const HIDDEN =
  // deno-lint-ignore no-control-regex
  /[\x00-\x08\x0b-\x1f\x7f-\x9f\u00ad\u034f\u061c\u115f\u1160\u17b4\u17b5\u180b-\u180f\u200b-\u200f\u2028-\u202e\u2060-\u206f\u3164\ufe00-\ufe0f\ufeff\uffa0\ufff0-\ufffb]|[\u{e0000}-\u{e0fff}]|\p{Surrogate}/u;

/**
 * The first character that a screen drops, or that changes the order in which it shows the others, as `U+200B`;
 * `undefined` without one. Newline and tab are not hidden; a carriage return is.
 *
 * @example
 * ```ts
 * import { assertEquals } from "@std/assert";
 * assertEquals(hiddenCharacter("echo \u202etset"), "U+202E");
 * assertEquals(hiddenCharacter("a\tb\n\u00e4\u{1f642}"), undefined);
 * ```
 */
export function hiddenCharacter(text: string): string | undefined {
  const code = HIDDEN.exec(text)?.[0].codePointAt(0);
  return code === undefined ? undefined : `U+${code.toString(16).toUpperCase().padStart(4, "0")}`;
}
