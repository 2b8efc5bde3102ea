import { UsageError } from "../../errors.ts";
import { listRunIds } from "../../journal/find_run.ts";
import { readLastRecord } from "../../journal/read_journal.ts";
import { runFolderAt } from "../../journal/run_folder.ts";
import { createTmuxClient } from "../../tmux/plain_client.ts";
import { findPaneProcesses } from "../../tmux/pane_processes.ts";
import { isServerRunning } from "../../tmux/server.ts";
import type { SessionState } from "./run_state.ts";
import { tryReadReviewRun } from "./read_run.ts";

/**
 * Looks for agents that a killed run has left alive in the same working directory: they would write the same response files.
 *
 * @throws {UsageError} when there are any
 */
export async function refuseBesideLiveAgents(workdir: string, { runId }: { readonly runId: string }): Promise<void> {
  for (const id of await listRunIds(workdir)) {
    const folder = runFolderAt(workdir, id);
    if (id === runId || (await readLastRecord(folder.journalPath).catch(() => undefined))?.type === "run_finished") {
      continue;
    }
    const run = await tryReadReviewRun(folder).catch(() => undefined);
    if (run?.session === undefined || !await hasLiveAgents(run.session)) continue;
    throw new UsageError(
      `Cannot start a run in ${workdir}: the agents of run ${id} are alive, whose panewright is gone`,
      { hint: `Go on with it: panewright resume ${id}. Or end its agents: panewright stop ${id}` },
    );
  }
}

async function hasLiveAgents({ socket, existing, mark }: SessionState): Promise<boolean> {
  if ((await findPaneProcesses([], { mark })).length > 0) return true;
  return !existing && await isServerRunning(createTmuxClient({ socket }));
}
