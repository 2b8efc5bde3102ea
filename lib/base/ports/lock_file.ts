import { lstatOrUndefined } from "./files.ts";
import { assertRegular, assertSame, readRegularText } from "./regular_file.ts";

/** A lock that is held until it is disposed of. */
type HeldLock = Disposable;

/**
 * Takes a lock, or finds that another process holds it. It is the operating system's lock (flock), so it ends with a
 * process that is killed; what is written in the file only names the owner for messages.
 *
 * @param owner what {@linkcode readLockOwner} tells others
 */
export async function tryLockFile(path: string, owner: string): Promise<HeldLock | undefined> {
  const file = await openLock(path, { create: true, read: true, write: true, mode: 0o600 });
  if (!await file.tryLock(true)) {
    file.close();
    return undefined;
  }
  await file.truncate(0);
  // On a full disk the lock has no name, and holds all the same.
  await file.write(new TextEncoder().encode(owner)).catch(() => {});
  return {
    [Symbol.dispose]() {
      file.truncateSync(0);
      // Closing is not enough: a program that is being started at this moment still has the file open.
      file.unlockSync();
      file.close();
    },
  };
}

/** Who holds a lock; empty where that is not known. */
export function readLockOwner(path: string): string {
  try {
    return readRegularText(path, { maxBytes: MAX_OWNER_BYTES });
  } catch {
    return "";
  }
}

/**
 * Who holds the lock at this moment: `undefined` when nobody does, empty where it is not known who.
 */
export async function readLockHolder(path: string): Promise<string | undefined> {
  // In this order: a holder takes its name away before it lets go, and would otherwise be one without a name.
  const owner = readLockOwner(path);
  return await isLocked(path) ? owner : undefined;
}

export async function isLocked(path: string): Promise<boolean> {
  let file: Deno.FsFile;
  try {
    file = await openLock(path, { read: true });
  } catch (error) {
    if (error instanceof Deno.errors.NotFound) return false;
    throw error;
  }
  using _ = file;
  // A shared lock: two that look at the same time do not take each other for an owner.
  return !await file.tryLock(false);
}

/** What {@linkcode tryLockFile} writes is a line. */
const MAX_OWNER_BYTES = 4096;

/**
 * Opens a file that is to be locked; only `Deno.FsFile` can lock. What is not a regular file is refused before it is
 * opened. A FIFO that takes the file's place in that moment would keep this promise waiting, and nothing else.
 */
async function openLock(path: string, options: Deno.OpenOptions): Promise<Deno.FsFile> {
  const seen = lstatOrUndefined(path);
  if (seen !== undefined) assertRegular(seen);
  const file = await Deno.open(path, { ...options, ...(seen === undefined ? {} : { create: false }) });
  try {
    assertSame(await file.stat(), lstatOrUndefined(path));
    return file;
  } catch (error) {
    file.close();
    throw error;
  }
}

/** Whether a process executes a run; a lock that cannot be looked at is not held by any of ours. */
export async function isExecuted({ lockPath }: { readonly lockPath: string }): Promise<boolean> {
  return await isLocked(lockPath).catch(() => false);
}
