import { RuntimeError } from "../base/errors.ts";
import type { Clock } from "../base/ports/clock.ts";
import { trySignal } from "../base/ports/process.ts";
import { hasFileOpen } from "../base/ports/process_table.ts";
import { isAnythingLeft, lookAtProcesses } from "../run/live_agents.ts";
import { isExecuted, isLocked, readLockOwner } from "../base/ports/lock_file.ts";
import { readRun, type RunOverview } from "../run/overview.ts";
import type { RunFolder } from "../run/run_folder.ts";
import { JOBS } from "./mod.ts";

export interface StopOptions {
  /** Whether to kill the process that executes it, which leaves the cleaning up to this one. */
  readonly force: boolean;
  readonly resumeCommand: string;
  /** How long the process has to end. @default {10} */
  readonly patienceSeconds?: number;
  readonly clock: Clock;
  readonly signal: AbortSignal;
}

const DEFAULT_PATIENCE_SECONDS = 10;
const LOOK_EVERY_MS = 50;

/**
 * Stops a run: the process that executes it ends, and its agents with it. Agents that outlived their panewright are
 * ended, and the journal says that the run was stopped. A run that is over, with nothing left of it, is not touched.
 */
export async function stopRun(folder: RunFolder, options: StopOptions): Promise<{
  readonly pid: number | undefined;
  readonly endedAgents: boolean;
  readonly overview: RunOverview;
  readonly agentsAlive: boolean;
}> {
  const { force } = options;
  const before = await readRun(folder, JOBS);
  const { elsewhere } = before;
  const isHeld = await isExecuted(folder);
  if (elsewhere !== undefined && !isHeld && before.progress?.finished === undefined) {
    const { refuseElsewhere } = await import("../run/elsewhere.ts");
    refuseElsewhere(folder, `stop run ${folder.id}`, ["stop"]);
  }
  const pid = isHeld ? await endOwner(folder, { ...options, elsewhere }) : undefined;
  const endedInOrder = pid !== undefined && !force &&
    (await readRun(folder, JOBS)).progress?.finished !== undefined;
  const endedAgents = !endedInOrder && elsewhere === undefined && await endLeft(folder, options);
  const overview = await readRun(folder, JOBS);
  const { progress } = overview;
  const agentsAlive = progress !== undefined && await isAnythingLeft(progress, folder, await lookAtProcesses());
  return { pid, endedAgents, overview, agentsAlive };
}

async function endOwner(
  folder: RunFolder,
  { elsewhere, force, patienceSeconds = DEFAULT_PATIENCE_SECONDS, clock, signal }: StopOptions & {
    readonly elsewhere: string | undefined;
  },
): Promise<number | undefined> {
  const pid = await findOwner(folder, { clock, signal });
  if (pid === undefined) return undefined;
  if (elsewhere !== undefined) await (await import("../run/elsewhere.ts")).wishStop(folder);
  else {
    trySignal(pid, force ? "SIGKILL" : "SIGTERM");
    // A process that was stopped with Ctrl-Z takes no other signal before it is continued.
    if (!force) trySignal(pid, "SIGCONT");
  }
  const startedMs = clock.now();
  while (await isLocked(folder.lockPath)) {
    if (clock.now() - startedMs > patienceSeconds * 1000) {
      throw new RuntimeError(
        `Cannot stop run ${folder.id}: ${
          elsewhere === undefined ? `process ${pid}` : `job ${elsewhere}`
        } has not ended ${patienceSeconds} s after it was told to`,
        {
          hint: elsewhere === undefined
            ? "It may still be cleaning up: try again. With --force it is killed, and its agents are ended."
            : "The worker that has it may still be cleaning up.",
        },
      );
    }
    await clock.sleep(LOOK_EVERY_MS, signal);
  }
  return elsewhere === undefined ? pid : undefined;
}

const OWNER_TRIES = 10;

async function findOwner(
  { id, lockPath }: RunFolder,
  { clock, signal }: Pick<StopOptions, "clock" | "signal">,
): Promise<number | undefined> {
  // Between taking the lock and writing its name an owner is unknown, and an earlier owner's name may still be there.
  for (let left = OWNER_TRIES; left > 0; left--) {
    const pid = Number(/^process (\d+)$/.exec(readLockOwner(lockPath))?.[1]);
    const holds = pid > 0 && await mayHold(pid, lockPath);
    if (!await isLocked(lockPath)) return undefined;
    if (holds) return pid;
    await clock.sleep(LOOK_EVERY_MS, signal);
  }
  throw new RuntimeError(`Cannot stop run ${id}: a process executes it, but which one is unknown`, {
    hint: `Find it by the file that it has open: ${lockPath}`,
  });
}

async function mayHold(pid: number, path: string): Promise<boolean> {
  // Elsewhere the files of other processes cannot be seen: the lock's own word has to do.
  return Deno.build.os !== "linux" || await hasFileOpen(pid, path);
}

async function endLeft(folder: RunFolder, options: StopOptions): Promise<boolean> {
  const { progress, condition } = await readRun(folder, JOBS);
  const isAlive = progress !== undefined && await isAnythingLeft(progress, folder, await lookAtProcesses());
  if (progress === undefined || !isAlive && progress.finished !== undefined) return false;
  const { endWhatIsLeft } = await import("./end_what_is_left.ts");
  await endWhatIsLeft(folder, { ...options, progress, isAlive, isReadable: condition !== "unreadable" });
  return isAlive;
}
