import { PANE_MARK_VARIABLE } from "../base/ports/marks.ts";
import { RuntimeError } from "../base/errors.ts";
import type { Clock } from "../base/ports/clock.ts";
import { endProcesses, findMarkedPids } from "../base/ports/end_processes.ts";
import { type ProcessRunner, systemProcessRunner } from "../base/ports/process.ts";
import { listProcesses, type ProcessInfo, processTree } from "../base/ports/process_table.ts";
import type { PaneRef, TmuxClient } from "./client.ts";

export interface PaneProcess {
  readonly pid: number;
  /** As the process table showed it then; `undefined` when the program had ended already. */
  readonly startTime: string | undefined;
}

export interface KnownPane extends PaneRef {
  readonly startTime: string | undefined;
}

/**
 * Every living process that came out of these panes.
 *
 * Those below the pane's program, and those of its process group: the native Codex outlives a node launcher that is
 * killed (Codex 0.169.0). On Linux also those that carry the session's mark, such as the command of an agent that
 * crashed.
 */
export async function findPaneProcesses(
  panes: readonly PaneProcess[],
  options: {
    readonly mark?: string;
    readonly processRunner?: ProcessRunner;
  } = {},
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

function isReused(pane: PaneProcess, all: readonly ProcessInfo[]): boolean {
  const now = all.find((one) => one.pid === pane.pid);
  return now !== undefined && now.startTime !== pane.startTime;
}

/** How long processes get to end by themselves when their terminal is gone, and then after SIGTERM. */
const HANGUP_GRACE_MS = 1000;
const TERMINATE_GRACE_MS = 2000;

export async function endPaneProcesses(
  processes: readonly ProcessInfo[],
  { clock }: { readonly clock: Clock },
): Promise<void> {
  const graces = { hangupGraceMs: HANGUP_GRACE_MS, terminateGraceMs: TERMINATE_GRACE_MS };
  const left = await endProcesses(processes, { clock, ...graces });
  if (left.length === 0) return;
  throw new RuntimeError(
    `Cannot end what was started in tmux: still running are ${left.map((one) => one.pid).join(", ")}`,
  );
}

export async function endMarkedProcesses(mark: string, options: { readonly clock: Clock }): Promise<void> {
  await endPaneProcesses(await findPaneProcesses([], { mark }), options);
}

/**
 * How the program of a pane ended: "exit code 3", "killed by signal 9"; `undefined` while it runs, and where tmux does
 * not say (before 3.3 it tells no signal).
 */
export async function findPaneEnd(client: TmuxClient, { paneId }: PaneRef): Promise<string | undefined> {
  const format = "#{pane_dead} #{pane_dead_status} #{pane_dead_signal}";
  const { stdout } = await client.run(["display-message", "-p", "-t", paneId, format]);
  const [, code, signal] = /^1 (\d*) (\d*)$/.exec(stdout.trimEnd()) ?? [];
  if (signal) return `killed by signal ${signal}`;
  return code ? `exit code ${code}` : undefined;
}

/** Whether its server is there, and the pane is not. */
export async function isPaneGone(client: TmuxClient, { paneId }: PaneRef): Promise<boolean> {
  const { code, stdout } = await client.run(["list-panes", "-a", "-F", "#{pane_id}"]);
  return code === 0 && !stdout.trim().split("\n").includes(paneId);
}
