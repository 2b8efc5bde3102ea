import { UsageError } from "../base/errors.ts";
import { errorText } from "../base/text/error_text.ts";
import { isRunId, refuseLinks, refuseLinksIn, type RunFolder, runFolderAt } from "./run_folder.ts";

/**
 * The ids of all runs of a working directory, oldest first: an id begins with the run's start.
 *
 * @throws {UsageError} when the folder of runs is a link, or cannot be read
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
    throw new UsageError(`Cannot list the runs in ${workdir}: ${errorText(error)}`, { cause: error });
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
      code: "unknown_run",
      hint: "Runs are kept in .panewright/runs of the working directory: run the command there.",
    });
  }
  throw new UsageError(`Cannot find the run "${id}" in ${workdir}`, {
    code: "unknown_run",
    hint: `The newest runs are ${ids.slice(-5).join(", ")}.`,
  });
}

/**
 * The ids that a reference may mean: a whole id means that run, `@1` the newest run, `@2` the one before it, and
 * anything else the runs whose ids begin with it.
 *
 * @param ids oldest first
 */
export function meantRunIds(reference: string, ids: readonly string[]): readonly string[] {
  if (ids.includes(reference)) return [reference];
  const runs = ids.filter(isRunId);
  const fromNewest = /^@([1-9]\d{0,5})$/.exec(reference)?.[1];
  if (fromNewest !== undefined) return runs.toReversed().slice(Number(fromNewest) - 1, Number(fromNewest));
  return reference === "" ? [] : runs.filter((id) => id.startsWith(reference));
}

export async function findReferredRun(workdir: string, reference: string): Promise<RunFolder> {
  const meant = meantRunIds(reference, await listRunIds(workdir));
  if (meant.length < 2) return await findRun(workdir, meant[0] ?? reference);
  throw new UsageError(`Cannot tell which run "${reference}" means: ${meant.length} runs begin with it`, {
    hint: `${meant.length > 5 ? "The newest of them are" : "They are"} ${meant.slice(-5).join(", ")}.`,
  });
}

function checkedFolder(workdir: string, id: string): RunFolder {
  const folder = runFolderAt(workdir, id);
  refuseLinksIn(folder);
  return folder;
}
