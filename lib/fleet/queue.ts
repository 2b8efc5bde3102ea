import type { Fleet } from "./connect.ts";
import type { Job } from "./job.ts";
import { type JobName, jobText, queueSubject, WAKE } from "./names.ts";

/**
 * Puts a job into its queue, once.
 *
 * @param again that something was said to it, by the sequence of that
 */
export async function enqueue(
  { connection, credentials, seals, streams }: Pick<Fleet, "connection" | "credentials" | "seals" | "streams">,
  name: JobName,
  { job, queue, again }: { readonly job: Job; readonly queue: string; readonly again?: number },
): Promise<void> {
  const subject = queueSubject(name, { by: credentials.name, queue, priority: job.priority });
  const msgID = `${jobText(name)}/${again ?? "first"}`;
  const text = JSON.stringify({ job, ...(again === undefined ? {} : { again }) });
  await streams.publish(subject, await seals.seal(text, subject), { msgID });
  connection.publish(WAKE);
}
