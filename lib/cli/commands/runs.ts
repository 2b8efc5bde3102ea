import { cut } from "../../base/text/display_width.ts";
import { listRuns, listServedRuns, type RunRow } from "../../api/control/list_runs.ts";
import { firstLine } from "../../base/text/lines.ts";
import { defineCommand } from "../console/command.ts";
import { findListedWorkdir, WORKDIR_FLAG } from "../find_named_run.ts";
import { conditionStyle, paint } from "../console/color.ts";
import { padEnd } from "../console/layout.ts";
import { conditionText, placeText, waitingText } from "../../api/show/run_words.ts";
import { outputLine } from "../../api/output/line.ts";
import { runFields } from "../../api/output/run_fields.ts";
import { sanitizeLine } from "../../base/text/sanitize.ts";
import { age } from "../../journal/words/words.ts";

export const command = defineCommand({
  flags: {
    wd: WORKDIR_FLAG,
  },
  async run({ flags, global }, io) {
    const workdir = await findListedWorkdir(io, flags.wd);
    const rows = flags.wd === undefined
      ? await listServedRuns([await Deno.realPath(workdir).catch(() => workdir)], {})
      : await listRuns(workdir);
    if (global.json) {
      for (const row of rows) io.stdout(outputLine("run", runFields(row)));
      return 0;
    }
    if (rows.length > 0) {
      const width = io.isTerminal.stdout ? io.columns() : Infinity;
      io.stdout(renderRows(rows, { now: new Date(), width, color: global.color.stdout }));
    } else if (!global.quiet) {
      io.stdout(`There are no runs in ${sanitizeLine(workdir)}.\n`);
    }
    return 0;
  },
});

const HEADINGS = ["RUN", "JOB", "STATE", "AGE", ""] as const;

function renderRows(
  rows: readonly RunRow[],
  { now, width, color }: { readonly now: Date; readonly width: number; readonly color: boolean },
): string {
  const table = [HEADINGS, ...rows.map((row) => cellsOf(row, now))];
  const widths = HEADINGS.slice(0, -1).map((_, column) =>
    Math.max(...table.map((cells) => cells[column]?.length ?? 0))
  );
  const stateAt = widths[0]! + widths[1]! + 4;
  const lines = table.map((cells, index) => {
    const padded = cells.map((cell, column) => column < widths.length ? padEnd(cell, widths[column]!) : cell);
    const line = cut(padded.join("  ").trimEnd(), width);
    const row = rows[index - 1];
    if (row === undefined) return paint(line, "strong", color);
    const state = line.slice(stateAt, stateAt + cells[2]!.length);
    return line.slice(0, stateAt) + paint(state, conditionStyle(row.condition), color) +
      line.slice(stateAt + state.length);
  });
  return `${lines.join("\n")}\n`;
}

function cellsOf(row: RunRow, now: Date): readonly string[] {
  const { folder, progress } = row;
  const began = progress === undefined ? "" : age((now.getTime() - Date.parse(progress.startedAt)) / 1000);
  return [sanitizeLine(folder.id), progress?.job ?? "", conditionText(row), began, noteOf(row)];
}

function noteOf({ progress, problem, ...row }: RunRow): string {
  if (problem !== undefined) return sanitizeLine(firstLine(problem.message));
  if (progress === undefined) return "interrupted before it began";
  return `${sanitizeLine(progress.about)}: ${standText(progress, row)}`;
}

function standText(
  progress: NonNullable<RunRow["progress"]>,
  { question, agentsLeft }: Pick<RunRow, "question" | "agentsLeft">,
): string {
  if (question !== undefined) return waitingText(question);
  if (progress.finished !== undefined) return sanitizeLine(firstLine(progress.finished.reason));
  return `${placeText(progress)}${agentsLeft ? "; its agents are alive" : ""}`;
}
