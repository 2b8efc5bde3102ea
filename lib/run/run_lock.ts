import { UsageError } from "../base/errors.ts";
import { type Clock, systemClock } from "../base/ports/clock.ts";
import { makeOwnFolder } from "../base/ports/own_files.ts";
import { readLockOwner, tryLockFile } from "../base/ports/lock_file.ts";
import { listProcesses, pidsWithFile } from "../base/ports/process_table.ts";
import { refuseElsewhere } from "./elsewhere.ts";
import type { RunFolder } from "./run_folder.ts";

/** A process that only checks whether a run is owned holds the lock for a moment. */
const TRIES = 5;
const PAUSE_MS = 40;

/**
 * Makes this process the owner of a run, until it is disposed of: a run is executed by one process at a time. What an
 * agent does to the lock in the working directory lets no other process of this person begin.
 *
 * @throws {UsageError} when another living process executes the run, whose id is named, or other machines do
 */
export async function lockRun(folder: RunFolder, clock: Clock = systemClock): Promise<Disposable> {
  refuseElsewhere(folder, `resume run ${folder.id}`, ["retry"]);
  let heldPath = folder.lockPath;
  for (let left = TRIES; left > 0; left--) {
    const taken = await takeLocks(folder);
    if (typeof taken === "object") return taken;
    heldPath = taken;
    await clock.sleep(PAUSE_MS);
  }
  if (heldPath === folder.lockPath) {
    throw new UsageError(
      `Cannot resume run ${folder.id}: ${readLockOwner(heldPath) || "another process"} executes it`,
      {
        code: "busy",
        hint: `Wait for that process, or stop it: panewright stop ${folder.id}`,
      },
    );
  }
  const holders = await pidsWithFile(heldPath, (await listProcesses()).map(({ pid }) => pid)).catch(() => []);
  const who = holders.length === 0 ? "a process that cannot be seen" : `process ${holders.join(", ")}`;
  throw new UsageError(`Cannot resume run ${folder.id}: its lock ${heldPath} is held by ${who}`, {
    code: "busy",
    hint: "A panewright with another state folder executes it, or an agent has left that process. See what it is, " +
      `and end it${holders.length === 0 ? "" : `: ps -fp ${holders.join(",")}`}`,
  });
}

/** The same, without a wait; `undefined` while another process is the owner. */
export async function tryLockRun(folder: RunFolder): Promise<Disposable | undefined> {
  const taken = await takeLocks(folder);
  return typeof taken === "object" ? taken : undefined;
}

/** Takes a run's locks, or tells which one another process holds: its path. */
async function takeLocks({ lockPath, sharedLockPath }: RunFolder): Promise<Disposable | string> {
  const owner = `process ${Deno.pid}`;
  using held = new DisposableStack();
  const own = await tryLockFile(lockPath, owner);
  if (own === undefined) return lockPath;
  held.use(own);
  if (sharedLockPath !== lockPath) {
    // What stands in its place is no lock of anybody's.
    const shared = await tryLockFile(sharedLockPath, owner).catch(() => null);
    if (shared === undefined) return sharedLockPath;
    held.use(shared);
  }
  return held.move();
}

/**
 * Makes this process the one that delivers what is in a run's outbox, until it is disposed of; `undefined` while
 * another one does, or when it cannot be told.
 */
export async function lockOutbox({ outboxDir }: RunFolder): Promise<Disposable | undefined> {
  try {
    await makeOwnFolder(outboxDir);
    return await tryLockFile(`${outboxDir}/lock`, `process ${Deno.pid}`);
  } catch {
    return undefined;
  }
}
