/** The streams, buckets and subjects of a fleet, which has an account of its own on the server. */
export const STREAMS = {
  /** One message a job that is to be worked on; it is gone once a worker has acknowledged it. */
  queue: "pw_queue",
  /** What happens to jobs, a subject each: whoever writes there names the sequence of the last message. */
  log: "pw_log",
  /** What people say to jobs and workers. */
  said: "pw_said",
} as const;

export const BUCKETS = {
  /** The state of each job, for lists and for leases. */
  jobs: "pw_jobs",
  workers: "pw_workers",
  /** What the queues' names stand for: the labels that their jobs want. */
  labels: "pw_labels",
  /** How many tokens jobs may use, and have used. */
  caps: "pw_caps",
} as const;

/** The object store: repositories, work and files of runs, each by its SHA-256. */
export const OBJECTS = "pw_objects";

/** What a user of a fleet may do. `admin` makes the streams; nobody else can change them. */
export const RIGHTS = ["admin", "submitter", "worker", "viewer"] as const;

export type Rights = typeof RIGHTS[number];

/** Told when there is something to do; nothing relies on it. */
export const WAKE = "pw.wake";

export const PRIORITIES = ["high", "normal", "low"] as const;

export type Priority = typeof PRIORITIES[number];

/** A job of somebody's: their name, as the server knows it, and the job's own. */
export interface JobName {
  readonly author: string;
  readonly id: string;
}

const TOKEN = /^[A-Za-z0-9_-]{1,64}$/;

export function isToken(text: string): boolean {
  return TOKEN.test(text);
}

export function jobText({ author, id }: JobName): string {
  return `${author}.${id}`;
}

/** @returns undefined for what is not the name of a job */
export function parseJob(text: string): JobName | undefined {
  const [author = "", id = "", ...rest] = text.split(".");
  return rest.length === 0 && isToken(author) && isToken(id) ? { author, id } : undefined;
}

export function queueSubject(
  job: JobName,
  { by, queue, priority }: { readonly by: string; readonly queue: string; readonly priority: Priority },
): string {
  return `pw.queue.${by}.${queue}.${priority}.${jobText(job)}`;
}

/** The job of a message in the queue, and who has put it there: the server lets nobody publish under another's name. */
export function jobOfQueueSubject(subject: string): { readonly job: JobName; readonly by: string } | undefined {
  const [, , by = "", , , author = "", id = ""] = subject.split(".");
  const job = parseJob(`${author}.${id}`);
  return job === undefined ? undefined : { job, by };
}

export function queueFilter(queue: string, priority: Priority): string {
  return `pw.queue.*.${queue}.${priority}.>`;
}

export function consumerName(queue: string, priority: Priority): string {
  return `${queue}-${priority}`;
}

export function logSubject(job: JobName): string {
  return `pw.log.${jobText(job)}`;
}

/** @param by who says it */
export function saidSubject(to: JobName | { readonly worker: string }, by: string): string {
  return "worker" in to ? `pw.said.${by}.worker.${to.worker}` : `pw.said.${by}.job.${jobText(to)}`;
}

/** The subject of what stands in a bucket under a key. */
export function bucketSubject(bucket: string, key: string): string {
  return `$KV.${bucket}.${key}`;
}
