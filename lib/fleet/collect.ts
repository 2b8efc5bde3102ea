import { UsageError } from "../base/errors.ts";
import { noteElsewhere } from "../run/elsewhere.ts";
import { git } from "../workspace/git.ts";
import { openWorkspace } from "../workspace/open_workspace.ts";
import { holdTarget, land, landedIn } from "../workspace/target.ts";
import { findWorkspace, type Workspace } from "../workspace/workspace.ts";
import type { Fleet } from "./connect.ts";
import { type Job, type JobState, jobState } from "./job.ts";
import { type JobName, jobText } from "./names.ts";
import { contentsOf, getObject } from "./objects.ts";
import { restoreRun, type RunRoots } from "./run_files.ts";
import { readLog } from "./job_log.ts";
import { bundleOf, takeBundle } from "./tree.ts";

interface Asking {
  readonly signal: AbortSignal;
}

/**
 * A repository as it is now, for a job: what is not committed, too, but for what git ignores. The workspace that is returned
 * has no files: what comes of the job is collected in it.
 *
 * @throws {UsageError} where the folder is in no repository
 */
export async function packRepository(
  folder: string,
  { task, now, signal }: Asking & { readonly task: string; readonly now: Date },
): Promise<{ readonly bundle: Uint8Array<ArrayBuffer>; readonly workspace: Workspace }> {
  const workspace = await openWorkspace(folder, { task, now, signal, isTarget: true });
  const { base, store } = workspace;
  return { bundle: await bundleOf(base, { store, signal }), workspace };
}

/** What came of a job, on this machine. */
export interface Collected {
  /** It has no files; `panewright apply` brings them into a checkout. */
  readonly workspace: Workspace;
  readonly isChanged: boolean;
  /** The job's run, which is in the workspace. */
  readonly run: string | undefined;
}

/**
 * Brings what came of a job into a workspace of the repository that a folder is in, where `panewright apply` and `diff`
 * find it, with the job's run, whose card and evidence `panewright show` and `evidence` show.
 *
 * @throws {UsageError} where no worker has begun with it
 */
export async function collectResult(fleet: Fleet, asked: Collecting): Promise<Collected> {
  const state = jobState(await readLog(fleet, asked.name));
  if (state.run === undefined && state.work === undefined) {
    throw new UsageError(
      `Cannot collect what came of job ${jobText(asked.name)}: it is ${state.state}, and no run of it has begun`,
    );
  }
  const workspace = await targetOf(fleet, asked);
  using _held = await holdTarget(workspace);
  return await bringJob(fleet, { ...asked, state, workspace });
}

export interface Collecting extends Asking {
  readonly name: JobName;
  readonly job: Job;
  /** A folder of the repository that it comes into, where it was not submitted from here. */
  readonly folder: string;
  readonly now: Date;
}

/** The workspace that a job comes into: the one that it was submitted from, or one that is made for it. */
export async function targetOf(fleet: Fleet, asked: Collecting): Promise<Workspace> {
  return ownTarget(asked.name, asked.job) ?? await openTarget(fleet, asked);
}

/** Brings a job here as it stands; its workspace is held. */
export async function bringJob(
  fleet: Fleet,
  { name, signal, state: { files, lines, run, work }, workspace }: Pick<Collecting, "name" | "signal"> & {
    readonly state: JobState;
    readonly workspace: Workspace;
  },
): Promise<Collected & { readonly roots: RunRoots | undefined }> {
  await bringWork(fleet, { workspace, work, signal });
  const isChanged = work !== undefined && work.commit !== workspace.base;
  if (run === undefined) return { workspace, isChanged, run, roots: undefined };
  const place = { id: run, workdir: workspace.workdir };
  const roots = await restoreRun(place, { lines, files: contentsOf(fleet, files) });
  await noteElsewhere(roots.entry, jobText(name));
  return { workspace, isChanged, run, roots };
}

/** Lands in the job's workspace what was done until now. */
export async function bringWork(
  fleet: Fleet,
  { workspace, work, signal }: Asking & { readonly workspace: Workspace; readonly work: JobState["work"] },
): Promise<void> {
  const onto = await landedIn(workspace, { signal });
  if (work === undefined || onto === work.commit) return;
  const { bundle, commit } = work;
  await takeBundle(await getObject(fleet, bundle), { commit, store: workspace.store, signal });
  await land(commit, { onto, signal, target: workspace });
}

/** The workspace that the job was submitted from. */
export function ownTarget({ id }: JobName, { commit }: Job): Workspace | undefined {
  const found = findWorkspace(id);
  return found?.isTarget === true && found.base === commit ? found : undefined;
}

async function openTarget(fleet: Fleet, { name, job, folder, now, signal }: Collecting): Promise<Workspace> {
  const { commit, source: { bundle } } = job;
  if (bundle !== undefined) {
    // What the job begins with may be in no repository of this machine.
    const file = await Deno.makeTempFile();
    try {
      await Deno.writeFile(file, await getObject(fleet, bundle));
      const refs = `+refs/bundled/*:refs/panewright/fleet/${name.author}/*`;
      await git(["fetch", "--quiet", "--no-tags", "--no-write-fetch-head", file, refs], { cwd: folder, signal });
    } finally {
      await Deno.remove(file);
    }
  }
  return await openWorkspace(folder, { at: commit, task: name.id, now, signal, isTarget: true });
}
