import { UsageError } from "../../base/errors.ts";
import { JOBS } from "../../jobs/mod.ts";
import { PIPELINE } from "../../jobs/pipeline/mod.ts";
import { REVIEW_LOOP } from "../../jobs/review_loop/mod.ts";
import { isJournalOf, notBegun, readFacts } from "../../journal/read_facts.ts";
import type { RunFolder } from "../../run/run_folder.ts";
import type { ResumeSurroundings } from "./around.ts";
import { resumeReview } from "./review.ts";
import { resumeSteps } from "./steps.ts";

/** Resumes a run by what its journal says it is. */
export async function resumeRead(folder: RunFolder, around: ResumeSurroundings): Promise<number> {
  const journal = await readFacts(folder, JOBS);
  if (isJournalOf(journal, REVIEW_LOOP) && around.junit !== undefined) {
    throw new UsageError(`Cannot use --junit: run ${folder.id} is a review loop, and has no tasks`);
  }
  if (isJournalOf(journal, REVIEW_LOOP)) return await resumeReview(folder, journal, around);
  if (isJournalOf(journal, PIPELINE)) return await resumeSteps(folder, journal, around);
  throw notBegun(folder.id);
}
