import { plainRow, scanRow } from "../../base/text/ansi.ts";
import { displayWidth, graphemes } from "../../base/text/display_width.ts";

/** Rulers, boxes and progress bars: what they show is their first columns. */
const DRAWN = /^\s*[\u2500-\u259f]/;

export function tileRows(
  capture: string,
  { columns, rows }: { readonly columns: number; readonly rows: number },
): readonly string[] {
  const lines = withoutBlankEnd(capture.replaceAll("\t", " ").split("\n"));
  const shown: string[] = [];
  /** What has been set since everything was last set anew. */
  let style = "";
  for (const [index, line] of lines.entries()) {
    const isShown = index >= lines.length - rows;
    const text = isShown ? plainRow(line).trimEnd() : "";
    const isCut = DRAWN.test(text);
    let left = text.length;
    let row = style;
    let used = 0;
    scanRow(line, (start, end) => {
      const run = line.slice(start, Math.min(end, start + left));
      left -= run.length;
      for (const character of charactersOf(run)) {
        const width = displayWidth(character);
        if (used + width > columns) {
          if (isCut) return void (left = 0);
          shown.push(row);
          row = style;
          used = 0;
        }
        row += character;
        used += width;
      }
    }, (parameters) => {
      const sequence = `\x1b[${parameters}m`;
      style = /^(?:0|$|0;)/.test(parameters) ? sequence : style + sequence;
      row += sequence;
    });
    if (isShown) shown.push(row);
  }
  return shown.slice(-rows);
}

function charactersOf(text: string): Iterable<string> {
  return /^[\x20-\x7e]*$/.test(text) ? text : graphemes(text);
}

function withoutBlankEnd(lines: readonly string[]): readonly string[] {
  const last = lines.findLastIndex((line) => plainRow(line).trim() !== "");
  return lines.slice(0, last + 1);
}
