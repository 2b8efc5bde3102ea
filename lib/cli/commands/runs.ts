import { listRunIds } from "../../run/find_run.ts";
import { isRunId, runFolderAt } from "../../run/run_folder.ts";
import { JOBS } from "../../jobs/mod.ts";
import { hasLiveAgents, type LiveProcesses, lookAtProcesses } from "../../run/live_agents.ts";
import { readOverview, type RunOverview } from "../../run/overview.ts";
import { firstLine } from "../../text/lines.ts";
import { defineCommand } from "../console/command.ts";
import { findRunsWorkdir, WORKDIR_FLAG } from "../find_named_run.ts";
import { cut, padEnd } from "../console/layout.ts";
import { conditionText, placeText, waitingText } from "../show/run_words.ts";
import { jsonLine, sanitizeLine } from "../../text/sanitize.ts";
import { age } from "../show/words.ts";

/** `panewright runs` */
export const command = defineCommand({
  description:
    "Lists the runs of a working directory, the newest first: those of `panewright run` and of `panewright exec`, the state of " +
    "each, how long ago it began, and what it is doing, waits for or ended with.\n\nrunning: a process executes it. waiting: for " +
    "an answer (panewright questions). passed, failed: it is over. stopped, killed, needs a person, error: panewright resume " +
    "resumes it. empty: it was broken off before it began. unreadable: its journal is damaged (panewright status says where).",
  flags: [WORKDIR_FLAG],
  examples: [
    { command: "runs", description: "the runs of this project" },
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
      io.stdout(`There are no runs in ${sanitizeLine(workdir)}.\n`);
    }
    return 0;
  },
});

/** A run of the list. */
export interface RunRow extends RunOverview {
  /** Whether agents are alive whose panewright is gone; only looked for where they can be. */
  readonly agentsLeft: boolean;
}

/** All runs of a working directory, the newest first. */
export async function readRows(workdir: string): Promise<readonly RunRow[]> {
  const folders = (await listRunIds(workdir)).map((id) => runFolderAt(workdir, id)).toReversed();
  let processes: Promise<LiveProcesses> | undefined;
  const rows: RunRow[] = [];
  for (const folder of folders) {
    const overview = await readOverview(folder, JOBS, { brief: true });
    const { condition, progress } = overview;
    // A folder that is not a run's may stand beside those that are.
    if (condition === "empty" && !isRunId(folder.id)) continue;
    const agentsLeft = condition === "killed" && progress !== undefined &&
      hasLiveAgents(progress, folder, await (processes ??= lookAtProcesses()));
    rows.push({ ...overview, agentsLeft });
  }
  return rows;
}

function jsonRow(row: RunRow): Readonly<Record<string, unknown>> {
  const { folder, condition, executed, progress, question, answered, problem, agentsLeft } = row;
  return {
    type: "run",
    run: folder.id,
    job: progress?.job ?? null,
    state: condition,
    executed,
    startedAt: progress?.startedAt ?? null,
    lastRecordAt: progress?.lastAt ?? null,
    ...(progress === undefined ? {} : { about: progress.about }),
    ...(question === undefined ? {} : { question: question.id ?? null, answered }),
    ...(condition === "killed" ? { agentsAlive: agentsLeft } : {}),
    ...(progress?.finished === undefined ? {} : { reason: progress.finished.reason }),
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
  const { folder, progress } = row;
  const began = progress === undefined ? "" : age((now.getTime() - Date.parse(progress.startedAt)) / 1000);
  return [sanitizeLine(folder.id), progress?.job ?? "", conditionText(row), began, noteOf(row)];
}

/** What is most worth knowing about a run, in one line. */
function noteOf({ progress, problem, question, agentsLeft }: RunRow): string {
  if (problem !== undefined) return sanitizeLine(firstLine(problem.message));
  if (progress === undefined) return "broken off before it began";
  if (question !== undefined) return waitingText(question);
  if (progress.finished !== undefined) return sanitizeLine(firstLine(progress.finished.reason));
  return `${placeText(progress)}${agentsLeft ? "; its agents are alive" : ""}`;
}
