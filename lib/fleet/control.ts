import { UsageError } from "../base/errors.ts";
import { findWrongField, integer, isObject, listOf, mapOf, text, type ValuesOf } from "../base/schema.ts";
import { nearest } from "../base/text/suggest.ts";
import type { Fleet } from "./connect.ts";
import { type JobEntry, queueOf, readEntry } from "./job.ts";
import { findEntry } from "./lease.ts";
import { type JobName, jobText, parseJob } from "./names.ts";
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
  { jobs }: Pick<Fleet, "jobs">,
): Promise<readonly { readonly name: JobName; readonly entry: JobEntry }[]> {
  const found: { readonly name: JobName; readonly entry: JobEntry }[] = [];
  for await (const key of await jobs.keys()) {
    const name = parseJob(key);
    const entry = name && await jobs.get(key);
    if (name !== undefined && entry && entry.operation === "PUT") {
      found.push({ name, entry: readEntry(entry.string()) });
    }
  }
  return found.toSorted((one, other) => one.entry.job.submittedAt.localeCompare(other.entry.job.submittedAt));
}

/** The workers that are there: those that left have no entry. */
export async function listWorkers({ workers }: Pick<Fleet, "workers">): Promise<readonly WorkerEntry[]> {
  const found: WorkerEntry[] = [];
  for await (const key of await workers.keys()) {
    const entry = await workers.get(key);
    if (entry === null || entry.operation !== "PUT") continue;
    const value: unknown = JSON.parse(entry.string());
    if (isObject(value) && findWrongField(value, WORKER_FIELDS) === undefined) {
      found.push({ ...value as ValuesOf<typeof WORKER_FIELDS>, name: key });
    }
  }
  return found.toSorted((one, other) => one.name.localeCompare(other.name));
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
  const found = whole && await findEntry(fleet, whole);
  if (whole !== undefined && found !== undefined) return { name: whole, entry: found.entry };
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
  { jobs }: Pick<Fleet, "jobs">,
  name: JobName,
  { signal }: { readonly signal: AbortSignal },
): AsyncGenerator<JobEntry> {
  const changes = await jobs.watch({ key: jobText(name) });
  const end = () => changes.stop();
  signal.addEventListener("abort", end, { once: true });
  try {
    for await (const change of changes) if (change.operation === "PUT") yield readEntry(change.string());
  } finally {
    signal.removeEventListener("abort", end);
    end();
  }
}

/** Says something to a job: to the worker that has it, or to the next one. */
export async function sayToJob(fleet: Fleet, name: JobName, said: Said): Promise<void> {
  const again = await say(fleet, name, said);
  const found = await findEntry(fleet, name);
  if (found === undefined || said.what === "stop") return;
  const { entry: { job } } = found;
  // A worker that has the job drops this: it hears what was said by itself.
  await enqueue(fleet, name, { job, queue: await queueOf(job.labels), again });
}

/** Tells a worker to take no more jobs, and to hand over those that it has. */
export async function sayToWorker(fleet: Fleet, worker: string): Promise<void> {
  await say(fleet, { worker }, { what: "drain" });
}
