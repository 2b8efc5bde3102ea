import type { Screen } from "../../screen/screen.ts";

/** A time that runs, such as "1m 20s", and the sign before a row that turns. */
const RUNNING_TIME = /\b\d+(?:\.\d+)?\s?[hms]\b/g;
const TURNING_SIGN = /^[^\p{L}\p{N}]+/u;

/**
 * What a screen shows, without what moves by itself while its agent waits for its model.
 *
 * @example
 * ```ts
 * import { assertEquals } from "@std/assert";
 * import { parseScreen } from "../../screen/screen.ts";
 * const shown = (text: string) => stillText(parseScreen(text));
 * assertEquals(shown("✻ Thinking… (59s · esc to interrupt)"), shown("✶ Thinking… (1m 0s · esc to interrupt)"));
 * ```
 */
export function stillText({ rows }: Screen): string {
  return rows.map(({ text }) => text.replace(RUNNING_TIME, "").replace(TURNING_SIGN, "").replace(/\s+/g, " ")).join(
    "\n",
  );
}
