import { PanewrightError } from "../../base/errors.ts";
import { readRegularFile } from "../../base/ports/regular_file.ts";
import { responseText } from "../../turn/response_reading.ts";
import type { Recorded } from "../../journal/job.ts";
import type { JournalFolder } from "../../journal/job.ts";
import { sha256Hex } from "../../base/text/digest.ts";
import { present } from "../../base/schema.ts";
import { errorText } from "../../base/text/error_text.ts";
import type { ReviewFact } from "../../journal/loop/facts.ts";
import type { RecordedEvent } from "./fold.ts";

export async function recallResponse(event: Recorded<ReviewFact>, folder: JournalFolder): Promise<RecordedEvent> {
  if (event.type !== "response_received") return event;
  const { archivedAs, bytes: size, sha256, turnId } = event;
  // The working directory may have been moved since: what counts is the name in the archive.
  const path = `${folder.responsesDir}/${archivedAs.replace(/^.*\//, "")}`;
  const fail = (reason: string, cause?: unknown) =>
    new PanewrightError(`Cannot resume run ${folder.id}: the response to ${turnId}, ${path}, ${reason}`, {
      cause,
      hint: "Put back what the agent wrote, or start a new run.",
    });
  let content: Uint8Array<ArrayBuffer>;
  try {
    content = readRegularFile(path, { maxBytes: size });
  } catch (cause) {
    throw fail(`cannot be read: ${errorText(cause)}`, cause);
  }
  if (content.length !== size || await sha256Hex(content) !== sha256) throw fail("was changed after it was received");
  const text = responseText(content);
  if (text === undefined) throw fail("is not valid UTF-8");
  return { ...event, archivedAs: path, text };
}

/** A turn that was done in another run, with its response. */
export interface TakenTurn extends Pick<Extract<ReviewFact, { type: "response_received" }>, "turnId" | "names"> {
  readonly text: string;
  /** The id of that run. */
  readonly takenFrom: string;
}

/**
 * The turns that are on record of a run, with what was responded to them.
 *
 * @throws {PanewrightError} where a response is not there any more, or was changed
 */
export async function recallTurns(
  facts: readonly Recorded<ReviewFact>[],
  folder: JournalFolder,
): Promise<readonly TakenTurn[]> {
  const found = facts.map(async (fact) => {
    if (fact.type !== "response_received") return [];
    const { text = "" } = await recallResponse(fact, folder);
    return [{ turnId: fact.turnId, text, takenFrom: folder.id, ...present({ names: fact.names }) }];
  });
  return (await Promise.all(found)).flat();
}
