import { lstatOrUndefined } from "../base/ports/files.ts";
import { makeOwnFolder } from "../base/ports/state_folder.ts";
import { removeRunEntry } from "../run/run_entry.ts";
import type { Job, JobState } from "./job.ts";
import { restoreWork } from "./keep_work.ts";
import { type JobName, jobText } from "./names.ts";
import { fetchSource } from "./source.ts";
import { clearEarlier } from "./take_over.ts";
import { type JobPlace, makeCheckout, makeStoreOf } from "./tree.ts";
import type { WorkerContext } from "./worker_context.ts";

/** Makes the job's folder on this machine what it was where it was worked on last. */
export async function preparePlace(
  { epoch, job, name, state }: {
    readonly epoch: number;
    readonly job: Job;
    readonly name: JobName;
    readonly state: JobState;
  },
  { root, worker, signal }: { readonly root: string; readonly worker: WorkerContext; readonly signal: AbortSignal },
): Promise<JobPlace> {
  const { clock, fleet } = worker;
  const isOurs = (folder: string) => {
    const [, job, number] = /-fleet\/[^/]+\/([^/]+)\/(\d+)$/.exec(folder) ?? [];
    return job === jobText(name) && Number(number) < epoch;
  };
  await clearEarlier(state.lines, { isOurs, clock, signal });
  if (lstatOrUndefined(root) !== undefined) await Deno.remove(root, { recursive: true });
  makeOwnFolder(`${worker.folder}/${jobText(name)}`);
  const store = await makeStoreOf(root, { signal });
  await fetchSource(fleet, { job, store, signal });
  const place = await makeCheckout(root, { base: job.commit, folder: job.folder, store, signal });
  await restoreWork(fleet, { place, state, signal });
  return place;
}

/** Everything of it is with the fleet. */
export async function removePlace({ root, workdir }: JobPlace, run: string | undefined): Promise<void> {
  if (run !== undefined) removeRunEntry({ id: run, path: `${workdir}/.panewright/runs/${run}` });
  await Deno.remove(root, { recursive: true });
}
