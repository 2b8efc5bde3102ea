import { UsageError } from "../../base/errors.ts";
import { present } from "../../base/schema.ts";
import { JOBS } from "../../jobs/mod.ts";
import { listRunIds } from "../../run/find_run.ts";
import { isAnythingLeft, lookAtProcesses } from "../../run/live_agents.ts";
import { readOverview } from "../../run/overview.ts";
import { runFolderAt } from "../../run/run_folder.ts";
import {
  applyResult,
  branchResult,
  type ChooseParts,
  keepResult,
  linksOf,
  removeWorkspace,
} from "../../workspace/result.ts";
import { isBusy } from "../../workspace/target.ts";
import { listWorkspaces, type Workspace } from "../../workspace/workspace.ts";
import type { OutputFields } from "../output/outputs.ts";

interface Acting {
  readonly signal: AbortSignal;
}

/**
 * Brings what was done in a workspace into the person's checkout, or makes it a branch.
 *
 * @throws {UsageError} while a run is at work in it
 * @throws {RuntimeError} where it would overwrite what the person has changed: nothing is written then
 */
export async function applyWork(
  workspace: Workspace,
  { branch, choose, signal }: Acting & { readonly branch?: string | undefined; readonly choose?: ChooseParts },
): Promise<OutputFields["workspace_applied"]> {
  await requireAtRest(workspace, "apply");
  const result = await keepResult(workspace, { signal });
  if (branch !== undefined) await branchResult(workspace, { ...result, branch, signal });
  const files = branch === undefined
    ? await applyResult(workspace, result, { signal, ...present({ choose }) })
    : result.files.map(({ path }) => path);
  const apart = branch === undefined ? await linksOf(workspace, result.commit, { signal }) : [];
  return {
    ...{ name: workspace.name, files: [...files], ...present({ branch }) },
    ...(apart.length === 0 ? {} : { apart: apart.map(({ path }) => path) }),
  };
}

/**
 * Removes a workspace, with those of its tasks; what was done in them stays under refs.
 *
 * @throws {UsageError} while a run is at work in one of them
 */
export async function discardWork(workspace: Workspace, { signal }: Acting) {
  const lanes = lanesOf(workspace);
  for (const one of [workspace, ...lanes]) await requireAtRest(one, "discard");
  // Before anything is removed: nothing of any of them is to be lost.
  const kept = await Promise.all(lanes.map(async (lane) => [lane, await keepResult(lane, { signal })] as const));
  const result = await keepResult(workspace, { signal });
  const commits: string[] = [];
  for (const [lane, ofLane] of [...kept, [workspace, result] as const]) {
    commits.push(...await removeWorkspace(lane, ofLane, { signal }));
  }
  const { commit, files, ref } = result;
  return {
    told: { name: workspace.name, ref, commit, commits } satisfies OutputFields["workspace_discarded"],
    lanes: lanes.map(({ name }) => name),
    hasWork: files.length > 0,
  };
}

/** The workspaces in which the tasks were done that come together in one. */
export function lanesOf({ name }: Workspace): readonly Workspace[] {
  return listWorkspaces().filter(({ partOf }) => partOf?.target === name);
}

/** @throws {UsageError} while a run is at work in it: what it will be is not known yet */
export async function requireAtRest({ name, workdir, ...workspace }: Workspace, verb: string): Promise<void> {
  if (workspace.isTarget === true && await isBusy({ name })) {
    throw new UsageError(`Cannot ${verb} ${name}: a run is at work whose tasks come together in it`, {
      hint: `Wait for its end, or stop it: panewright stop --wd ${workspace.origin}`,
    });
  }
  await requireNoneAtWork(workdir, `${verb} ${name}`);
}

/** @throws {UsageError} while a run is at work in a working directory, or its agents are */
export async function requireNoneAtWork(workdir: string, act: string): Promise<void> {
  const processes = await lookAtProcesses();
  for (const id of await listRunIds(workdir)) {
    const { executed, folder, progress } = await readOverview(runFolderAt(workdir, id), JOBS, { brief: true });
    if (!executed && (progress === undefined || !await isAnythingLeft(progress, folder, processes))) continue;
    throw new UsageError(`Cannot ${act}: run ${id} is at work in it${executed ? "" : ", or its agents are"}`, {
      hint: `Wait for its end, or stop it: panewright stop ${id} --wd ${workdir}`,
    });
  }
}
