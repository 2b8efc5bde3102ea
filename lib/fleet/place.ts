import { UsageError } from "../base/errors.ts";
import { lstatOrUndefined } from "../base/ports/files.ts";
import { makeOwnFolder } from "../base/ports/state_folder.ts";
import { removeRunEntry } from "../run/run_entry.ts";
import type { Job, JobState } from "./job.ts";
import { restoreWork } from "./keep_work.ts";
import { type JobName, jobText } from "./names.ts";
import { joinWorks, obeyedOfWorks } from "./needs.ts";
import { whenReached } from "./reach.ts";
import { fetchSource } from "./source.ts";
import { clearEarlier } from "./take_over.ts";
import { type JobPlace, makeCheckout, makeStoreOf, removeRoot } from "./tree.ts";
import type { WorkerContext } from "./worker_context.ts";

interface Claim {
  readonly epoch: number;
  readonly job: Job;
  readonly name: JobName;
  readonly state: JobState;
}

interface Preparing {
  readonly root: string;
  readonly worker: WorkerContext;
  readonly signal: AbortSignal;
}

/** Makes the job's folder on this machine what it was where it was worked on last, as soon as the fleet can be reached. */
export async function preparePlace(claim: Claim, options: Preparing): Promise<JobPlace> {
  return await whenReached(() => prepare(claim, options), { clock: options.worker.clock, signal: options.signal });
}

async function prepare({ epoch, job, name, state }: Claim, { root, worker, signal }: Preparing): Promise<JobPlace> {
  const { clock, fleet } = worker;
  await clearEarlier({ folder: worker.folder, job: jobText(name), epoch }, { clock, signal });
  if (lstatOrUndefined(root) !== undefined) await removeRoot(root);
  makeOwnFolder(`${worker.folder}/${jobText(name)}`);
  const store = await makeStoreOf(root, { commit: job.commit, signal });
  await fetchSource(fleet, { job, store, signal });
  const base = await joinWorks(fleet, { job, name, works: state.works ?? [], store, signal });
  const place = await makeCheckout(root, { base, folder: job.folder, origin: job.commit, store, signal });
  const obeyed = await obeyedOfWorks([job.commit, base], { ...place, signal });
  if (obeyed.length > 0) {
    throw new UsageError(
      `Cannot begin job ${jobText(name)}: what it needs changes what agents obey: ${obeyed.join(", ")}`,
      { hint: "Look at it in a checkout, and submit the job from there." },
    );
  }
  await restoreWork(fleet, { place, state, signal });
  return place;
}

/** Everything of it is with the fleet. */
export async function removePlace({ root, workdir }: JobPlace, run: string | undefined): Promise<void> {
  if (run !== undefined) removeRunEntry({ id: run, path: `${workdir}/.panewright/runs/${run}` });
  await removeRoot(root);
}
