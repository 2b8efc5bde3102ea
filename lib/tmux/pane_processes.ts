import { findMarkedPids } from "../ports/end_processes.ts";
import { type ProcessRunner, systemProcessRunner } from "../ports/process.ts";
import { listProcesses, type ProcessInfo, processTree } from "../ports/process_table.ts";

/** Set in each pane that we open to a value of its session's own; everything that is started there inherits it. */
export const PANE_MARK_VARIABLE = "PANEWRIGHT_SESSION_MARK";

/** What is known of a pane's program from when it was opened. */
export interface PaneProcess {
  readonly pid: number;
  /** As the process table showed it then; `undefined` when the program had ended already. */
  readonly startTime: string | undefined;
}

/** Options of {@linkcode findPaneProcesses}. */
export interface FindPaneProcessesOptions {
  /** The session's value of {@linkcode PANE_MARK_VARIABLE}; without it environments are not looked at. */
  readonly mark?: string;
  /** @default {systemProcessRunner} */
  readonly processRunner?: ProcessRunner;
}

/**
 * Every living process that came out of these panes.
 *
 * Those below the pane's program, and those of its process group: the native Codex outlives a node launcher that is
 * killed (Codex 0.169.0). On Linux also those that carry the session's mark, such as the command of an agent that crashed.
 */
export async function findPaneProcesses(
  panes: readonly PaneProcess[],
  options: FindPaneProcessesOptions = {},
): Promise<ProcessInfo[]> {
  const { mark, processRunner = systemProcessRunner } = options;
  const all = await listProcesses(processRunner);
  const roots = new Set(
    mark === undefined ? [] : await findMarkedPids({ name: PANE_MARK_VARIABLE, value: mark }, processRunner),
  );
  for (const one of all) {
    const pane = panes.find(({ pid }) => pid === one.pid || pid === one.groupId);
    if (pane && !isReused(pane, all)) roots.add(one.pid);
  }
  const found = new Map<number, ProcessInfo>();
  for (const root of roots) {
    for (const one of processTree(all, root)) if (!one.zombie) found.set(one.pid, one);
  }
  return [...found.values()];
}

/** Whether the pane's process id belongs to another process by now. */
function isReused(pane: PaneProcess, all: readonly ProcessInfo[]): boolean {
  const now = all.find((one) => one.pid === pane.pid);
  return now !== undefined && now.startTime !== pane.startTime;
}
