import type { Row } from "./screen.ts";

/**
 * Tells rows that merely continue the row above: that row reaches to the screen's right edge, as far as the longest
 * row tells where it is. A terminal that was made narrower leaves such rows until the program draws anew.
 *
 * @example
 * ```ts
 * import { assertEquals } from "@std/assert";
 * import { parseScreen } from "./screen.ts";
 * const continues = createWrapTest(parseScreen("  a long ro\nw\n  short").rows);
 * assertEquals([continues(1), continues(2)], [true, false]);
 * ```
 */
export function createWrapTest(rows: readonly Row[]): (row: number) => boolean {
  let width: number | undefined;
  return (row) => {
    const above = rows[row - 1]?.text.length ?? 0;
    if (above === 0) return false;
    width ??= rows.reduce((longest, { text }) => Math.max(longest, text.length), 0);
    return above >= width - 1;
  };
}
