import type { Clock } from "../ports/clock.ts";
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
  const roots = new Set(mark === undefined ? [] : await findMarkedPids(mark, processRunner));
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

/** Linux only: elsewhere environments of other processes cannot be read, and this finds nothing. */
async function findMarkedPids(mark: string, processRunner: ProcessRunner): Promise<number[]> {
  if (Deno.build.os !== "linux") return [];
  const { stdout } = await processRunner.run({
    argv: [
      ...["find", "/proc", "-maxdepth", "2", "-path", "/proc/[0-9]*/environ", "-user", String(Deno.uid() ?? 0)],
      ...["-exec", "grep", "-lsF", `${PANE_MARK_VARIABLE}=${mark}`, "{}", "+"],
    ] as [string, ...string[]],
  });
  return stdout.split("\n").flatMap((path) => /^\/proc\/(\d+)\/environ$/.exec(path)?.[1] ?? []).map(Number);
}

/** Options of {@linkcode endProcesses}. */
export interface EndProcessesOptions {
  readonly clock: Clock;
  /** How long they have to end by themselves, before SIGTERM. */
  readonly hangupGraceMs: number;
  /** How long they have after SIGTERM, before SIGKILL. */
  readonly terminateGraceMs: number;
  /** @default {systemProcessRunner} */
  readonly processRunner?: ProcessRunner;
}

const LOOK_EVERY_MS = 25;

/**
 * Waits until these processes have ended, and helps: first nothing, then SIGTERM, then SIGKILL. Only the very processes
 * that were listed are hit, never one that got the same id later.
 *
 * @returns those that even SIGKILL did not end within a second
 */
export async function endProcesses(
  processes: readonly ProcessInfo[],
  options: EndProcessesOptions,
): Promise<readonly ProcessInfo[]> {
  const { clock, hangupGraceMs, terminateGraceMs, processRunner = systemProcessRunner } = options;
  const steps = [
    { signal: undefined, graceMs: hangupGraceMs },
    { signal: "SIGTERM", graceMs: terminateGraceMs },
    { signal: "SIGKILL", graceMs: 1000 },
  ] as const;
  let left = processes;
  for (const { signal, graceMs } of steps) {
    if (signal) { for (const one of left) trySignal(one.pid, signal); }
    for (const start = clock.now(); left.length > 0;) {
      left = stillAlive(left, await listProcesses(processRunner));
      if (left.length === 0 || clock.now() - start >= graceMs) break;
      await clock.sleep(LOOK_EVERY_MS);
    }
    if (left.length === 0) break;
  }
  return left;
}

function stillAlive(processes: readonly ProcessInfo[], all: readonly ProcessInfo[]): ProcessInfo[] {
  const now = new Map(all.map((one) => [one.pid, one]));
  return processes.filter(({ pid, startTime }) => {
    const one = now.get(pid);
    return one !== undefined && !one.zombie && one.startTime === startTime;
  });
}

function trySignal(pid: number, signal: Deno.Signal): void {
  try {
    Deno.kill(pid, signal);
  } catch { /* it ended between the look and the signal */ }
}
