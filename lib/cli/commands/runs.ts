import { listRunIds } from "../../run/find_run.ts";
import { isRunId, runFolderAt } from "../../run/run_folder.ts";
import { hasLiveAgents, type LiveProcesses, lookAtProcesses } from "../../jobs/overview/live_agents.ts";
import { readOverview, type RunOverview } from "../../jobs/overview/read_overview.ts";
import { firstLine } from "../../text/lines.ts";
import { defineCommand } from "../console/command.ts";
import { findRunsWorkdir, WORKDIR_FLAG } from "../find_named_run.ts";
import { cut, padEnd } from "../console/layout.ts";
import { conditionText, placeText } from "../show/run_words.ts";
import { jsonLine, sanitizeLine } from "../../text/sanitize.ts";
import { age } from "../show/words.ts";

/** `panewright runs` */
export const command = defineCommand({
  description:
    "Lists the runs of a working directory, the newest first: those of `panewright run` and of `panewright exec`, how each is, " +
    "how long ago it began, and what it is at, waits for or ended with.\n\nrunning: a process executes it. waiting: for an " +
    "answer (panewright questions). passed, failed: it is over. stopped, killed, needs a person, error: panewright resume goes on " +
    "with it. empty: it was broken off before it began. unreadable: its journal is damaged (panewright status says where).",
  flags: [WORKDIR_FLAG],
  examples: [
    { command: "runs", description: "what runs, and what has run, in this project" },
    { command: "runs --json", description: "one JSON object a run" },
  ],
  async run({ flags, global }, io) {
    const workdir = await findRunsWorkdir(io, flags.wd);
    const rows = await readRows(workdir);
    if (global.json) {
      for (const row of rows) io.stdout(jsonLine(jsonRow(row)));
      return 0;
    }
    if (rows.length > 0) {
      const width = io.isTerminal.stdout ? io.columns() : Infinity;
      io.stdout(renderRows(rows, { now: new Date(), width }));
    } else if (!global.quiet) {
      io.stdout(`There is no run in ${sanitizeLine(workdir)}.\n`);
    }
    return 0;
  },
});

/** A run of the list. */
export interface RunRow extends RunOverview {
  /** Whether agents live on whose panewright is gone; only looked for where they could. */
  readonly agentsLeft: boolean;
}

/** All runs of a working directory, the newest first. */
export async function readRows(workdir: string): Promise<readonly RunRow[]> {
  const folders = (await listRunIds(workdir)).map((id) => runFolderAt(workdir, id)).toReversed();
  let processes: Promise<LiveProcesses> | undefined;
  const rows: RunRow[] = [];
  for (const folder of folders) {
    const overview = await readOverview(folder, { brief: true });
    // Somebody's folder beside those of runs.
    if (overview.condition === "empty" && !isRunId(folder.id)) continue;
    const { condition, summary } = overview;
    const agentsLeft = condition === "killed" && summary !== undefined &&
      hasLiveAgents(summary, folder, await (processes ??= lookAtProcesses()));
    rows.push({ ...overview, agentsLeft });
  }
  return rows;
}

function jsonRow(row: RunRow): Readonly<Record<string, unknown>> {
  const { folder, condition, executed, summary, question, answered, problem, agentsLeft } = row;
  return {
    type: "run",
    run: folder.id,
    job: summary?.job ?? null,
    state: condition,
    executed,
    startedAt: summary?.startedAt ?? null,
    lastRecordAt: summary?.lastAt ?? null,
    ...(summary === undefined ? {} : { about: summary.about }),
    ...(question === undefined ? {} : { question: question.id ?? null, answered }),
    ...(condition === "killed" ? { agentsAlive: agentsLeft } : {}),
    ...(summary?.finished === undefined ? {} : { reason: summary.finished.reason }),
    ...(problem === undefined ? {} : { problem: problem.message }),
    folder: folder.path,
  };
}

const HEADINGS = ["RUN", "JOB", "STATE", "AGE", ""] as const;

/** Rows of a list, aligned and cut to the width. */
export function renderRows(
  rows: readonly RunRow[],
  { now, width }: { readonly now: Date; readonly width: number },
): string {
  const table = [HEADINGS, ...rows.map((row) => cellsOf(row, now))];
  const widths = HEADINGS.slice(0, -1).map((_, column) =>
    Math.max(...table.map((cells) => cells[column]?.length ?? 0))
  );
  const lines = table.map((cells) => {
    const padded = cells.map((cell, column) => column < widths.length ? padEnd(cell, widths[column]!) : cell);
    return cut(padded.join("  ").trimEnd(), width);
  });
  return `${lines.join("\n")}\n`;
}

function cellsOf(row: RunRow, now: Date): readonly string[] {
  const { folder, summary } = row;
  const began = summary === undefined ? "" : age((now.getTime() - Date.parse(summary.startedAt)) / 1000);
  return [sanitizeLine(folder.id), summary?.job ?? "", conditionText(row), began, noteOf(row)];
}

/** What is most worth knowing of a run, in a line. */
function noteOf({ summary, problem, question, agentsLeft }: RunRow): string {
  if (problem !== undefined) return sanitizeLine(firstLine(problem.message));
  if (summary === undefined) return "broken off before it began";
  const { finished } = summary;
  if (question !== undefined) {
    return `${sanitizeLine(question.by)}: ${sanitizeLine(firstLine(question.text))}`;
  }
  if (finished !== undefined) return sanitizeLine(firstLine(finished.reason));
  return `${placeText(summary)}${agentsLeft ? "; its agents are alive" : ""}`;
}
