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
  if (wd !== undefined) return await namedFolder(io, wd);
  if ((await listRunIds(io.cwd)).length > 0) return io.cwd;
  const configured = await configuredWorkdir(io);
  if (configured !== undefined && (await listRunIds(configured)).length > 0) return configured;
  for (let folder = dirname(io.cwd);; folder = dirname(folder)) {
    if ((await listRunIds(folder)).length > 0) return folder;
    if (dirname(folder) === folder) return await workspaceWithRuns(io) ?? io.cwd;
  }
}

/** The newest workspace of this checkout that has runs, or this one. It is looked for only where no run is at hand. */
async function workspaceWithRuns(io: CliIo, run?: string): Promise<string | undefined> {
  const { workspacesOf } = await import("./meant_workspace.ts");
  for (const { workdir } of (await workspacesOf(io)).toReversed()) {
    const ids = await listRunIds(workdir);
    if ((run === undefined ? ids : meantRunIds(run, ids)).length > 0) return workdir;
  }
  return undefined;
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
    const apart = isThere ? undefined : await workspaceWithRuns(io, run);
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
  const workdir = await findRunsWorkdir(io, wd);
  const ids = (await listRunIds(workdir)).toReversed();
  for (const id of ids) if (await isExecuted(runFolderAt(workdir, id))) return await findRealRun(workdir, id);
  return await findRealRun(workdir, ids.find(isRunId));
}

async function findRealRun(...where: Parameters<typeof findRun>): Promise<RunFolder> {
  return await inRealWorkdir(await findRun(...where));
}

/** The run's folder with every link of the way resolved: the paths of its journal are relative to it. */
export async function inRealWorkdir({ id, path }: RunFolder): Promise<RunFolder> {
  return runFolderAt(await Deno.realPath(resolve(path, "../../..")), id);
}
