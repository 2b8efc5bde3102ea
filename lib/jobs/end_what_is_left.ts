import type { Clock } from "../base/ports/clock.ts";
import type { AnyFact, StoppedEnd } from "../journal/job.ts";
import { openJournal } from "../journal/journal.ts";
import type { Progress } from "../journal/progress.ts";
import { endLeftProcesses } from "../run/left_processes.ts";
import type { RunFolder } from "../run/run_folder.ts";
import { lockRun } from "../run/run_lock.ts";
import { JOBS } from "./mod.ts";
import { endLeftSession } from "./review_loop/left_session.ts";

/** Does in place of a process that is gone what it did not: its agents end, and the journal says that the run was stopped. */
export async function endWhatIsLeft(
  folder: RunFolder,
  { progress, isAlive, isReadable, resumeCommand, clock }: {
    readonly progress: Progress;
    readonly isAlive: boolean;
    readonly isReadable: boolean;
    readonly resumeCommand: string;
    readonly clock: Clock;
  },
): Promise<void> {
  using _owned = await lockRun(folder, clock);
  const agents = Object.fromEntries(progress.workers.map(({ name, pane }) => [name, { pane }]));
  // A server that was killed has left its socket, also where nothing is alive any more.
  const { session } = progress;
  if (session !== undefined) await endLeftSession({ session, agents }, { clock });
  if (isAlive) await endLeftProcesses(folder, { clock, recorded: progress.folder });
  if (progress.finished === undefined && isReadable) {
    const record = stoppedRecord(progress, resumeCommand);
    using journal = openJournal(folder.journalPath, { copyPath: folder.copyPath });
    if (record !== undefined) journal.append(record);
  }
}

function stoppedRecord(progress: Progress, resumeCommand: string): AnyFact | undefined {
  const { executedSince, lastAt } = progress;
  const seconds = Math.max(0, (Date.parse(lastAt) - Date.parse(executedSince)) / 1000);
  const reason = "stopped after its panewright was gone";
  const end: StoppedEnd = { type: "run_finished", outcome: "interrupted", reason, seconds, resumeCommand };
  return JOBS.find(({ id }) => id === progress.job)?.stopped(progress, end);
}
