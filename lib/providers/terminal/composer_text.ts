/** What a CLI shows instead of a long paste: Codex `[Pasted Content 5625 chars]`, Claude Code `[Pasted text #1 +6 lines]`. */
const PASTE_MARKER = /\[Pasted (?:Content|text) [^\]]{1,40}\]/g;

/**
 * Whether a composer holds the text that was pasted, and nothing else: all of it, the part that fits, or a marker that
 * stands for it.
 *
 * Only letters and digits are compared: blanks depend on where rows wrap, and terminals draw signs as they can.
 *
 * @param shown what the composer shows
 * @param text what was pasted
 *
 * @example
 * ```ts
 * import { assert } from "@std/assert";
 * assert(composerHolds("fix the bug in  src/a.ts", "fix the bug\nin src/a.ts"));
 * assert(composerHolds("[Pasted Content 5625 chars]", "x".repeat(5625)));
 * assert(!composerHolds("wait, fix the bug", "fix the bug"));
 * ```
 */
export function composerHolds(shown: string, text: string): boolean {
  const rest = essence(shown.replace(PASTE_MARKER, ""));
  if (rest === "") return PASTE_MARKER_ONCE.test(shown) || (essence(text) === "" && shown.trim() === text.trim());
  return essence(text).includes(rest);
}

/**
 * Whether a composer holds the whole text, visibly.
 *
 * @example
 * ```ts
 * import { assert } from "@std/assert";
 * assert(composerHoldsAll("fix the bug", "fix\nthe bug"));
 * assert(!composerHoldsAll("the bug", "fix the bug"));
 * ```
 */
export function composerHoldsAll(shown: string, text: string): boolean {
  return essence(shown) === essence(text) && composerHolds(shown, text);
}

const PASTE_MARKER_ONCE = new RegExp(PASTE_MARKER.source);

function essence(text: string): string {
  return text.replace(/[^\p{L}\p{N}]/gu, "");
}
