import { ASK_CHANNEL_VARIABLE, CHECK_VARIABLE, PANE_MARK_VARIABLE, ROLE_VARIABLE } from "../base/ports/marks.ts";
import { listMarkValues, listProcesses, type ProcessInfo } from "../base/ports/process_table.ts";
import { knownFolders } from "./carried.ts";
import type { Progress } from "../journal/progress.ts";
import type { Worker } from "../journal/workers.ts";
import type { RunFolder } from "./run_folder.ts";

export interface LiveProcesses {
  readonly all: readonly ProcessInfo[];
  readonly marks: ReadonlySet<string>;
}

export async function lookAtProcesses(): Promise<LiveProcesses> {
  const [all, marks] = await Promise.all([
    listProcesses(),
    listMarkValues([PANE_MARK_VARIABLE, ASK_CHANNEL_VARIABLE, CHECK_VARIABLE, ROLE_VARIABLE]),
  ]);
  return { all, marks };
}

/** Whether a worker's very program is alive; `false` for one whose process is not known. */
export function isAlive({ pane, process: own }: Worker, { all }: LiveProcesses): boolean {
  const known = pane ?? own;
  return known !== undefined &&
    all.some(({ pid, startTime, zombie }) => pid === known.pid && startTime === known.processStart && !zombie);
}

export function hasLiveAgents(
  { session, workers, folder: recorded }: Progress,
  folder: RunFolder,
  processes: LiveProcesses,
): boolean {
  const { marks } = processes;
  const places = knownFolders(folder, recorded);
  return session !== undefined && marks.has(session.mark) || workers.some((worker) => isAlive(worker, processes)) ||
    marks.values().some((value) => places.some((place) => value.startsWith(`${place}/`)));
}

/**
 * Like {@linkcode hasLiveAgents}, or whether the run's own tmux server is left, even with panes whose agents have
 * ended.
 */
export async function isAnythingLeft(
  progress: Progress,
  folder: RunFolder,
  processes: LiveProcesses,
): Promise<boolean> {
  if (hasLiveAgents(progress, folder, processes)) return true;
  const { session } = progress;
  if (session === undefined || session.existing) return false;
  // Without tmux on this machine there is no server of it either.
  const [{ createTmuxClient }, { isServerRunning }] = await Promise.all([
    import("../tmux/plain_client.ts"),
    import("../tmux/server.ts"),
  ]);
  return await isServerRunning(createTmuxClient({ socket: session.socket })).catch(() => false);
}
