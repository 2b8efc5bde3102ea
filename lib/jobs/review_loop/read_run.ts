import { PanewrightError, UsageError } from "../../errors.ts";
import { readJournal } from "../../run/read_journal.ts";
import type { RunFolder } from "../../run/run_folder.ts";
import { responseText } from "../../handoff/response_reading.ts";
import { sha256Hex } from "../../text/digest.ts";
import { foldEvents, type RecordedEvent } from "./fold.ts";
import type { RunState } from "./run_state.ts";
import { errorText } from "../../text/error_text.ts";

/**
 * Reads where a run of `panewright run` stands, with the responses that its journal names.
 *
 * @throws {UsageError} when the run is one of another command
 * @throws {PanewrightError} when its journal or a response cannot be read, or a response is not the one that was received
 */
export async function readReviewRun(folder: RunFolder): Promise<RunState> {
  const state = await tryReadReviewRun(folder);
  if (state !== undefined) return state;
  throw new UsageError(`Cannot go on with run ${folder.id}: it is none of "panewright run"`);
}

/** Like {@linkcode readReviewRun}; `undefined` for a run of another command, and one that was broken off before it began. */
export async function tryReadReviewRun(folder: RunFolder): Promise<RunState | undefined> {
  const [, ...records] = await readJournal(folder.journalPath);
  const [first] = records;
  if (first?.type !== "run_started" || !("job" in first) || first.job !== "run") return undefined;
  // Records are events with their time: panewright itself wrote them.
  const events = records as unknown as readonly RecordedEvent[];
  return foldEvents(await Promise.all(events.map((event) => withText(event, folder))));
}

async function withText(event: RecordedEvent, folder: RunFolder): Promise<RecordedEvent> {
  if (event.type !== "response_received") return event;
  const { archivedAs, bytes: size, sha256, turnId } = event;
  // The working directory may have been moved since: what counts is the name in the archive.
  const path = `${folder.responsesDir}/${archivedAs.replace(/^.*\//, "")}`;
  const fail = (reason: string, cause?: unknown) =>
    new PanewrightError(`Cannot go on with run ${folder.id}: the response to ${turnId}, ${path}, ${reason}`, {
      cause,
      hint: "Put back what the agent wrote, or start the run anew.",
    });
  let content: Uint8Array<ArrayBuffer>;
  try {
    content = await Deno.readFile(path);
  } catch (cause) {
    throw fail(`cannot be read: ${errorText(cause)}`, cause);
  }
  if (content.length !== size || await sha256Hex(content) !== sha256) throw fail("was changed after it was received");
  const text = responseText(content);
  if (text === undefined) throw fail("is not valid UTF-8");
  return { ...event, text };
}
