import type { Composer } from "../../screen/regions.ts";

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
 * assert(composerHolds({ text: "fix the bug in  src/a.ts" }, "fix the bug\nin src/a.ts"));
 * assert(composerHolds({ text: "[Pasted Content 5625 chars]", unmarked: "" }, "x".repeat(5625)));
 * assert(!composerHolds({ text: "wait, fix the bug" }, "fix the bug"));
 * ```
 */
export function composerHolds(shown: Pick<Composer, "text" | "unmarked">, text: string): boolean {
  const rest = essence(shown.unmarked ?? shown.text);
  if (rest !== "") return essence(text).includes(rest);
  return shown.unmarked !== undefined || essence(text) === "" && shown.text.trim() === text.trim();
}

/**
 * Whether a composer holds the whole text, visibly.
 *
 * @example
 * ```ts
 * import { assert } from "@std/assert";
 * assert(composerHoldsAll({ text: "fix the bug" }, "fix\nthe bug"));
 * assert(!composerHoldsAll({ text: "the bug" }, "fix the bug"));
 * ```
 */
export function composerHoldsAll(shown: Pick<Composer, "text" | "unmarked">, text: string): boolean {
  return essence(shown.text) === essence(text) && composerHolds(shown, text);
}

function essence(text: string): string {
  return text.replace(/[^\p{L}\p{N}]/gu, "");
}
