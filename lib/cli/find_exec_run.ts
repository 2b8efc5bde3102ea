import { basename, dirname, resolve } from "node:path";
import { UsageError } from "../errors.ts";
import { findRun, listRunIds } from "../journal/find_run.ts";
import type { RunFolder } from "../journal/run_folder.ts";
import type { CliIo } from "./command.ts";

/** The flag with which runs of another working directory are named. */
export const WORKDIR_FLAG = {
  name: "wd",
  type: "string",
  placeholder: "DIR",
  description: "the working directory of the run, where it is not this one or above it",
} as const;

/**
 * The working directory whose runs are meant: the one that is named, otherwise the nearest one with runs, from here upwards.
 */
export async function findRunsWorkdir(io: CliIo, wd: string | undefined): Promise<string> {
  if (wd !== undefined) return resolve(io.cwd, wd);
  for (let folder = io.cwd;; folder = dirname(folder)) {
    if ((await listRunIds(folder)).length > 0) return folder;
    if (dirname(folder) === folder) return io.cwd;
  }
}

/**
 * The run that a person means by its id, or by the path of its folder.
 *
 * @throws {UsageError} when there is no such run
 */
export async function findNamedRun(io: CliIo, run: string, wd: string | undefined): Promise<RunFolder> {
  if (!run.includes("/")) return await findRun(await findRunsWorkdir(io, wd), run);
  const path = resolve(io.cwd, run);
  const runs = dirname(path);
  if (basename(runs) !== "runs" || basename(dirname(runs)) !== ".panewright") {
    throw new UsageError(`Cannot find a run at ${run}: a run's folder is below .panewright/runs`);
  }
  return await findRun(dirname(dirname(runs)), basename(path));
}
