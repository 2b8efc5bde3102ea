import { basename, dirname } from "@std/path/posix";
import { JOBS } from "../../jobs/mod.ts";
import type { Job } from "../../run/job.ts";
import { initialProgress } from "../../run/progress.ts";
import { byteOfLine, createFactReader, type FactReader } from "../../run/fact_reader.ts";
import { MAX_JOURNAL_BYTES } from "../../run/journal.ts";
import { openRegularFile } from "../../ports/regular_file.ts";
import { readJournalText } from "../../run/read_facts.ts";
import type { RunFolder } from "../../run/run_folder.ts";
import { watchFolder } from "../../session_log/folder_watch.ts";
import { LineTail } from "../../session_log/line_tail.ts";
import { isExecuted } from "../../run/overview.ts";
import { type CliIo, defineCommand, exitCodeOfLeaving, type GlobalFlags } from "../console/command.ts";
import { findMeantRun, RUN_ARGUMENT, WORKDIR_FLAG } from "../find_named_run.ts";
import { AttemptActivity } from "../attempt_activity.ts";
import { painted } from "../show/live_output.ts";
import { describeRecord, type ShownRecord } from "../show/record_text.ts";
import type { ShownLine } from "../show/shown_line.ts";
import { taskName } from "../show/run_words.ts";
import { localTime } from "../show/words.ts";
import { jsonLine, sanitizeLine } from "../../text/sanitize.ts";

/** `panewright logs [RUN]` */
export const command = defineCommand({
  description:
    "Shows what has happened in a run, from its journal: the same lines as the run itself shows, each with its time; --verbose " +
    "adds the details. For a run of `panewright exec` it names the files with what the agents said and ran. Without RUN: the run " +
    "that is being executed, otherwise the newest.\n\nWith --follow new lines are shown as they come, until no process executes " +
    "the run any more, with what the agents of steps say and run. With --json it prints the records of the " +
    "journal themselves, one on each line.",
  arguments: [RUN_ARGUMENT],
  flags: [
    { name: "follow", short: "f", type: "switch", description: "keep showing new lines until the run ends" },
    WORKDIR_FLAG,
  ],
  examples: [
    { command: "logs --follow", description: "watch a run from another terminal" },
    { command: "logs 20261120-072605-3fa9 --json | jq .type", description: "the records, for a program" },
  ],
  async run({ flags, positionals, global }, io) {
    const folder = await findMeantRun(io, positionals[0], flags.wd);
    const follow = flags.follow === true;
    using activity = new AttemptActivity();
    const writer = createWriter(folder, { io, global, ...(follow ? { activity } : {}) });
    try {
      await tellRecords(folder, { ...writer, follow, signal: io.signal });
    } catch (error) {
      if (!io.signal.aborted) throw error;
      return exitCodeOfLeaving(io);
    }
    return 0;
  },
});

/** How often to look whether the run is still executed. */
const LOOK_EVERY_MS = 500;

/** A record of a journal; `fact` is undefined where it says nothing about the run that this version knows. */
type ReadRecord = ReturnType<FactReader["read"]>;

interface ReadOptions {
  readonly onRecord: (record: ReadRecord) => void | Promise<void>;
  /** Called when all records that are there were told. */
  readonly onPause: () => void | Promise<void>;
  readonly follow: boolean;
  readonly signal: AbortSignal;
}

/**
 * Tells a journal's records from its beginning, and with `follow` for as long as a process executes the run. What is
 * not fully written yet does not count.
 *
 * @throws {PanewrightError} when there is no journal, and at a line that cannot be read; those before it were told
 */
async function tellRecords({ journalPath: path, lockPath }: RunFolder, options: ReadOptions) {
  const { onRecord, onPause, follow, signal } = options;
  refuseUnlessReadable(path);
  using tail = new LineTail(path);
  const changes = watchFolder(dirname(path), { files: [basename(path)] });
  const byteOf = (line: number) => byteOfLine(readJournalText(path), line);
  const newReader = () => createFactReader({ path, jobs: JOBS, byteOf });
  let reader = newReader();
  let told = 0;
  for (;;) {
    signal.throwIfAborted();
    // Asked before the read: what was written before the end is then surely in it.
    const goesOn = follow && await isExecuted({ lockPath });
    const { lines, restarted } = await tail.read();
    if (restarted !== undefined) reader = newReader();
    for (const [index, line] of lines.entries()) {
      const record = reader.read(line);
      if (restarted === undefined || index >= told) await onRecord(record);
    }
    await onPause();
    told = restarted === undefined ? told + lines.length : lines.length;
    if (goesOn) await changes.wait(LOOK_EVERY_MS, signal);
    else break;
  }
  if (told === 0) readJournalText(path);
}

/** A journal is read in pieces here, so it is looked at as a whole first. */
function refuseUnlessReadable(path: string): void {
  try {
    using journal = openRegularFile(path, { access: "read" });
    if (journal.stat().size <= MAX_JOURNAL_BYTES) return;
  } catch (error) {
    if (error instanceof Deno.errors.NotFound) return;
  }
  // Tells why.
  readJournalText(path);
}

/** @param options `activity`: to be told with the records; missing where only those are */
function createWriter(
  folder: RunFolder,
  { io, global, activity }: {
    readonly io: CliIo;
    readonly global: GlobalFlags;
    readonly activity?: AttemptActivity;
  },
): Pick<ReadOptions, "onRecord" | "onPause"> {
  if (global.json) return { onRecord: ({ record }) => io.stdout(jsonLine(record)), onPause: () => {} };
  const color = global.color && io.isTerminal.stdout;
  let job: Job | undefined;
  let progress = initialProgress("run");
  const write = (at: string, lines: readonly ShownLine[], task = taskName(progress)) => {
    const time = io.isTerminal.stdout ? localTime(at) : sanitizeLine(at);
    for (const line of lines) {
      if (line.importance !== "detail" || global.verbose) io.stdout(`${time} ${painted(line, { color, task })}\n`);
    }
  };
  const writeActivity = async (until?: string) => {
    for (const { at, fact } of await activity?.take(until) ?? []) {
      write(at, describeRecord({ type: "agent_activity", ...NOWHERE, fact }));
    }
  };
  return {
    async onRecord(read) {
      const { record: { at, type, job: id }, fact } = read;
      await writeActivity(at);
      const before = progress;
      if (type === "run_started") job = JOBS.find((each) => each.id === id);
      if (job !== undefined && fact !== undefined) progress = job.progress(before, fact);
      write(at, describe(read, folder), taskName(progress) ?? taskName(before));
      const shown = fact as ShownRecord | undefined;
      if (shown?.type === "attempt_started") activity?.begin(logOf(shown, folder));
    },
    onPause: () => writeActivity(),
  };
}

/** What an agent does is told without its place, which the lines around it name. */
const NOWHERE = { task: 0, step: 0 };

function describe({ record, fact }: ReadRecord, folder: RunFolder): readonly ShownLine[] {
  if (fact === undefined) return [{ text: sanitizeLine(record.type), tone: "plain", importance: "detail" }];
  // The reader has checked it against its job's schema.
  const shown = fact as ShownRecord;
  const lines = describeRecord(shown);
  const place = placeTold(shown, folder);
  return place === undefined ? lines : [...lines, { text: sanitizeLine(place), tone: "plain", importance: "normal" }];
}

/** Where there is more than the record says. */
function placeTold(record: ShownRecord, folder: RunFolder): string | undefined {
  if (record.type === "attempt_started") return `what it says and runs is in ${logOf(record, folder)}`;
  if (record.type !== "files_changed" || record.files.length === 0) return undefined;
  return `what it changed is in ${folder.path}/${record.folder}/${record.hasPatch ? "diff.patch" : "files.txt"}`;
}

function logOf({ folder }: Extract<ShownRecord, { readonly type: "attempt_started" }>, { path }: RunFolder): string {
  return `${path}/${folder}/log.txt`;
}
