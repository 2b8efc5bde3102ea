import { widestDisplayWidth } from "../base/text/display_width.ts";

/** One row of a text that a CLI broke into rows. */
export interface BrokenRow {
  /** Without what stands left of the text. */
  readonly text: string;
  /** The screen's column in which the row ends, by the widest count: what may reach the edge counts as reaching it. */
  readonly endColumn: number;
}

/** More readings than this are not told. */
const MAX_READINGS = 32;

const TRAILING_WORD = /\S*$/;
const LEADING_WORD = /^\S*/;

/**
 * A break between two rows: what the text may have there, the most likely first. A toggle changes all its breaks at
 * once.
 */
interface Break {
  readonly options: readonly string[];
  readonly indented: boolean;
}

/**
 * What may be between two rows. A row that had room for the next word was ended by the text itself. Otherwise the CLI
 * may have wrapped it at a blank, or within a word that is longer than a row.
 */
function breakBetween(
  row: BrokenRow,
  next: BrokenRow,
  limits: { readonly left: number; readonly right: number },
): Break {
  const { left, right } = limits;
  const word = LEADING_WORD.exec(next.text)?.[0] ?? "";
  // A long run of blanks looks like this too where it meets the edge.
  if (word === "" || row.text === "") return { options: ["\n", " "], indented: true };
  const width = widestDisplayWidth(word);
  if (row.endColumn + 1 + width <= right) return { options: ["\n"], indented: false };
  const before = TRAILING_WORD.exec(row.text)?.[0] ?? "";
  if (row.endColumn < right) {
    return { options: [" ", "\n", ...(/[\p{L}\p{N}]-$/u.test(before) ? [""] : [])], indented: false };
  }
  const tooLong = widestDisplayWidth(before) + width > right - left;
  return { options: tooLong ? ["", " ", "\n"] : [" ", "\n", ""], indented: false };
}

/**
 * Puts rows together that a CLI broke at the right edge, at blanks or within long words. From the rows alone it cannot
 * always be told whether the text has a line end there: then there is more than one reading.
 *
 * @param limits the columns between which the text stands, `right` excluded
 * @example
 * ```ts
 * import { assertEquals } from "@std/assert";
 * const rows = ["echo one two", "three", "ls"].map((text) => ({ text, endColumn: text.length }));
 * assertEquals(readRows(rows, { left: 0, right: 14 }), {
 *   best: "echo one two three\nls",
 *   others: ["echo one two\nthree\nls"],
 *   all: true,
 * });
 * ```
 */
export function readRows(
  rows: readonly BrokenRow[],
  limits: { readonly left: number; readonly right: number },
): {
  /** The most likely one: what can be a wrapped row is one. */
  readonly best: string;
  /** What the rows may stand for as well. */
  readonly others: readonly string[];
  /** Whether all of them are named; where there are too many, they are not. */
  readonly all: boolean;
} {
  const breaks = rows.slice(1).map((next, index) => breakBetween(rows[index] as BrokenRow, next, limits));
  const join = (glue: (each: Break, index: number) => string) =>
    rows.map(({ text }, index) => index === 0 ? text : `${glue(breaks[index - 1] as Break, index - 1)}${text}`).join("")
      .replaceAll(/ +$/gm, "").trim();
  const best = join(({ options }) => options[0] ?? "\n");
  const open = breaks.flatMap(({ options, indented }, index) =>
    !indented && options.length > 1 ? [{ index, options }] : []
  );
  const indented = breaks.some((each) => each.indented);
  const count = open.reduce((product, { options }) => product * options.length, indented ? 2 : 1);
  if (count > MAX_READINGS) return { best, others: [], all: false };
  const others = new Set<string>();
  for (let choice = 0; choice < count; choice++) {
    let rest = choice;
    const joined = indented && rest % 2 === 1;
    if (indented) rest = Math.floor(rest / 2);
    const chosen = new Map<number, string>();
    for (const { index, options } of open) {
      chosen.set(index, options[rest % options.length] as string);
      rest = Math.floor(rest / options.length);
    }
    others.add(join((each, index) => chosen.get(index) ?? (each.indented && joined ? " " : each.options[0] as string)));
  }
  others.delete(best);
  return { best, others: [...others], all: true };
}
