import { PANE_MARK_VARIABLE } from "../../base/ports/marks.ts";
import { UsageError } from "../../base/errors.ts";
import type { Role } from "../../base/roles.ts";
import { JOBS } from "../../jobs/mod.ts";
import { followJournal } from "../../journal/follow_journal.ts";
import { readJournalText } from "../../journal/read_facts.ts";
import type { RunFolder } from "../../run/run_folder.ts";
import { type CliIo, defineCommand, exitCodeOfLeaving, switchFlag, textFlag } from "../console/command.ts";
import { runCommandLine } from "../../run/command_line.ts";
import { findMeantRun, RUN_ARGUMENT, WORKDIR_FLAG } from "../find_named_run.ts";
import { showActivity, type ShowActivityOptions } from "../show_activity.ts";
import { AttemptActivity } from "../attempt_activity.ts";
import { journalWriter, type ReadOptions } from "../show/journal_lines.ts";
import { roleOf } from "../../api/show/roles_of_run.ts";
import { readRun } from "../../run/overview.ts";

export const command = defineCommand({
  arguments: [RUN_ARGUMENT],
  flags: {
    follow: switchFlag("keep showing new lines until the run ends", "f"),
    role: textFlag("ROLE", "show what this role's agent does, where it works without a terminal", {
      completes: ["roles"],
    }),
    wd: WORKDIR_FLAG,
  },
  async run({ flags, positionals, global }, io) {
    const folder = await findMeantRun(io, positionals[0], flags.wd);
    const follow = flags.follow === true;
    using activity = new AttemptActivity();
    const writer = journalWriter(folder, { io, global, ...(follow ? { activity } : {}) });
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
  { role, ...options }: Omit<ShowActivityOptions, "roles"> & { readonly role: Role },
): Promise<void> {
  roleOf((await readRun(folder, JOBS)).progress, role, "--role");
  if (await showActivity(folder, { ...options, roles: [role], ownsTerminal: isViewer(options.io) })) return;
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
