import { UsageError } from "../base/errors.ts";
import { type Clock, systemClock } from "../base/ports/clock.ts";
import { makeOwnFolder } from "../base/ports/own_files.ts";
import { readLockOwner, tryLockFile } from "../base/ports/lock_file.ts";
import type { RunFolder } from "./run_folder.ts";

/** A process that only checks whether a run is owned holds the lock for a moment. */
const TRIES = 5;
const PAUSE_MS = 40;

/**
 * Makes this process the owner of a run, until it is disposed of: a run is executed by one process at a time. What an
 * agent does to the lock in the working directory lets no other process of this person begin.
 *
 * @throws {UsageError} when another living process executes the run; its process id is named
 */
export async function lockRun(folder: RunFolder, clock: Clock = systemClock): Promise<Disposable> {
  for (let left = TRIES; left > 0; left--) {
    const lock = await tryLockRun(folder);
    if (lock !== undefined) return lock;
    await clock.sleep(PAUSE_MS);
  }
  const owner = readLockOwner(folder.lockPath) || readLockOwner(folder.sharedLockPath) || "another process";
  throw new UsageError(`Cannot resume run ${folder.id}: ${owner} executes it`, {
    code: "busy",
    hint: `Wait for that process, or stop it: panewright stop ${folder.id}`,
  });
}

/** The same, without a wait; `undefined` while another process is the owner. */
export async function tryLockRun({ lockPath, sharedLockPath }: RunFolder): Promise<Disposable | undefined> {
  const owner = `process ${Deno.pid}`;
  using held = new DisposableStack();
  const own = await tryLockFile(lockPath, owner);
  if (own === undefined) return undefined;
  held.use(own);
  if (sharedLockPath !== lockPath) {
    // What stands in its place is no lock of anybody's.
    const shared = await tryLockFile(sharedLockPath, owner).catch(() => null);
    if (shared === undefined) return undefined;
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
