import { lstatOrUndefined } from "../base/ports/files.ts";
import { makeOwnFolder } from "../base/ports/state_folder.ts";
import { sha256Hex } from "../base/text/digest.ts";
import { removePlaceholderFolder, removePlaceholders } from "./placeholders.ts";

/** A working directory in which a sandbox is open. */
export interface OpenFolder {
  /**
   * Ends that. Only where no other sandbox is open there, what stands in the place of settings is taken away: programs in
   * the other one could make them from then on.
   *
   * @param end ends what holds the sandbox; `isLast` says whether that may take away what it has made, too
   */
  close(end: (isLast: boolean) => Promise<void>): Promise<void>;
}

/**
 * Says to other processes that a sandbox is open in a working directory, until that is closed or this process ends. What
 * a sandbox that was killed has left there is taken away, where no other one is open.
 *
 * @param locks a folder that no program inside can see
 */
export async function openFolder(workdir: string, locks: string): Promise<OpenFolder> {
  makeOwnFolder(locks);
  const path = `${locks}/${(await sha256Hex(workdir)).slice(0, 32)}`;
  for (;;) {
    const file = await Deno.open(path, { create: true, read: true, write: true, mode: 0o600 });
    if (await file.tryLock(true)) {
      await removeAll(workdir);
      await file.unlock();
    }
    await file.lock(false);
    // Another one may have closed meanwhile, and removed the file.
    if ((await file.stat()).ino === lstatOrUndefined(path)?.ino) return { close: (end) => close(file, end) };
    file.close();
  }

  async function close(file: Deno.FsFile, end: (isLast: boolean) => Promise<void>): Promise<void> {
    using _file = file;
    await file.unlock();
    const isLast = await file.tryLock(true);
    await end(isLast);
    if (!isLast) return;
    await removeAll(workdir);
    await Deno.remove(path).catch(() => {});
  }
}

/** Takes away what a process has left that was killed while it held the sandbox, where no other one is open. */
export async function tidyFolder(workdir: string, locks: string): Promise<void> {
  const folder = await openFolder(workdir, locks);
  await folder.close(() => Promise.resolve());
}

async function removeAll(workdir: string): Promise<void> {
  await removePlaceholders(workdir);
  await removePlaceholderFolder(workdir);
}
