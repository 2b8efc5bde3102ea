import { clip, displayWidth } from "../base/text/display_width.ts";
import type { Row, Screen } from "./screen.ts";
import type { StyleSpan } from "./style.ts";

/** With fewer rows than these, it is the agent's own text that looks like one. */
const MIN_ROWS = 8;

/**
 * A screen without the panel that a CLI draws beside the conversation: its rows end where the panel's edge stands. What
 * the panel shows is the project's text, and no part of a dialog. Pure.
 *
 * @param panel matches the first row where there is a panel: group `before` is what stands left of the edge, `edge` the
 * character that the edge is made of
 * @example
 * ```ts
 * import { assertEquals } from "@std/assert";
 * import { parseScreen } from "./screen.ts";
 * const screen = parseScreen(["hi  │  ✕", ...Array(9).fill("Go? │+Yes"), "─────────"].join("\n"));
 * const { rows } = withoutSidePanel(screen, /^(?<before>.*)(?<edge>│) *✕$/);
 * assertEquals([rows[0]?.text, rows[9]?.text, rows[10]?.text], ["hi", "Go?", "─────────"]);
 * ```
 */
export function withoutSidePanel(screen: Screen, panel: RegExp | undefined): Screen {
  const { before, edge } = panel?.exec(screen.rows[0]?.text ?? "")?.groups ?? {};
  if (before === undefined || edge === undefined) return screen;
  const column = displayWidth(before);
  const shown: Row[] = [];
  for (const row of screen.rows) {
    const left = leftOf(row.text, { column, edge });
    if (left === undefined) break;
    shown.push(new ShortRow(row, left.replace(/ +$/, "")));
  }
  return shown.length < MIN_ROWS ? screen : { ...screen, rows: [...shown, ...screen.rows.slice(shown.length)] };
}

/** What stands before the edge; `undefined` where the edge is not in that column. */
function leftOf(
  text: string,
  { column, edge }: { readonly column: number; readonly edge: string },
): string | undefined {
  const isNext = (before: string) => displayWidth(before) === column && text.startsWith(edge, before.length);
  const before = text.slice(0, column);
  if (isNext(before)) return before;
  // Other characters than those of one column each.
  const clipped = clip(text, column);
  return isNext(clipped) ? clipped : undefined;
}

/** The beginning of a row. */
class ShortRow implements Row {
  constructor(readonly row: Row, readonly text: string) {}

  /** All of it: what is kept of a screen shows what a person saw. */
  get raw(): string {
    return this.row.raw;
  }

  get spans(): readonly StyleSpan[] {
    const end = this.text.length;
    return this.row.spans.filter(({ start }) => start < end).map((span) => ({ ...span, end: Math.min(span.end, end) }));
  }

  get isStyleRead(): boolean {
    return this.row.isStyleRead;
  }
}
