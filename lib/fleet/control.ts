import { UsageError } from "../base/errors.ts";
import { findWrongField, integer, isObject, listOf, mapOf, text, type ValuesOf } from "../base/schema.ts";
import { nearest } from "../base/text/suggest.ts";
import type { Fleet } from "./connect.ts";
import { findEntry, unsealEntry } from "./entries.ts";
import { type JobEntry, queueOf } from "./job.ts";
import { followKey, readBucket } from "./bucket.ts";
import { BUCKETS, bucketSubject, type JobName, jobText, parseJob } from "./names.ts";
import { type Said, say } from "./said.ts";
import { enqueue } from "./queue.ts";

export const WORKER_FIELDS = {
  labels: mapOf(text),
  slots: integer,
  /** The jobs that it works on. */
  jobs: listOf(text),
  state: text,
  version: text,
  at: text,
};

/** A worker, as it has told of itself. */
export type WorkerEntry = ValuesOf<typeof WORKER_FIELDS> & { readonly name: string };

/** All jobs of the fleet, the oldest first. */
export async function listJobs(
  fleet: Pick<Fleet, "jobs" | "manager" | "seals">,
): Promise<readonly { readonly name: JobName; readonly entry: JobEntry }[]> {
  const kept = await readBucket(fleet, fleet.jobs, BUCKETS.jobs);
  const found = (await Promise.all(kept.map(async (one) => {
    const [name, entry] = [parseJob(one.key), await unsealEntry(fleet, one)];
    return name === undefined || entry === undefined ? [] : [{ name, entry }];
  }))).flat();
  return found.toSorted((one, other) => one.entry.job.submittedAt.localeCompare(other.entry.job.submittedAt));
}

/** The workers that are there: those that left have no entry. */
export async function listWorkers(
  fleet: Pick<Fleet, "workers" | "manager" | "seals">,
): Promise<readonly WorkerEntry[]> {
  const kept = await readBucket(fleet, fleet.workers, BUCKETS.workers);
  const found = await Promise.all(kept.map(async ({ at, key, text }) => {
    const unsealed = await fleet.seals.unseal(text, bucketSubject(BUCKETS.workers, key));
    if (unsealed?.rights !== "worker" || unsealed.by !== key.split(".")[0]) return [];
    const value: unknown = JSON.parse(unsealed.text);
    if (!isObject(value) || findWrongField(value, WORKER_FIELDS) !== undefined) return [];
    // Its own clock may be wrong.
    return [{ ...value as ValuesOf<typeof WORKER_FIELDS>, at, name: key }];
  }));
  return found.flat();
}

/**
 * Finds a job by its name, or, where only one has it, by its id.
 *
 * @throws {UsageError} where there is none, or several
 */
export async function readJob(
  fleet: Fleet,
  text: string,
): Promise<{ readonly name: JobName; readonly entry: JobEntry }> {
  const whole = parseJob(text);
  const found = whole && (await findEntry(fleet, whole)).entry;
  if (whole !== undefined && found !== undefined) return { name: whole, entry: found };
  const all = await listJobs(fleet);
  const [one, ...others] = all.filter(({ name }) => name.id === text);
  if (one !== undefined && others.length === 0) return one;
  if (one !== undefined) {
    throw new UsageError(
      `Cannot tell which job "${text}" is: ${[one, ...others].map(({ name }) => jobText(name)).join(", ")}`,
    );
  }
  const meant = nearest(text, all.flatMap(({ name }) => [name.id, jobText(name)]));
  throw new UsageError(`Cannot find job "${text}"${meant === undefined ? "" : `; did you mean "${meant}"?`}`, {
    hint: "panewright fleet ls lists the jobs.",
  });
}

/** The entry of a job as it is, and as it changes. */
export async function* followEntry(
  fleet: Pick<Fleet, "jobs" | "streams" | "seals">,
  name: JobName,
  { signal }: { readonly signal: AbortSignal },
): AsyncGenerator<JobEntry> {
  const asked = { bucket: fleet.jobs, name: BUCKETS.jobs, key: jobText(name), signal };
  for await (const text of followKey(fleet, asked)) {
    const entry = await unsealEntry(fleet, { key: asked.key, text });
    if (entry !== undefined) yield entry;
  }
}

/** Says something to a job: to the worker that has it, or to the next one. */
export async function sayToJob(fleet: Fleet, name: JobName, said: Omit<Said, "epoch">): Promise<void> {
  const { entry } = await findEntry(fleet, name);
  const again = await say(fleet, name, { ...said, epoch: entry?.epoch ?? 0 });
  if (entry === undefined || said.what === "stop") return;
  const { job } = entry;
  // A worker that has the job drops this: it hears what was said by itself.
  await enqueue(fleet, name, { job, queue: await queueOf(job.labels), again });
}

/** Tells a worker to take no more jobs, and to hand over those that it has. */
export async function sayToWorker(fleet: Fleet, worker: string): Promise<void> {
  await say(fleet, { worker }, { what: "drain", epoch: 0 });
}
