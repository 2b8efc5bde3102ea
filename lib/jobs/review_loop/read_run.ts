import { UsageError } from "../../errors.ts";
import { foldFacts, isJournalOf, readFacts } from "../../run/read_facts.ts";
import type { RunFolder } from "../../run/run_folder.ts";
import { JOBS } from "../mod.ts";
import { REVIEW_LOOP } from "./mod.ts";
import type { RunState } from "./run_state.ts";

/**
 * Reads where a run of `panewright run` stands, with the responses that its journal names.
 *
 * @throws {UsageError} when the run is one of another command
 * @throws {PanewrightError} when its journal or a response cannot be read, or a response is not the one that was received
 */
export async function readReviewRun(folder: RunFolder): Promise<RunState> {
  const state = await tryReadReviewRun(folder);
  if (state !== undefined) return state;
  throw new UsageError(`Cannot resume run ${folder.id}: it is not a run of "panewright run"`);
}

/** Like {@linkcode readReviewRun}; `undefined` for a run of another command, and one that was broken off before it began. */
export async function tryReadReviewRun(folder: RunFolder): Promise<RunState | undefined> {
  const journal = await readFacts(folder.journalPath, JOBS);
  return isJournalOf(journal, REVIEW_LOOP) ? await foldFacts(journal, { job: REVIEW_LOOP, folder }) : undefined;
}
