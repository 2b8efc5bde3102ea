import { UsageError } from "../base/errors.ts";
import { sha256Hex } from "../base/text/digest.ts";
import type { Fleet } from "./connect.ts";
import { fits, type Job, type JobEntry, queueOf } from "./job.ts";
import { findEntry, sealEntry } from "./entries.ts";
import { isToken, type JobName, jobText } from "./names.ts";
import { enqueue } from "./queue.ts";
import { listWorkers } from "./control.ts";

/** A job to be submitted; its id is its submitter's: the same id is the same job. */
export interface Submission {
  readonly id: string;
  readonly job: Omit<Job, "v" | "submittedAt">;
}

export interface Submitted {
  readonly name: JobName;
  /** Whether an earlier call has submitted it already. */
  readonly isNew: boolean;
  /** Whether a worker is there whose labels fit. */
  readonly hasWorker: boolean;
}

/**
 * Puts a job into the queue of a fleet. What it begins with is among the objects by then.
 *
 * @throws {UsageError} when its id is that of another job
 */
export async function submitJob(
  fleet: Fleet,
  { id, job }: Submission,
  { now }: { readonly now: Date },
): Promise<Submitted> {
  if (!isToken(id)) {
    throw new UsageError(`Cannot submit a job as "${id}": an id has letters, digits, - and _, 64 at most`);
  }
  const name: JobName = { author: fleet.credentials.name, id };
  const whole: Job = { v: 1, ...job, submittedAt: now.toISOString() };
  const hash = await hashOf(job);
  const entry: JobEntry = { job: whole, hash, state: "queued", epoch: 0, at: now.toISOString() };
  const queue = await queueOf(job.labels);
  await fleet.labels.put(queue, JSON.stringify(job.labels));
  const sealed = await sealEntry(fleet, name, entry);
  const created = await fleet.jobs.create(jobText(name), sealed).then(() => true, () => false);
  const { entry: known, revision } = created ? { entry: undefined, revision: 0 } : await findEntry(fleet, name);
  // What somebody else has put there under this name is no job.
  if (!created && known === undefined) await fleet.jobs.update(jobText(name), sealed, revision);
  if (known !== undefined && known.hash !== hash) {
    throw new UsageError(`Cannot submit job ${jobText(name)}: its id is that of another job, "${known.job.title}"`, {
      hint: "Name another one with --id.",
    });
  }
  const isNew = known === undefined;
  // One that was noted by a call that was killed is not in the queue yet; one that is there is not put there twice.
  if (isNew || (known.state === "queued" && known.epoch === 0)) {
    await enqueue(fleet, name, { job: known?.job ?? whole, queue });
  }
  const workers = await listWorkers(fleet);
  return { name, isNew, hasWorker: workers.some(({ labels }) => fits(job.labels, labels)) };
}

/** The same work from another commit is the same job: a second call may find that the checkout has changed. */
async function hashOf({ source: { url }, commit: _, ...job }: Submission["job"]): Promise<string> {
  return await sha256Hex(JSON.stringify({ ...job, url }));
}
