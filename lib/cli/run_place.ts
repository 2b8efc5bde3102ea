import { UsageError } from "../base/errors.ts";
import { isFile } from "../base/ports/files.ts";
import { findCarried } from "../run/carried.ts";
import { workdirOf } from "../journal/paths.ts";
import type { Progress } from "../journal/progress.ts";
import type { RunFolder } from "../run/run_folder.ts";
import { shellJoin } from "../shell/quote.ts";

export async function requireBelow(folder: RunFolder, wd: string): Promise<void> {
  const named = await Deno.realPath(wd).catch(() => wd);
  if (named !== workdirOf(folder.path)) throw notBelow(folder, named);
}

export function requireOwnPlace(
  folder: RunFolder,
  { earlier, version, wd }: { readonly earlier: Progress; readonly version: number; readonly wd: string | undefined },
): void {
  const place = workdirOf(folder.path);
  if (earlier.workdir !== place) throw notBelow(folder, earlier.workdir);
  const carried = version > 1 || wd !== undefined ? undefined : findCarried(folder, earlier.folder);
  if (carried === undefined) return;
  throw notBelow(
    folder,
    carried.workdir,
    "An earlier version wrote its journal, with absolute paths. To continue it where its folder is: " +
      shellJoin(["panewright", "resume", folder.id, "--wd", place]),
  );
}

function notBelow({ id, path }: RunFolder, workdir: string, hint?: string): UsageError {
  return new UsageError(
    `Cannot resume run ${id}: its folder ${path} is not below its working directory ${workdir}`,
    hint === undefined ? {} : { hint },
  );
}

/** The config file to resume a run with; null where it has none. */
export async function configOf(
  { id }: RunFolder,
  { configFile }: Progress,
  config: string | undefined,
): Promise<string | null> {
  const path = config ?? configFile;
  if (path === null || await isFile(path)) return path;
  throw new UsageError(`Cannot resume run ${id}: there is no config file ${path}`, {
    hint: "Name the file with --config FILE.",
  });
}
