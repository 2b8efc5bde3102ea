import { groupOf } from "../api/card/sections.ts";
import { UsageError } from "../base/errors.ts";
import { JOBS } from "../jobs/mod.ts";
import { listAllRuns } from "../run/all_runs.ts";
import { readOverview } from "../run/overview.ts";
import type { RunFolder } from "../run/run_folder.ts";
import { findWorkspace, nameOf, workspaceAround } from "../workspace/workspace.ts";
import { workdirOf } from "../journal/paths.ts";

/** How many runs are looked through for one of a name. */
const MOST_LOOKED_AT = 300;

export function isRunName(name: string): boolean {
  return /^[a-z][a-z0-9-]*$/.test(name);
}

/** What people know a run by: its workspace's name, or one made of its task. */
export function runNameOf(
  { path }: Pick<RunFolder, "path">,
  progress: { readonly about: string; readonly target?: string } | undefined,
): string {
  return progress?.target ?? workspaceAround(workdirOf(path) ?? "")?.name ?? nameOf(progress?.about ?? "");
}

/**
 * The run of a name, in whatever folder it is: the one that is not over, or else the newest.
 *
 * @throws {UsageError} where several of that name are not over
 */
export async function findRunByName(name: string): Promise<RunFolder | undefined> {
  if (!isRunName(name)) return undefined;
  const workspace = findWorkspace(name);
  const all = listAllRuns();
  if (workspace !== undefined && workspace.isTarget !== true) {
    const own = all.find(({ path }) => workdirOf(path) === workspace.workdir);
    if (own !== undefined) return own;
  }
  const overviews = await Promise.all(
    all.slice(0, MOST_LOOKED_AT).map((folder) => readOverview(folder, JOBS, { brief: true })),
  );
  const found = overviews.filter(({ folder, progress }) =>
    progress !== undefined && runNameOf(folder, progress) === name
  );
  const [open, ...others] = found.filter(({ condition }) => groupOf(condition) !== "done");
  if (others.length === 0) return (open ?? found[0])?.folder;
  throw new UsageError(`Cannot tell which run "${name}" means: ${others.length + 1} of that name are not over`, {
    hint: `Name one by its id: ${[open, ...others].map((one) => one?.folder.id).join(", ")}`,
  });
}

/** A run by its id or the beginning of it, in whatever folder it is. */
export function findRunAnywhere(id: string): RunFolder | undefined {
  if (!/^\d{8}-/.test(id)) return undefined;
  const [only, ...others] = listAllRuns().filter((folder) => folder.id.startsWith(id));
  if (others.length === 0) return only;
  throw new UsageError(`Cannot tell which run "${id}" means: ${others.length + 1} runs begin with it`, {
    hint: `They are in ${[only, ...others].slice(0, 5).map((folder) => workdirOf(folder?.path ?? "")).join(", ")}.`,
  });
}
