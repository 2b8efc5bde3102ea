import { MAX_PATTERN_TEXT } from "./pattern_cost.ts";
import type { Regions } from "./regions.ts";
import type { RowRange } from "./screen.ts";
import type { Condition, Layout, RowCondition } from "./rules.ts";
import type { LayoutPart, RowRegion } from "./rules_schema.ts";
import { type Row, type Screen, styleAt } from "./screen.ts";
import { asksForColor, isAnyColored, isColored, matchesStyle, withoutColor } from "./style_pattern.ts";

/** How many rows at the bottom count at most as the tail of a screen without composer and dialog. */
const TAIL_ROWS = 30;

/** What a rule rests on. Row -1 is what is known besides the rows: title, process, cursor. */
export interface Evidence {
  /** From 0. */
  readonly row: number;
  /** What stands there. */
  readonly text: string;
}

export interface Scene {
  readonly screen: Screen;
  readonly regions: Regions;
  readonly layout: Layout;
}

function rangeOf({ regions }: Scene, region: RowRegion): RowRange {
  switch (region) {
    case "screen":
      return { first: 0, last: regions.lastRow };
    case "composer":
      return { first: regions.composer?.firstRow ?? 0, last: regions.composer?.lastRow ?? -1 };
    case "footer":
      return regions.footer;
    case "status":
      return regions.status;
    case "transcript":
      return regions.transcript;
    case "last_turn":
      return regions.lastTurn;
    case "dialog":
      return regions.dialog ?? { first: 0, last: -1 };
    case "tail": {
      if (regions.composer || regions.dialog) return { first: 0, last: -1 };
      const { lastTurn: { first, last }, echoRow } = regions;
      // Where no block follows the prompt, what is below it is a part of it, or a program's that draws no blocks.
      const top = echoRow !== undefined && first > last ? echoRow + 1 : first;
      return { first: Math.max(top, regions.lastRow - TAIL_ROWS + 1), last: regions.lastRow };
    }
  }
}

/**
 * What patterns see of a text: as much as their cost was reckoned for, which is more than any terminal shows in a row.
 */
function cutText(text: string): string {
  return text.length > MAX_PATTERN_TEXT ? text.slice(0, MAX_PATTERN_TEXT) : text;
}

/** Whether a row, or the composer with what stands around it, has a colour: where none has, none can be asked for. */
function usesColor({ screen, regions: { composer, lastRow } }: Scene, row: Row): boolean {
  if (isColored(row)) return true;
  return composer !== undefined && isAnyColored(screen, { first: Math.max(0, composer.firstRow - 1), last: lastRow });
}

function matchesRow(scene: Scene, row: Row, condition: RowCondition): boolean {
  const match = condition.text.exec(cutText(row.text));
  if (!match) return false;
  const { style: pattern, styleNeeded = false } = condition;
  if (!pattern) return true;
  if (!scene.screen.styled) return !styleNeeded;
  const group = match.groups?.styled;
  const at = group === undefined ? match.index : row.text.indexOf(group, match.index);
  const style = styleAt(row, at);
  if (matchesStyle(style, pattern, { mark: styleAt(row, row.text.search(/\S/)) })) return true;
  if (styleNeeded || !asksForColor(pattern) || !matchesStyle(style, withoutColor(pattern))) return false;
  return !usesColor(scene, row);
}

function isCandidate({ text }: Row, condition: RowCondition, layout: Layout): boolean {
  switch (condition.row ?? "any") {
    case "head":
    case "last_head":
      return layout.head.test(text);
    case "last_block":
      return layout.head.test(text) && !layout.detail.test(text);
    case "last":
      return text !== "";
    case "any":
      return true;
  }
}

function findRow(scene: Scene, condition: RowCondition): Evidence | undefined {
  const { rows } = scene.screen;
  const { first, last } = rangeOf(scene, condition.region);
  for (let index = last; index >= first; index--) {
    const row = rows[index] as Row;
    if (!isCandidate(row, condition, scene.layout)) continue;
    if (matchesRow(scene, row, condition)) return { row: index, text: row.text };
    if (condition.row?.startsWith("last")) return undefined;
  }
  return undefined;
}

function fact(text: string): Evidence {
  return { row: -1, text };
}

/** What a condition rests on; nothing where it does not hold. */
export function testCondition(scene: Scene, condition: Condition): Evidence | undefined {
  const { screen, regions } = scene;
  switch (condition.on) {
    case "rows":
      return findRow(scene, condition);
    case "title":
      return screen.title !== undefined && condition.text.test(cutText(screen.title))
        ? fact(`title: ${screen.title}`)
        : undefined;
    case "dead":
      return screen.dead === true ? fact("the pane's process has ended") : undefined;
    case "command":
      return screen.command !== undefined && condition.text.test(cutText(screen.command))
        ? fact(`command: ${screen.command}`)
        : undefined;
    case "cursor":
      return screen.cursorVisible === condition.visible
        ? fact(condition.visible ? "the cursor is shown" : "the cursor is hidden")
        : undefined;
    case "style":
      return screen.styled === condition.present
        ? fact(condition.present ? "the capture has style" : "the capture has no style")
        : undefined;
    case "dialog": {
      const { dialog } = regions;
      if (!dialog || !condition.kinds.includes(dialog.info.kind)) return undefined;
      return { row: dialog.first, text: screen.rows[dialog.first]?.text ?? "" };
    }
    case "layout":
      return testPart(scene, condition.has);
  }
}

function testPart(
  { screen, regions }: Scene,
  part: LayoutPart,
): Evidence | undefined {
  const row = part === "composer"
    ? regions.composer?.firstRow
    : part === "draft"
    ? regions.composer?.state === "draft" ? regions.composer.firstRow : undefined
    : part === "dialog"
    ? regions.dialog?.first
    : regions.echoRow;
  return row === undefined ? undefined : { row, text: screen.rows[row]?.text ?? "" };
}
