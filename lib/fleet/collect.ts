import { UsageError } from "../base/errors.ts";
import { git } from "../workspace/git.ts";
import { openWorkspace } from "../workspace/open_workspace.ts";
import { land, landedIn } from "../workspace/target.ts";
import { findWorkspace, type Workspace } from "../workspace/workspace.ts";
import type { Fleet } from "./connect.ts";
import { type Job, jobState } from "./job.ts";
import { type JobName, jobText } from "./names.ts";
import { getObject } from "./objects.ts";
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

/**
 * Brings what came of a job into a workspace of the repository that a folder is in, where `panewright apply` and `diff`
 * find it.
 *
 * @returns undefined where nothing was changed
 * @throws {UsageError} where the job has no work yet
 */
export async function collectResult(
  fleet: Fleet,
  { name, job, folder, now, signal }: Asking & {
    readonly name: JobName;
    readonly job: Job;
    readonly folder: string;
    readonly now: Date;
  },
): Promise<Workspace | undefined> {
  const { work, state } = jobState((await readLog(fleet, name)).events);
  if (work === undefined) {
    if (state === "ended") return undefined;
    throw new UsageError(
      `Cannot collect what came of job ${jobText(name)}: it is ${state}, and has changed nothing yet`,
    );
  }
  const { bundle, commit } = work;
  const target = ownTarget(name, job) ?? await openTarget(fleet, { name, job, folder, now, signal });
  const onto = await landedIn(target, { signal });
  if (onto === commit) return target;
  await takeBundle(await getObject(fleet, bundle), { commit, store: target.store, signal });
  await land(commit, { onto, signal, target });
  return target;
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
