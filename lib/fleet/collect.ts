import { UsageError } from "../base/errors.ts";
import { git } from "../workspace/git.ts";
import { openWorkspace } from "../workspace/open_workspace.ts";
import { land, landedIn } from "../workspace/target.ts";
import { findWorkspace, type Workspace } from "../workspace/workspace.ts";
import type { Fleet } from "./connect.ts";
import { type Job, jobState } from "./job.ts";
import { type JobName, jobText } from "./names.ts";
import { contentsOf, getObject } from "./objects.ts";
import { restoreRun } from "./run_files.ts";
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
export async function collectResult(
  fleet: Fleet,
  { name, job, folder, now, signal }: Asking & {
    readonly name: JobName;
    readonly job: Job;
    readonly folder: string;
    readonly now: Date;
  },
): Promise<Collected> {
  const { files, lines, run, state, work } = jobState(await readLog(fleet, name));
  if (run === undefined && work === undefined) {
    throw new UsageError(
      `Cannot collect what came of job ${jobText(name)}: it is ${state}, and no run of it has begun`,
    );
  }
  const workspace = ownTarget(name, job) ?? await openTarget(fleet, { name, job, folder, now, signal });
  const onto = await landedIn(workspace, { signal });
  const { commit } = work ?? { commit: onto };
  if (work !== undefined && onto !== commit) {
    await takeBundle(await getObject(fleet, work.bundle), { commit, store: workspace.store, signal });
    await land(commit, { onto, signal, target: workspace });
  }
  if (run !== undefined) {
    await restoreRun({ id: run, workdir: workspace.workdir }, { lines, files: contentsOf(fleet, files) });
  }
  return { workspace, isChanged: commit !== workspace.base, run };
}

/** The workspace that the job was submitted from. */
function ownTarget({ id }: JobName, { commit }: Job): Workspace | undefined {
  const found = findWorkspace(id);
  return found?.isTarget === true && found.base === commit ? found : undefined;
}

async function openTarget(
  fleet: Fleet,
  { name, job, folder, now, signal }: Parameters<typeof collectResult>[1],
): Promise<Workspace> {
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
