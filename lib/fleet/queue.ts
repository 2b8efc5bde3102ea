import type { Fleet } from "./connect.ts";
import type { Job } from "./job.ts";
import { type JobName, jobText, queueSubject, WAKE } from "./names.ts";

/**
 * Puts a job into its queue, once.
 *
 * @param again that something was said to it, by the sequence of that
 */
export async function enqueue(
  { connection, streams }: Pick<Fleet, "connection" | "streams">,
  name: JobName,
  { job, queue, again }: { readonly job: Job; readonly queue: string; readonly again?: number },
): Promise<void> {
  const subject = queueSubject(name, { queue, priority: job.priority });
  const msgID = `${jobText(name)}/${again ?? "first"}`;
  await streams.publish(subject, JSON.stringify({ job, ...(again === undefined ? {} : { again }) }), { msgID });
  connection.publish(WAKE);
}
