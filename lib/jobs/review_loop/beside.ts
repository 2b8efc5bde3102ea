import { UsageError } from "../../errors.ts";
import { listRunIds } from "../../run/find_run.ts";
import { readJournal, readLastRecord } from "../../run/read_journal.ts";
import { type RunFolder, runFolderAt } from "../../run/run_folder.ts";
import { createTmuxClient } from "../../tmux/plain_client.ts";
import { findPaneProcesses } from "../../tmux/pane_processes.ts";
import { isServerRunning } from "../../tmux/server.ts";
import type { ReviewFact } from "./facts.ts";

/**
 * Looks for agents that a killed run has left alive in the same working directory: they would write the same response files.
 *
 * @throws {UsageError} when there are any
 */
export async function refuseBesideLiveAgents(workdir: string, { runId }: { readonly runId: string }): Promise<void> {
  for (const id of await listRunIds(workdir)) {
    const folder = runFolderAt(workdir, id);
    if (id === runId) continue;
    const session = await readOpenSession(folder);
    if (session === undefined || !await hasLiveAgents(session)) continue;
    throw new UsageError(
      `Cannot start a run in ${workdir}: the agents of run ${id} are alive, whose panewright is gone`,
      { hint: `Go on with it: panewright resume ${id}. Or end its agents: panewright stop ${id}` },
    );
  }
}

type SessionOpening = Extract<ReviewFact, { type: "session_opening" }>;

/** The session of a run that has not ended; what else its journal tells does not matter here. */
async function readOpenSession({ journalPath }: RunFolder): Promise<SessionOpening | undefined> {
  const last = await readLastRecord(journalPath).catch(() => undefined);
  if (last === undefined || last.type === "run_finished") return undefined;
  const records = await readJournal(journalPath).catch(() => []);
  return records.findLast(({ type }) => type === "session_opening") as unknown as SessionOpening | undefined;
}

async function hasLiveAgents({ socket, existing, mark }: SessionOpening): Promise<boolean> {
  if ((await findPaneProcesses([], { mark })).length > 0) return true;
  return !existing && await isServerRunning(createTmuxClient({ socket }));
}
