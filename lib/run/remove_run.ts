import { removeTree } from "../base/ports/own_files.ts";
import { basename } from "@std/path/posix";
import { isRunId, type RunFolder } from "./run_folder.ts";
import { tryLockRun } from "./run_lock.ts";
import { agentsFolderOf } from "./state_names.ts";
import { removeRunEntry } from "./run_entry.ts";

/**
 * Whether a folder is one that a run has made: a folder by that name, no link, with a journal in it that is a file.
 */
export async function isRunFolder({ id, path, copyPath }: RunFolder): Promise<boolean> {
  if (!isRunId(id)) return false;
  try {
    return (await Deno.lstat(path)).isDirectory && (await Deno.lstat(copyPath)).isFile;
  } catch {
    return false;
  }
}

/**
 * Removes a run's folder with all that is in it, and what was said to it; links are removed, never what they lead to.
 *
 * The journal goes last: when this is broken off, the folder is still known for a run's.
 *
 * @returns whether it was removed; not where a process executes the run
 */
export async function removeRun(folder: RunFolder): Promise<boolean> {
  using lock = await tryLockRun(folder);
  if (lock === undefined) return false;
  removeRunEntry(folder);
  await removeAgentsFolder(folder);
  for await (const { name } of Deno.readDir(folder.path)) {
    if (name !== basename(folder.copyPath)) await Deno.remove(`${folder.path}/${name}`, { recursive: true });
  }
  await Deno.remove(folder.path, { recursive: true });
  return true;
}

/** The sessions and settings of agents that worked in the sandbox around them. */
async function removeAgentsFolder({ id }: RunFolder): Promise<void> {
  const own = agentsFolderOf(id);
  if (own !== undefined) await removeTree(own).catch(() => {});
}

/** How many bytes the files of a folder have, those behind links left out. */
export async function sizeOfFolder(path: string): Promise<number> {
  let size = 0;
  for await (const entry of Deno.readDir(path)) {
    const inner = `${path}/${entry.name}`;
    if (entry.isDirectory) size += await sizeOfFolder(inner);
    else if (entry.isFile) size += (await Deno.lstat(inner)).size;
  }
  return size;
}
