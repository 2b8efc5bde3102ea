import type { Role } from "../../base/roles.ts";
import { displayWidth } from "../../base/text/display_width.ts";
import { paint, roleStyle } from "../console/color.ts";
import type { CliIo } from "../console/command.ts";
import { wrapRow } from "../console/layout.ts";
import type { ActivityRow } from "../../api/show/activity_row.ts";
import { timeOfDay } from "../../journal/words/words.ts";

interface RowPrinterOptions {
  readonly color: boolean;
  readonly namesRoles: boolean;
  readonly redraws: boolean;
}

interface RowPrinter {
  print(role: Role, row: ActivityRow): void;
  mustRedraw(): boolean;
  redraw(): void;
}

const MAX_KEPT = 5000;

const CLEAR = "\x1b[H\x1b[2J\x1b[3J";

const MIN_TEXT_COLUMNS = 20;

export function createRowPrinter(
  io: Pick<CliIo, "stdout" | "isTerminal" | "columns">,
  { color, namesRoles, redraws }: RowPrinterOptions,
): RowPrinter {
  let kept: { readonly role: Role; readonly row: ActivityRow }[] = [];
  let columns = io.columns();
  let before: { readonly role: Role; readonly row: ActivityRow } | undefined;

  const plainRow = (role: Role, { at, mark, text, style }: ActivityRow) => {
    const whose = namesRoles ? `${paint(role, roleStyle(role), color)} ` : "";
    return `${paint(at, "faint", color)} ${whose}${paint(`${mark}${text}`.trimEnd(), style, color)}\n`;
  };

  const terminalRows = (role: Role, row: ActivityRow) => {
    const { at, mark, text, style, begins, isTimed = false } = row;
    const isOther = namesRoles && before?.role !== role;
    const isAlike = before?.row.begins === true && before.row.mark === mark;
    const gap = before !== undefined && (isOther || begins && !isAlike) ? "\n" : "";
    const heading = isOther ? `${paint(`── ${role} ──`, roleStyle(role), color)}\n` : "";
    const time = isTimed ? `${timeOfDay(new Date(at))} ` : "";
    const indent = displayWidth(time) + displayWidth(mark);
    const rows = wrapRow(text, Math.max(MIN_TEXT_COLUMNS, columns - indent));
    const shown = rows.map((part, index) => {
      const front = index === 0
        ? `${paint(time, "faint", color)}${paint(mark, style, color)}`
        : continued(mark, indent);
      return `${`${front}${paint(part, style, color)}`.trimEnd()}\n`;
    });
    return `${gap}${heading}${shown.join("")}`;
  };

  const write = (role: Role, row: ActivityRow) => {
    io.stdout(io.isTerminal.stdout ? terminalRows(role, row) : plainRow(role, row));
    before = { role, row };
  };

  return {
    print(role, row) {
      if (!redraws) columns = io.columns();
      write(role, row);
      if (!redraws) return;
      kept.push({ role, row });
      if (kept.length >= 2 * MAX_KEPT) kept = kept.slice(-MAX_KEPT);
    },
    mustRedraw: () => redraws && io.columns() !== columns,
    redraw() {
      columns = io.columns();
      before = undefined;
      io.stdout(CLEAR);
      for (const { role, row } of kept) write(role, row);
    },
  };
}

/** What stands before the further rows of a wrapped one: the ruler of a quotation is drawn on. */
function continued(mark: string, indent: number): string {
  return /[│|] $/.test(mark) ? mark : " ".repeat(indent);
}
