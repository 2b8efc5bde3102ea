import { PanewrightError } from "../base/errors.ts";
import type { StyleSpan } from "./style.ts";
import { parseScreen, type Row, type Screen, type ScreenMeta } from "./screen.ts";

/** The style of a row was asked for that was captured without: what was to be told needs a capture with all styles. */
export class StyleNotCapturedError extends PanewrightError {
  override name = "StyleNotCapturedError";
}

/** A row that was captured as plain text. */
class PlainRow implements Row {
  readonly isStyleRead = false;

  constructor(readonly index: number, readonly row: Row) {}

  get raw(): string {
    return this.row.raw;
  }

  get text(): string {
    return this.row.text;
  }

  get spans(): readonly StyleSpan[] {
    throw new StyleNotCapturedError(`Cannot tell how row ${this.index} is drawn: it was captured without style`);
  }
}

/**
 * Reads a plain capture of which some rows were captured with style as well, at the same moment.
 *
 * The `spans` of all other rows throw {@linkcode StyleNotCapturedError}, for a style that is not known must not be
 * taken for none.
 *
 * @returns `undefined` where the parts are none of this capture, or show no style at all: the rest of the screen may
 * have some
 *
 * @example
 * ```ts
 * import { assertEquals, assertThrows } from "@std/assert";
 * const screen = parsePartlyStyled("a\n› b", [{ first: 1, text: "\x1b[1m›\x1b[0m b" }]);
 * assertEquals(screen?.rows[1]?.spans[0]?.style.bold, true);
 * assertThrows(() => screen?.rows[0]?.spans, StyleNotCapturedError);
 * ```
 */
export function parsePartlyStyled(
  capture: string,
  parts: readonly {
    readonly first: number;
    readonly text: string;
  }[],
  meta: ScreenMeta = {},
): Screen | undefined {
  const plain = parseScreen(capture, meta);
  const rows: Row[] = plain.rows.map((row, index) => new PlainRow(index, row));
  let styled = false;
  for (const { first, text } of parts) {
    const part = parseScreen(text);
    styled ||= part.styled;
    for (const [index, row] of part.rows.entries()) {
      if (row.text !== rows[first + index]?.text) return undefined;
      rows[first + index] = row;
    }
  }
  return styled ? { ...plain, styled, rows } : undefined;
}
