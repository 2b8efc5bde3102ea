import { PANE_MARK_VARIABLE } from "../../base/ports/marks.ts";
import { describeRecord, type ShownRecord } from "../../journal/describe.ts";
import { UsageError } from "../../base/errors.ts";
import { type Role, ROLES } from "../../base/roles.ts";
import { JOBS } from "../../jobs/mod.ts";
import type { JobRecords } from "../../journal/job.ts";
import { initialProgress } from "../../journal/progress.ts";
import { followJournal, type JournalRecord } from "../../journal/follow_journal.ts";
import { readJournalText } from "../../journal/read_facts.ts";
import type { RunFolder } from "../../run/run_folder.ts";
import {
  choiceFlag,
  type CliIo,
  defineCommand,
  exitCodeOfLeaving,
  type GlobalFlags,
  switchFlag,
} from "../console/command.ts";
import { runCommandLine } from "../../run/command_line.ts";
import { findMeantRun, RUN_ARGUMENT, WORKDIR_FLAG } from "../find_named_run.ts";
import { showRoles, type ShowRolesOptions } from "../show_roles.ts";
import { AttemptActivity } from "../attempt_activity.ts";
import { paint } from "../console/color.ts";
import { painted } from "../show/live_output.ts";
import type { ShownLine } from "../../journal/words/lines.ts";
import { taskName } from "../../api/show/run_words.ts";
import { localTime } from "../../journal/words/words.ts";
import { recordLine } from "../../api/output/line.ts";
import { sanitizeLine } from "../../base/text/sanitize.ts";

/** `panewright logs [RUN]` */
export const command = defineCommand({
  arguments: [RUN_ARGUMENT],
  flags: {
    follow: switchFlag("keep showing new lines until the run ends", "f"),
    role: choiceFlag(ROLES, "show what this role's agent does, where it works without a terminal", {
      placeholder: "ROLE",
    }),
    wd: WORKDIR_FLAG,
  },
  async run({ flags, positionals, global }, io) {
    const folder = await findMeantRun(io, positionals[0], flags.wd);
    const follow = flags.follow === true;
    using activity = new AttemptActivity();
    const writer = createWriter(folder, { io, global, ...(follow ? { activity } : {}) });
    try {
      if (flags.role === undefined) await tellRecords(folder, { ...writer, follow, signal: io.signal });
      else await showRole(folder, { role: flags.role, follow, wd: flags.wd, global, io });
    } catch (error) {
      if (!io.signal.aborted) throw error;
      return exitCodeOfLeaving(io);
    }
    return 0;
  },
});

async function showRole(
  folder: RunFolder,
  { role, ...options }: Omit<ShowRolesOptions, "roles"> & { readonly role: Role },
): Promise<void> {
  if (await showRoles(folder, { ...options, roles: [role], ownsTerminal: isViewer(options.io) })) return;
  const { id } = folder;
  throw new UsageError(`Cannot show what the ${role} of run ${id} did: nothing of it is kept`, {
    hint: `Only what agents over the Agent Client Protocol do is kept so. What happened in the run: ${
      runCommandLine(["logs", id], options.wd)
    }`,
  });
}

/** Whether this is the program of a window that a run has opened, and not one that a person has called. */
function isViewer({ env, isTerminal }: Pick<CliIo, "env" | "isTerminal">): boolean {
  return isTerminal.stdout && env(PANE_MARK_VARIABLE) !== undefined;
}

/** A record of a journal; `fact` is undefined where it says nothing about the run that this version knows. */
type ReadRecord = Pick<JournalRecord, "record" | "fact">;

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
async function tellRecords(folder: RunFolder, { onRecord, onPause, follow, signal }: ReadOptions): Promise<void> {
  for await (const entry of followJournal(folder, { jobs: JOBS, signal })) {
    switch (entry.kind) {
      case "record":
        await onRecord(entry);
        break;
      case "gap":
        if (entry.problem !== undefined) throw entry.problem;
        break;
      case "pause":
        await onPause();
        // A journal that is not there says so.
        if (entry.sequence === 0 && !(follow && entry.executed)) readJournalText(folder.journalPath);
        if (!follow || !entry.executed) return;
    }
  }
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
