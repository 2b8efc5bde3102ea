import { DamagedJournalError, type JournalRecord, parseJournal, readJournal } from "../../run/read_journal.ts";
import type { RunFolder } from "../../run/run_folder.ts";
import { FolderWatch } from "../../session_log/folder_watch.ts";
import { LineTail } from "../../session_log/line_tail.ts";
import { isExecuted } from "../../jobs/overview/read_overview.ts";
import type { ExecEvent } from "../../jobs/pipeline/facts.ts";
import type { ReviewFact } from "../../jobs/review_loop/facts.ts";
import { type CliIo, defineCommand, exitCodeOfLeaving, type GlobalFlags } from "../console/command.ts";
import type { ProgressLine } from "../show/describe_event.ts";
import { describeExecEvent } from "../show/describe_exec_event.ts";
import { COLORS } from "../show/event_progress.ts";
import { findMeantRun, RUN_ARGUMENT, WORKDIR_FLAG } from "../find_named_run.ts";
import { describeWithOutput } from "../show/progress.ts";
import { localTime } from "../show/run_words.ts";
import { jsonLine, sanitizeLine } from "../../text/sanitize.ts";

/** `panewright logs [RUN]` */
export const command = defineCommand({
  description:
    "Shows what has happened in a run, by its journal: the same lines as the run itself shows, each with its time; --verbose adds " +
    "the details. Of a run of `panewright exec` the files are named that have what the agents said and ran. Without RUN it " +
    "is the one that is executed, otherwise the newest.\n\nWith --follow new lines are shown as they come, until no process executes " +
    "the run any more. With --json it is the journal's records themselves, one a line.",
  arguments: [RUN_ARGUMENT],
  flags: [
    { name: "follow", short: "f", type: "switch", description: "go on until the run ends" },
    WORKDIR_FLAG,
  ],
  examples: [
    { command: "logs --follow", description: "watch a run from another terminal" },
    { command: "logs 20261120-072605-3fa9 --json | jq .type", description: "the records, for a program" },
  ],
  async run({ flags, positionals, global }, io) {
    const folder = await findMeantRun(io, positionals[0], flags.wd);
    const writer = createWriter(folder, { io, global });
    try {
      await tellRecords(folder, { onRecord: writer, follow: flags.follow === true, signal: io.signal });
    } catch (error) {
      if (!io.signal.aborted) throw error;
      return exitCodeOfLeaving(io);
    }
    return 0;
  },
});

/** How often it is looked whether the run is still executed. */
const LOOK_EVERY_MS = 500;

interface ReadOptions {
  readonly onRecord: (record: JournalRecord) => void;
  readonly follow: boolean;
  readonly signal: AbortSignal;
}

/**
 * Tells a journal's records from its beginning, and with `follow` for as long as a process executes the run. What is not
 * fully written yet does not count.
 *
 * @throws {DamagedJournalError} at a line that is no record; those before it were told
 * @throws {PanewrightError} when there is no journal
 */
async function tellRecords(folder: RunFolder, { onRecord, follow, signal }: ReadOptions): Promise<void> {
  using tail = new LineTail(folder.journalPath);
  await using changes = new FolderWatch(folder.journalPath);
  let told = 0;
  for (;;) {
    signal.throwIfAborted();
    // Asked before the read: what was written before the end is then surely in it.
    const goesOn = follow && await isExecuted(folder);
    const { lines, restarted } = await tail.read();
    const fresh = restarted === undefined ? lines : lines.slice(told);
    told = restarted === undefined ? told + lines.length : lines.length;
    for (const line of fresh) for (const record of await parseLine(line, folder)) onRecord(record);
    if (goesOn) await changes.wait(LOOK_EVERY_MS, signal);
    else break;
  }
  if (told === 0) await readJournal(folder.journalPath);
}

async function parseLine(line: string, { journalPath }: RunFolder): Promise<readonly JournalRecord[]> {
  try {
    return parseJournal(`${line}\n`, journalPath);
  } catch (error) {
    // The whole journal knows the line's place.
    if (error instanceof DamagedJournalError) await readJournal(journalPath);
    throw error;
  }
}

function createWriter(
  folder: RunFolder,
  { io, global }: { readonly io: CliIo; readonly global: GlobalFlags },
): (record: JournalRecord) => void {
  if (global.json) return (record) => io.stdout(jsonLine(record));
  const colored = global.color && io.isTerminal.stdout;
  let job: string | undefined;
  return (record) => {
    if (record.type === "run_started" && "job" in record) job = String(record.job);
    const time = io.isTerminal.stdout ? localTime(record.at) : sanitizeLine(record.at);
    for (const { text, tone, detail } of describe(record, { job, folder })) {
      if (detail && !global.verbose) continue;
      const lines = text.replaceAll("\n", "\n  ");
      const color = colored ? COLORS[tone] : undefined;
      io.stdout(`${time} ${color === undefined ? lines : `${color}${lines}\x1b[0m`}\n`);
    }
  };
}

/** The lines of a record. One that this version does not know is shown by its name. */
function describe(
  record: JournalRecord,
  { job, folder }: { readonly job: string | undefined; readonly folder: RunFolder },
): readonly ProgressLine[] {
  const unknown: ProgressLine = { text: sanitizeLine(record.type), tone: "plain", detail: true };
  if (record.type === "journal_opened") return [unknown];
  try {
    // Records are events with their time: panewright itself wrote them.
    if (job !== "exec") return describeWithOutput(record as unknown as ReviewFact).map((line) => line ?? unknown);
    const event = record as unknown as ExecEvent;
    const lines = describeExecEvent(event) ?? [unknown];
    if (event.type !== "attempt_started") return lines;
    const log = `what it says and runs is in ${folder.path}/${event.folder}/log.txt`;
    return [...lines, { text: sanitizeLine(log), tone: "plain", detail: false }];
  } catch {
    return [unknown];
  }
}
