import { describeRecord, type ShownRecord } from "../../journal/describe.ts";
import { JOBS } from "../../jobs/mod.ts";
import type { JobRecords } from "../../journal/job.ts";
import { initialProgress } from "../../journal/progress.ts";
import type { JournalRecord } from "../../journal/follow_journal.ts";
import type { RunFolder } from "../../run/run_folder.ts";
import type { CliIo, GlobalFlags } from "../console/command.ts";
import type { AttemptActivity } from "../attempt_activity.ts";
import { paint } from "../console/color.ts";
import { painted } from "./live_output.ts";
import type { ShownLine } from "../../journal/words/lines.ts";
import { taskName } from "../../api/show/run_words.ts";
import { localTime } from "../../journal/words/words.ts";
import { recordLine } from "../../api/output/line.ts";
import { sanitizeLine } from "../../base/text/sanitize.ts";

/** A record of a journal; `fact` is undefined where it says nothing about the run that this version knows. */
export type ReadRecord = Pick<JournalRecord, "record" | "fact">;

export interface ReadOptions {
  readonly onRecord: (record: ReadRecord) => void | Promise<void>;
  /** Called when all records that are there were told. */
  readonly onPause: () => void | Promise<void>;
  readonly follow: boolean;
  readonly signal: AbortSignal;
}

/** @param options `activity`: to be told with the records; missing where only those are */
export function journalWriter(
  folder: RunFolder,
  { io, global, activity }: {
    readonly io: CliIo;
    readonly global: GlobalFlags;
    readonly activity?: AttemptActivity;
  },
): Pick<ReadOptions, "onRecord" | "onPause"> {
  if (global.json) return { onRecord: ({ record }) => io.stdout(recordLine(record)), onPause: () => {} };
  const color = global.color.stdout;
  let job: JobRecords | undefined;
  let progress = initialProgress("run");
  const write = (at: string, lines: readonly ShownLine[], task = taskName(progress)) => {
    const time = io.isTerminal.stdout ? localTime(at) : sanitizeLine(at);
    for (const line of lines) {
      if (line.importance !== "detail" || global.verbose) {
        io.stdout(`${paint(time, "faint", color)} ${painted(line, { color, task })}\n`);
      }
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
const NOWHERE = { task: 0, step: 0, attempt: 0 };

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
