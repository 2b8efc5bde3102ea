import type { Fleet } from "./connect.ts";
import { type Kept, readKey } from "./bucket.ts";
import { type JobEntry, readEntry } from "./job.ts";
import { BUCKETS, bucketSubject, type JobName, jobText, parseJob } from "./names.ts";

/** What a job's entry in the bucket is, as it is written there. */
export async function sealEntry({ seals }: Pick<Fleet, "seals">, job: JobName, entry: JobEntry): Promise<string> {
  return await seals.seal(JSON.stringify(entry), bucketSubject(BUCKETS.jobs, jobText(job)));
}

/** @returns undefined for what neither its submitter nor a worker has written */
export async function unsealEntry(
  { seals }: Pick<Fleet, "seals">,
  { key, text }: Pick<Kept, "key" | "text">,
): Promise<JobEntry | undefined> {
  const found = await seals.unseal(text, bucketSubject(BUCKETS.jobs, key));
  const isTheirs = found?.rights === "worker" || found?.rights === "admin" || found?.by === parseJob(key)?.author;
  return found !== undefined && isTheirs ? readEntry(found.text) : undefined;
}

/** A job's entry, and what the next change of it has to name: 0 where there is none. */
export async function findEntry(
  fleet: Pick<Fleet, "jobs" | "seals">,
  job: JobName,
): Promise<{ readonly entry: JobEntry | undefined; readonly revision: number }> {
  const kept = await readKey(fleet.jobs, jobText(job));
  return kept === undefined
    ? { entry: undefined, revision: 0 }
    : { entry: await unsealEntry(fleet, kept), revision: kept.revision };
}
