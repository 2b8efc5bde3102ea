import { scanRow } from "../text/ansi.ts";
import { displayWidth } from "../text/display_width.ts";
import type { SecretPattern } from "./secret_patterns.ts";

/** Options of {@linkcode scrub}. */
interface ScrubOptions {
  readonly patterns: readonly SecretPattern[];
  /**
   * Columns of the screen, which tell which rows continue on the next one.
   *
   * @default {the widest row's width}
   */
  readonly cols?: number;
  /** Whether rows may continue on the next one: those of a screen. @default {true} */
  readonly wraps?: boolean;
}

/** How many columns a program may leave free at the right edge when it breaks a long word. */
const WRAP_SLACK = 4;

/** A capture's text in reading order, and the offset of each character in the capture. */
interface PlainView {
  readonly text: string;
  readonly offsets: readonly number[];
}

/**
 * Replaces secrets in a capture by placeholders of the same width, even if a change of style or a wrapped row splits
 * them. Rows keep their widths and styles, so that the screen still shows the same status.
 *
 * Scrubbing a second time changes nothing.
 */
export function scrub(capture: string, { patterns, cols, wraps = true }: ScrubOptions): string {
  const view = plainView(capture, wraps ? cols : 0);
  const replaced = new Map<number, string>();
  for (const { find, placeholder } of patterns) {
    for (const match of view.text.matchAll(find)) {
      const secret = match.groups?.["secret"] ?? match[0];
      const from = match.indices?.groups?.["secret"]?.[0] ?? match.index;
      replace(view, { from, secret, placeholder }, replaced);
    }
  }
  if (replaced.size === 0) return capture;
  let result = "";
  for (let index = 0; index < capture.length; index++) result += replaced.get(index) ?? capture[index];
  return result;
}

/** Spreads a placeholder over the positions of a secret's characters, column by column. */
function replace(
  view: PlainView,
  { from, secret, placeholder }: { readonly from: number; readonly secret: string; readonly placeholder: string },
  replaced: Map<number, string>,
): void {
  let column = 0;
  let index = from;
  for (const character of secret) {
    const width = displayWidth(character);
    if (character !== "\n" && character !== " ") {
      const filler = placeholder.slice(column, column + width).padEnd(width, "x");
      for (let unit = 0; unit < character.length; unit++) {
        replaced.set(view.offsets[index + unit]!, unit === 0 ? filler : "");
      }
      column += width;
    }
    index += character.length;
  }
}

function plainView(capture: string, cols: number | undefined): PlainView {
  const rows = capture.split("\n").map((raw) => {
    const offsets: number[] = [];
    let text = "";
    scanRow(raw, (start, end) => {
      text += raw.slice(start, end);
      for (let index = start; index < end; index++) offsets.push(index);
    }, () => {});
    return { raw, text, offsets, width: displayWidth(text.trimEnd()) };
  });
  const right = cols ?? rows.reduce((widest, { width }) => Math.max(widest, width), 0);
  // A wider row is one that tmux has already joined.
  const reachesEdge = (row: { readonly width: number } | undefined) =>
    row !== undefined && right > 0 && row.width >= right - WRAP_SLACK && row.width <= right;
  let text = "";
  const offsets: number[] = [];
  let rowFrom = 0;
  for (const [index, row] of rows.entries()) {
    const goesOnBefore = reachesEdge(rows[index - 1]);
    const goesOn = index + 1 < rows.length && reachesEdge(row);
    const from = goesOnBefore ? row.text.length - row.text.trimStart().length : 0;
    const to = goesOn ? row.text.trimEnd().length : row.text.length;
    if (to > from) {
      text += row.text.slice(from, to);
      for (let at = from; at < to; at++) offsets.push(rowFrom + row.offsets[at]!);
    }
    if (!goesOn) {
      text += "\n";
      offsets.push(rowFrom + row.raw.length);
    }
    rowFrom += row.raw.length + 1;
  }
  return { text, offsets };
}
