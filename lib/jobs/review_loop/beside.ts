import { UsageError } from "../../base/errors.ts";
import { listRunIds } from "../../run/find_run.ts";
import { findMarkedPids } from "../../base/ports/end_processes.ts";
import { roleMark } from "../../run/left_processes.ts";
import type { Progress } from "../../journal/progress.ts";
import { readProgress } from "../../run/read_progress.ts";
import { type RunFolder, runFolderAt } from "../../run/run_folder.ts";
import { createTmuxClient } from "../../tmux/plain_client.ts";
import { findPaneProcesses } from "../../tmux/pane_processes.ts";
import { isServerRunning } from "../../tmux/server.ts";
import { lockWorkdir } from "../../run/workdir_lock.ts";
import { JOBS } from "../mod.ts";

/**
 * Takes a working directory for one review loop, until it is disposed of.
 *
 * @throws {UsageError} when another one has it, or agents of another one are still alive there
 */
export async function claimWorkdir(workdir: string, run: { readonly runId: string }): Promise<Disposable> {
  using claimed = new DisposableStack();
  claimed.use(await lockWorkdir(workdir, run));
  await refuseBesideLiveAgents(workdir, run);
  return claimed.move();
}

/**
 * Looks for agents that a killed run has left alive in the same working directory: they would write the same response
 * files.
 */
async function refuseBesideLiveAgents(workdir: string, { runId }: { readonly runId: string }): Promise<void> {
  for (const id of await listRunIds(workdir)) {
    const folder = runFolderAt(workdir, id);
    if (id === runId) continue;
    const open = await readOpen(folder);
    if (open === undefined || !await hasLiveAgents(open, folder)) continue;
    throw new UsageError(
      `Cannot start a run in ${workdir}: the agents of run ${id} are alive, but its panewright is gone`,
      { hint: `Resume it: panewright resume ${id}. Or end its agents: panewright stop ${id}` },
    );
  }
}

async function readOpen(folder: RunFolder): Promise<Progress | undefined> {
  const { progress } = await readProgress(folder, JOBS, { brief: true });
  return progress?.finished === undefined ? progress : undefined;
}

async function hasLiveAgents({ session, workers }: Progress, folder: RunFolder): Promise<boolean> {
  const isDriven = workers.some(({ protocol }) => protocol !== undefined);
  if (isDriven && (await findMarkedPids(roleMark(folder))).length > 0) return true;
  if (session === undefined) return false;
  const { socket, existing, mark } = session;
  if ((await findPaneProcesses([], { mark })).length > 0) return true;
  return !existing && await isServerRunning(createTmuxClient({ socket }));
}
