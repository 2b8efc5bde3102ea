import type { Role } from "../../roles.ts";
import { ROLES } from "../../roles.ts";
import type { RunFolder } from "../../run/run_folder.ts";
import { listMarkValues } from "../../ports/mark_values.ts";
import { listProcesses, type ProcessInfo } from "../../ports/process_table.ts";
import { ASK_CHANNEL_VARIABLE } from "../../providers/headless/ask_channel.ts";
import { PANE_MARK_VARIABLE } from "../../tmux/pane_processes.ts";
import { createTmuxClient } from "../../tmux/plain_client.ts";
import { isServerRunning } from "../../tmux/server.ts";
import type { RunSummary } from "./summary.ts";

/** The processes of this machine at one moment, as far as runs can be known by them. */
export interface LiveProcesses {
  readonly all: readonly ProcessInfo[];
  /** What processes carry in their environment. */
  readonly marks: ReadonlySet<string>;
}

/** Looks at the processes of this machine, once for any number of runs. */
export async function lookAtProcesses(): Promise<LiveProcesses> {
  const [all, marks] = await Promise.all([
    listProcesses(),
    listMarkValues([PANE_MARK_VARIABLE, ASK_CHANNEL_VARIABLE]),
  ]);
  return { all, marks };
}

/** The roles whose agent's very program is alive; none of a run of `panewright exec`. */
export function liveRoles(summary: RunSummary, { all }: LiveProcesses): readonly Role[] {
  if (summary.job === "exec") return [];
  return ROLES.filter((role) => {
    const pane = summary.agents[role]?.pane;
    return pane !== undefined &&
      all.some(({ pid, startTime, zombie }) => pid === pane.pid && startTime === pane.processStart && !zombie);
  });
}

/** Whether anything is alive that came out of a run's agents. */
export function hasLiveAgents(summary: RunSummary, folder: RunFolder, processes: LiveProcesses): boolean {
  if (summary.job === "exec") {
    return [...processes.marks].some((value) => value.startsWith(`${folder.stepsDir}/`));
  }
  if (summary.session !== undefined && processes.marks.has(summary.session.mark)) return true;
  return liveRoles(summary, processes).length > 0;
}

/** Like {@linkcode hasLiveAgents}, and whether a tmux server of the run's own is left, if only with panes whose agents have ended. */
export async function isAnythingLeft(
  summary: RunSummary,
  folder: RunFolder,
  processes: LiveProcesses,
): Promise<boolean> {
  if (hasLiveAgents(summary, folder, processes)) return true;
  if (summary.job === "exec" || summary.session === undefined || summary.session.existing) return false;
  // Without tmux on this machine there is no server of it either.
  return await isServerRunning(createTmuxClient({ socket: summary.session.socket })).catch(() => false);
}
