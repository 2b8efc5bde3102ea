import { JOBS } from "../../jobs/mod.ts";
import type { OutsideMessageProgress } from "../../journal/message_progress.ts";
import { initialProgress, type Progress } from "../../journal/progress.ts";
import { readJournalText, tryParseFacts } from "../../journal/read_facts.ts";
import type { RunFolder } from "../../run/run_folder.ts";

/**
 * How a message stands in what is known of its run; `undefined` as long as the process that executes the run has not
 * taken it up, and where it is over for long: {@linkcode findMessage} finds that one, too.
 */
export function messageStatus(
  { messages }: Pick<Progress, "messages">,
  id: string,
): OutsideMessageProgress | undefined {
  return messages.find((message) => message.id === id);
}

/**
 * How a message stands, or has ended; `undefined` as long as the process that executes the run has not taken it up.
 * For one that the progress does not name any more, the journal is read.
 *
 * @throws {PanewrightError} when the journal cannot be read
 */
export function findMessage(
  { journalPath: path, path: folder }: Pick<RunFolder, "journalPath" | "path">,
  known: Pick<Progress, "messages"> | undefined,
  id: string,
): OutsideMessageProgress | undefined {
  if (known === undefined) return undefined;
  const found = messageStatus(known, id);
  if (found !== undefined) return found;
  const text = readJournalText(path);
  // One that was just left is asked for again and again.
  if (!text.includes(JSON.stringify(id))) return undefined;
  const { job, facts } = tryParseFacts(text, { path, folder, jobs: JOBS });
  if (job === undefined) return undefined;
  let progress = initialProgress(job.id);
  let last: OutsideMessageProgress | undefined;
  for (const fact of facts) {
    progress = job.progress(progress, fact);
    last = messageStatus(progress, id) ?? last;
  }
  return last;
}
