import { scanRow } from "./ansi.ts";

/** What reorders or hides text without being seen; the joiner of emoji and the soft hyphen do neither. */
const HIDING = /(?![\u200d\u00ad])[\p{Cf}\p{Zl}\p{Zp}\u2065]/gu;

const SGR_PARAMETERS = /^[0-9;:]{0,64}$/;

/**
 * The rows of a terminal's capture with their styles (SGR sequences) and nothing else that anything could act upon: no
 * other control sequence, link or control character, and nothing that reorders text. Columns stay where they are.
 *
 * @example
 * ```ts
 * import { assertEquals } from "@std/assert";
 * const capture = "\x1b]8;;http://x\x07\x1b[1mbold\x1b[0m\x1b]8;;\x07 a\u202eb\x1b[2J\r\nnext";
 * assertEquals(styledRows(capture), ["\x1b[1mbold\x1b[0m ab", "next"]);
 * ```
 */
export function styledRows(capture: string): readonly string[] {
  return capture.toWellFormed().split("\n").map((raw) => {
    const row = raw.replaceAll("\t", " ");
    let kept = "";
    scanRow(row, (start, end) => kept += row.slice(start, end).replaceAll(HIDING, ""), (parameters) => {
      if (SGR_PARAMETERS.test(parameters)) kept += `\x1b[${parameters}m`;
    });
    return kept;
  });
}
