import { findRegions } from "../../screen/regions.ts";
import type { Layout } from "../../screen/rules.ts";
import type { Screen } from "../../screen/screen.ts";
import { withoutSidePanel } from "../../screen/side_panel.ts";

/**
 * The text of the last block of the last turn: what an agent said last, as far as the screen shows it, without bullet
 * and indentation. Empty if there is none.
 */
export function lastBlockText(shown: Screen, layout: Layout): string {
  const { indent, trailer } = layout.answer;
  const screen = withoutSidePanel(shown, layout.sidePanel);
  const { first, last } = findRegions(screen, layout).lastTurn;
  const texts = screen.rows.slice(first, last + 1).map((row) => row.text);
  while (texts.length > 0 && (texts.at(-1)!.trim() === "" || trailer.test(texts.at(-1)!))) texts.pop();
  const start = texts.findLastIndex((text) => layout.head.test(text));
  return texts.slice(Math.max(start, 0)).map((text) => text.replace(indent, "")).join("\n").trim();
}
