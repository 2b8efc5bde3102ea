import { listRunIds } from "../../run/find_run.ts";
import { isLocked } from "../../base/ports/lock_file.ts";
import { type RunFolder, runFolderAt } from "../../run/run_folder.ts";

export async function hasOtherRunsSince(folder: RunFolder, { since }: { readonly since: Date }): Promise<boolean> {
  const workdir = folder.path.slice(0, -`/.panewright/runs/${folder.id}`.length);
  for (const id of await listRunIds(workdir)) {
    if (id === folder.id) continue;
    const other = runFolderAt(workdir, id);
    const written = await Deno.stat(other.journalPath).then(({ mtime }) => mtime, () => null);
    if (written !== null && written >= since) return true;
    if (await isLocked(other.lockPath)) return true;
  }
  return false;
}
