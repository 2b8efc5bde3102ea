import { type ProcessRunner, systemProcessRunner, trySignal } from "./process.ts";
import type { Clock } from "./clock.ts";
import { listProcesses, type ProcessInfo, processTree, readProc } from "./process_table.ts";

export interface ProcessMark {
  readonly name: string;
  readonly value: string;
}

/**
 * The processes of this user that carry a mark in their environment.
 *
 * Linux only: elsewhere the environments of other processes cannot be read, and the result is empty.
 */
export async function findMarkedPids({ name, value }: ProcessMark, runner?: ProcessRunner): Promise<number[]> {
  if (Deno.build.os !== "linux") return [];
  // Each row of a pattern is one of its own: the first row of a folder's name could be that of other folders, too.
  const pattern = `${name}=${value}`.split("\n").findLast((row) => row !== "") ?? "";
  const found = await readProc("environ", ["grep", "-lsF", "-e", pattern], runner);
  return found.split("\n").flatMap((path) => /^\/proc\/(\d+)\/environ$/.exec(path)?.[1] ?? []).map(Number);
}

/** Options of {@linkcode endProcesses}. */
interface EndProcessesOptions {
  readonly clock: Clock;
  /** How long they have to end on their own, before SIGTERM. */
  readonly hangupGraceMs: number;
  /** How long they have after SIGTERM, before SIGKILL. */
  readonly terminateGraceMs: number;
  /** @default {systemProcessRunner} */
  readonly processRunner?: ProcessRunner;
}

const LOOK_EVERY_MS = 25;

/**
 * Waits until these processes have ended, then sends SIGTERM, and at last SIGKILL. Only the processes
 * that were listed are signalled, never a later one with the same id.
 *
 * @returns those that were still there a second after SIGKILL
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

/** Ends the processes that carry a mark and all their descendants, as {@linkcode endProcesses} does. */
export async function endMarkedTrees(
  mark: ProcessMark,
  options: EndProcessesOptions,
): Promise<readonly ProcessInfo[]> {
  const pids = await findMarkedPids(mark, options.processRunner);
  if (pids.length === 0) return [];
  const all = await listProcesses(options.processRunner);
  const trees = new Map(pids.flatMap((pid) => processTree(all, pid)).map((one) => [one.pid, one]));
  return await endProcesses([...trees.values()], options);
}

/** Those of the processes that are still in the process table. */
export function stillAlive(processes: readonly ProcessInfo[], all: readonly ProcessInfo[]): ProcessInfo[] {
  const now = new Map(all.map((one) => [one.pid, one]));
  return processes.filter(({ pid, startTime }) => {
    const one = now.get(pid);
    return one !== undefined && !one.zombie && one.startTime === startTime;
  });
}
