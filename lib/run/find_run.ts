import { UsageError } from "../errors.ts";
import { refuseLinks, refuseLinksIn, type RunFolder, runFolderAt } from "./run_folder.ts";

/**
 * The ids of all runs of a working directory, oldest first: an id begins with the run's start.
 *
 * @throws {UsageError} when the folder of runs is a link
 */
export async function listRunIds(workdir: string): Promise<readonly string[]> {
  refuseLinks(workdir);
  try {
    const ids: string[] = [];
    for await (const entry of Deno.readDir(`${workdir}/.panewright/runs`)) {
      if (entry.isDirectory) ids.push(entry.name);
    }
    return ids.sort();
  } catch (error) {
    if (error instanceof Deno.errors.NotFound || error instanceof Deno.errors.NotADirectory) return [];
    throw error;
  }
}

/**
 * A run of a working directory: the one with this id, or the newest.
 *
 * @throws {UsageError} when there is no such run
 */
export async function findRun(workdir: string, id?: string): Promise<RunFolder> {
  const ids = await listRunIds(workdir);
  const found = id === undefined ? ids.at(-1) : ids.find((candidate) => candidate === id);
  if (found !== undefined) return checkedFolder(workdir, found);
  if (ids.length === 0) {
    throw new UsageError(`Cannot find a run in ${workdir}: there are no runs yet`, {
      hint: "Runs are kept in .panewright/runs of the working directory: run the command there.",
    });
  }
  throw new UsageError(`Cannot find the run "${id}" in ${workdir}`, {
    hint: `The newest runs are ${ids.slice(-5).join(", ")}.`,
  });
}

function checkedFolder(workdir: string, id: string): RunFolder {
  const folder = runFolderAt(workdir, id);
  refuseLinksIn(folder);
  return folder;
}
