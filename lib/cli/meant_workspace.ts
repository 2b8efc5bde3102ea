import { UsageError } from "../base/errors.ts";
import { didYouMean } from "../base/text/suggest.ts";
import { listRunIds } from "../run/find_run.ts";
import { isRunId, type RunFolder, runFolderAt } from "../run/run_folder.ts";
import { findWorkspace, isTrial, listWorkspaces, type Workspace } from "../workspace/workspace.ts";
import type { CliIo } from "./console/command.ts";

export const WORKSPACE_ARGUMENT = {
  name: "NAME",
  description: "the workspace's name, which is not needed where there is one only of this checkout",
} as const;

/** @throws {UsageError} which names those that there are */
export async function meantWorkspace(name: string | undefined, { cwd }: Pick<CliIo, "cwd">): Promise<Workspace> {
  // Where something is tried nobody means to look.
  const all = listWorkspaces().filter(({ partOf }) => !isTrial(partOf));
  if (name !== undefined) {
    const found = findWorkspace(name);
    if (found !== undefined) return found;
    const names = all.map((one) => one.name);
    throw new UsageError(`Cannot find the workspace "${name}"${didYouMean(name, names)}`, { hint: hintOf(all) });
  }
  // What tasks are done in side by side comes together in another one.
  const own = (await workspacesOf({ cwd })).filter(({ partOf }) => partOf === undefined);
  const [only, ...others] = own;
  if (only !== undefined && others.length === 0) return only;
  const why = only === undefined ? `${cwd} has none` : `this checkout has ${own.length}`;
  throw new UsageError(`Cannot tell which workspace is meant: ${why}`, {
    hint: hintOf(only === undefined ? all : own),
  });
}

/** The workspaces of the checkout that a folder is in, or the one that it is in; the oldest first. */
export async function workspacesOf({ cwd }: Pick<CliIo, "cwd">): Promise<readonly Workspace[]> {
  const here = `${await Deno.realPath(cwd).catch(() => cwd)}/`;
  return listWorkspaces().filter(({ top, tree }) => here.startsWith(`${top}/`) || here.startsWith(`${tree}/`));
}

function hintOf(all: readonly Workspace[]): string {
  return all.length === 0
    ? "There are no workspaces. One is made by: panewright exec --workspace TASK"
    : `Name one: ${all.map(({ name }) => name).join(", ")}. "panewright workspaces" says of what they are.`;
}

/**
 * The newest run that panewright has executed in a workspace. Agents can write there, so that a folder alone is no run: one
 * has its journal in the state folder.
 */
export async function newestRunIn({ workdir }: Pick<Workspace, "workdir">): Promise<RunFolder | undefined> {
  const runs = (await listRunIds(workdir)).filter(isRunId).map((id) => runFolderAt(workdir, id));
  return runs.findLast(({ copyPath, journalPath }) => journalPath !== copyPath);
}
