import { PanewrightError } from "../../errors.ts";
import { DamagedJournalError, type JournalRecord, parseJournal } from "../../run/read_journal.ts";
import type { RunFolder } from "../../run/run_folder.ts";
import { readEnds } from "./read_ends.ts";
import { summariseExec } from "./summarise_exec.ts";
import { summariseReview } from "./summarise_review.ts";
import type { RunSummary } from "./summary.ts";
import { errorText } from "../../text/error_text.ts";

/** What can be read of a run's journal. */
export interface ReadSummary {
  /** Undefined where there is no record of the run. */
  readonly summary: RunSummary | undefined;
  /** What cannot be read; `summary` is then what the records before it tell. */
  readonly problem: PanewrightError | undefined;
}

/**
 * Reads what a run's journal tells. A damaged or foreign one is no error: it is told as a problem.
 *
 * @param options.brief whether how it began and ended is enough for a run that is over: what came between is then neither
 * counted nor checked
 */
export async function readSummary(
  folder: RunFolder,
  options: { readonly brief?: boolean } = {},
): Promise<ReadSummary> {
  let bytes: Uint8Array;
  try {
    const ends = options.brief === true ? await readEnds(folder.journalPath) : undefined;
    if (ends !== undefined) return { summary: summarise(ends), problem: undefined };
    bytes = await Deno.readFile(folder.journalPath);
  } catch (cause) {
    if (cause instanceof Deno.errors.NotFound) return { summary: undefined, problem: undefined };
    return { summary: undefined, problem: unreadable(folder, cause) };
  }
  try {
    return { summary: summarise(parse(bytes, folder)), problem: undefined };
  } catch (error) {
    if (!(error instanceof DamagedJournalError)) return { summary: undefined, problem: unreadable(folder, error) };
    try {
      return { summary: summarise(parse(bytes.subarray(0, error.place.byte), folder)), problem: error };
    } catch {
      return { summary: undefined, problem: error };
    }
  }
}

function parse(bytes: Uint8Array, { journalPath }: RunFolder): JournalRecord[] {
  return parseJournal(new TextDecoder().decode(bytes), journalPath);
}

/**
 * What records tell; `undefined` where they are none of a run.
 *
 * @throws {TypeError} when they are not what a panewright of this version writes
 */
export function summarise([, ...records]: readonly JournalRecord[]): RunSummary | undefined {
  const [first] = records;
  if (first === undefined) return undefined;
  if (first.type !== "run_started" || !("job" in first)) {
    throw new TypeError("its first record is not the start of a run");
  }
  // Records are events with their time: panewright itself wrote them.
  if (first.job === "run") {
    return summariseReview(...([first, records] as unknown as Parameters<typeof summariseReview>));
  }
  return summariseExec(...([first, records] as unknown as Parameters<typeof summariseExec>));
}

function unreadable({ journalPath }: RunFolder, cause: unknown): PanewrightError {
  if (cause instanceof PanewrightError) return cause;
  const reason = errorText(cause);
  return new PanewrightError(`Cannot read the journal ${journalPath}: ${reason}`, { cause });
}
