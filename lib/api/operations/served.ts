import { UsageError } from "../../base/errors.ts";
import { findRun, listRunIds } from "../../run/find_run.ts";
import { isRunId, refuseLinksIn, type RunFolder, runFolderAt } from "../../run/run_folder.ts";
import { withWorkspaces } from "../../workspace/workspace.ts";
import { Problem } from "../control/problem.ts";
import type { ActContext } from "./context.ts";

export function workdirOf(named: string | undefined, workdirs: readonly string[]): string {
  if (named !== undefined && !workdirs.includes(named)) {
    throw new UsageError(`Cannot work in ${named}: this server works in ${workdirs.join(", ")}`, {
      code: "bad_input",
      hint: "A person starts it for another folder with --wd.",
    });
  }
  if (named === undefined && workdirs.length > 1) {
    throw new UsageError("Cannot tell which project is meant: name it with workdir", {
      code: "bad_input",
      hint: `This server works in ${workdirs.join(", ")}.`,
    });
  }
  return named ?? workdirs[0]!;
}

/** The run that a model means, by its whole id: a part of it could mean another one tomorrow. */
export async function findServed(
  { run, workdir }: { readonly run: string; readonly workdir?: string | undefined },
  { workdirs, meetRun }: Pick<ActContext, "workdirs" | "meetRun">,
): Promise<RunFolder> {
  const meant = workdir === undefined ? workdirs : [workdirOf(workdir, workdirs)];
  const found = await workdirsWith(run, meant);
  const [only, ...others] = found;
  if (others.length > 0) {
    throw new UsageError(`Cannot tell which run ${run} is meant: ${found.join(", ")} have one each`, {
      code: "bad_input",
      hint: "Name the project with workdir.",
    });
  }
  if (only !== undefined) {
    const folder = await findRun(only, run);
    await meetRun?.(folder);
    return folder;
  }
  throw new UsageError(`Cannot find the run "${run}" in ${meant.join(", ")}`, {
    code: "unknown_run",
    hint: "The tool runs lists the runs.",
  });
}

export function requestedWorkdir(workdirs: readonly string[], named: string | undefined): string {
  const [only, ...others] = workdirs;
  if (named === undefined && only !== undefined && others.length === 0) return only;
  const hint = `Served are: ${workdirs.join(", ")}.`;
  if (named === undefined) throw new Problem("bad_input", "Cannot start a run: its workdir is not named", { hint });
  // Not resolved here: nobody learns from this what there is on this machine.
  const found = workdirs.find((workdir) => workdir === named || `${workdir}/` === named);
  if (found !== undefined) return found;
  throw new Problem("bad_input", `Cannot start a run in ${named}: that working directory is not served`, { hint });
}

export async function requestedRun(
  id = "",
  { workdirs, meetRun }: Pick<ActContext, "workdirs" | "meetRun">,
): Promise<RunFolder> {
  const found = isRunId(id) ? (await workdirsWith(id, workdirs)).map((workdir) => runFolderAt(workdir, id)) : [];
  for (const folder of found) refuseLinksIn(folder);
  const [folder, ...others] = found;
  if (folder === undefined) {
    throw new Problem("unknown_run", `Cannot find the run ${JSON.stringify(id)}: no working directory served has it`, {
      hint: "GET /v1/runs lists the runs.",
    });
  }
  if (others.length > 0) {
    throw new Problem("ambiguous_run", `Cannot tell which run ${id} is meant: ${found.length} directories have one`, {
      hint: "A project was copied with its runs. Serve one of the directories: panewright serve --wd DIR",
    });
  }
  await meetRun?.(folder);
  return folder;
}

async function workdirsWith(run: string, workdirs: readonly string[]): Promise<readonly string[]> {
  const found: string[] = [];
  for (const workdir of withWorkspaces(workdirs)) if ((await listRunIds(workdir)).includes(run)) found.push(workdir);
  return found;
}
