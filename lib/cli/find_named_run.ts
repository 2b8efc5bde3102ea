import { isExecuted } from "../base/ports/lock_file.ts";
import { basename, dirname, resolve } from "@std/path/posix";
import { UsageError } from "../base/errors.ts";
import { findReferredRun, findRun, listRunIds, meantRunIds } from "../run/find_run.ts";
import { isRunId, type RunFolder, runFolderAt } from "../run/run_folder.ts";
import { errorText } from "../base/text/error_text.ts";
import { type CliIo, textFlag } from "./console/command.ts";

export const RUN_ARGUMENT = {
  name: "RUN",
  description:
    "the run's id or its beginning, its name, @1 for the newest run (@2 for the one before it), or its folder's path",
} as const;

export const WORKDIR_FLAG = textFlag("DIR", "the run's working directory, if it cannot be found from here");

export async function findRunsWorkdir(io: CliIo, wd: string | undefined): Promise<string> {
  const [workdir = io.cwd] = await foldersAtHand(io, wd);
  return workdir;
}

/**
 * The folder whose runs are listed, with those of its workspaces: the checkout, also where all of its runs are in these.
 *
 * @param wd the folder that is named
 */
export async function findListedWorkdir(io: CliIo, wd: string | undefined): Promise<string> {
  const workdir = await findRunsWorkdir(io, wd);
  if (wd !== undefined) return workdir;
  const { folderOfPerson, workspaceAround } = await import("../workspace/workspace.ts");
  const isIn = workspaceAround(await Deno.realPath(io.cwd).catch(() => io.cwd)) !== undefined;
  return isIn ? workdir : folderOfPerson(workdir);
}

/** The folder of the runs that are meant; where the checkout has none, those of all its workspaces, the newest first. */
async function foldersAtHand(io: CliIo, wd: string | undefined): Promise<readonly string[]> {
  if (wd !== undefined) return [await namedFolder(io, wd)];
  if ((await listRunIds(io.cwd)).length > 0) return [io.cwd];
  const configured = await configuredWorkdir(io);
  if (configured !== undefined && (await listRunIds(configured)).length > 0) return [configured];
  for (let folder = dirname(io.cwd);; folder = dirname(folder)) {
    if ((await listRunIds(folder)).length > 0) return [folder];
    if (dirname(folder) === folder) return await workspacesWithRuns(io);
  }
}

/** The workspaces of this checkout that have runs, or this one. They are looked for only where no run is at hand. */
async function workspacesWithRuns(io: CliIo, run?: string): Promise<readonly string[]> {
  const { workspacesOf } = await import("./meant_workspace.ts");
  const found: string[] = [];
  for (const { workdir } of (await workspacesOf(io)).toReversed()) {
    const ids = await listRunIds(workdir);
    if ((run === undefined ? ids : meantRunIds(run, ids)).length > 0) found.push(workdir);
  }
  return found;
}

/** The runs that are meant where none is named, the newest first. */
export async function runsAtHand(
  io: CliIo,
  wd: string | undefined,
): Promise<{ readonly workdir: string; readonly runs: readonly RunFolder[] }> {
  const folders = await foldersAtHand(io, wd);
  const runs: RunFolder[] = [];
  for (const folder of folders) for (const id of await listRunIds(folder)) runs.push(runFolderAt(folder, id));
  // An id begins with the time.
  const sorted = runs.toSorted((one, other) => one.id < other.id ? 1 : -1);
  return { workdir: folders.length === 1 ? folders[0]! : io.cwd, runs: sorted };
}

/** The run of this name, or with this id, in whatever folder. */
async function runElsewhere(run: string): Promise<RunFolder | undefined> {
  const { findRunAnywhere, findRunByName } = await import("./run_names.ts");
  return findRunAnywhere(run) ?? await findRunByName(run);
}

async function namedFolder(io: CliIo, wd: string): Promise<string> {
  const path = resolve(io.cwd, wd);
  let problem = "it is not a folder";
  try {
    if ((await Deno.stat(path)).isDirectory) return path;
  } catch (error) {
    problem = error instanceof Deno.errors.NotFound ? "there is no such folder" : errorText(error);
  }
  throw new UsageError(`Cannot use --wd ${wd}: ${problem}`);
}

async function configuredWorkdir(io: CliIo): Promise<string | undefined> {
  // Reading a configuration takes longer than all the rest: it is loaded only where there is no run at hand.
  const [{ loadSettings }, { installedProviders }] = await Promise.all([
    import("../config/load.ts"),
    import("./installed_rules.ts"),
  ]);
  try {
    const providers = await installedProviders({ env: io.env, stderr: () => {} });
    return (await loadSettings({ cwd: io.cwd, env: (name) => io.env(name), providers })).workdir;
  } catch {
    return undefined;
  }
}

export async function findNamedRun(io: CliIo, run: string, wd: string | undefined): Promise<RunFolder> {
  if (!run.includes("/")) {
    const workdir = await findRunsWorkdir(io, wd);
    const isThere = wd !== undefined || meantRunIds(run, await listRunIds(workdir)).length > 0;
    const [apart] = isThere ? [] : await workspacesWithRuns(io, run);
    // Only what is nowhere at hand is looked for elsewhere.
    const elsewhere = isThere || apart !== undefined ? undefined : await runElsewhere(run);
    return elsewhere ?? await inRealWorkdir(await findReferredRun(apart ?? workdir, run));
  }
  const path = resolve(io.cwd, run);
  const runs = dirname(path);
  if (basename(runs) !== "runs" || basename(dirname(runs)) !== ".panewright") {
    throw new UsageError(`Cannot find a run at ${run}: a run's folder is below .panewright/runs`);
  }
  return await findRealRun(dirname(dirname(runs)), basename(path));
}

export async function findMeantRun(io: CliIo, run: string | undefined, wd: string | undefined): Promise<RunFolder> {
  if (run !== undefined) return await findNamedRun(io, run, wd);
  const { runs, workdir } = await runsAtHand(io, wd);
  for (const one of runs) if (await isExecuted(one)) return await inRealWorkdir(one);
  const newest = runs.find(({ id }) => isRunId(id));
  return newest === undefined ? await findRealRun(workdir, undefined) : await inRealWorkdir(newest);
}

async function findRealRun(...where: Parameters<typeof findRun>): Promise<RunFolder> {
  return await inRealWorkdir(await findRun(...where));
}

/** The run's folder with every link of the way resolved: the paths of its journal are relative to it. */
export async function inRealWorkdir({ id, path }: RunFolder): Promise<RunFolder> {
  return runFolderAt(await Deno.realPath(resolve(path, "../../..")), id);
}
