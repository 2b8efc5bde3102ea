import { PanewrightError } from "../base/errors.ts";
import { lstatOrUndefined } from "../base/ports/files.ts";
import { readRegularText } from "../base/ports/regular_file.ts";
import { errorText } from "../base/text/error_text.ts";
import type { AnyFact, JobRecords, Recorded } from "../journal/job.ts";
import { findCarried } from "./carried.ts";
import { initialProgress, type Progress } from "../journal/progress.ts";
import { withoutPanes } from "../journal/workers.ts";
import { MAX_JOURNAL_BYTES } from "../journal/paths.ts";
import { readEnds, tryParseFacts } from "../journal/read_facts.ts";
import type { RunFolder } from "./run_folder.ts";

/** What was read of journals, by their paths: as long as one is the same, it is not read again. */
export type KnownJournals = Map<string, { readonly stamp: string; readonly read: ReadProgress }>;

export interface ReadOptions {
  /**
   * Whether the beginning and the end are enough for a run that is over: what came between is then neither counted nor
   * checked.
   */
  readonly brief?: boolean;
  readonly known?: KnownJournals | undefined;
}

interface ReadProgress {
  /** Undefined where there is no record of the run. */
  readonly progress: Progress | undefined;
  /** What cannot be read; `progress` is then what the records before it tell. */
  readonly problem: PanewrightError | undefined;
  /** The last record that was read, from 1; missing where not all of them were counted. */
  readonly sequence?: number;
}

/** Reads how a run stands by its journal. A journal that cannot be read is told as a problem. */
export async function readProgress(
  folder: RunFolder,
  jobs: readonly JobRecords[],
  options: ReadOptions = {},
): Promise<ReadProgress> {
  const read = recordedIn(folder, jobs, options);
  const { progress } = read;
  const carried = progress && findCarried(folder, progress.folder);
  if (progress === undefined || carried === undefined) return read;
  const findLoop = async () => (await import("./run_mail.ts")).findCarriedLoop(folder, progress.folder);
  const { isCopy } = (progress.job === "run" ? await findLoop() : carried) ?? {};
  return isCopy === true ? { ...read, progress: { ...progress, ...withoutPanes(progress) } } : read;
}

function recordedIn(folder: RunFolder, jobs: readonly JobRecords[], { known, ...options }: ReadOptions): ReadProgress {
  const { journalPath } = folder;
  const stamp = known === undefined ? "" : stampOf(journalPath);
  const kept = known?.get(journalPath);
  if (kept?.stamp === stamp) return kept.read;
  const read = readRecorded(folder, jobs, options);
  known?.set(journalPath, { stamp, read });
  return read;
}

/** What tells one state of a file from another. */
export function stampOf(path: string): string {
  const { ino, mtime, size } = lstatOrUndefined(path) ?? {};
  return `${ino} ${size} ${mtime?.getTime()}`;
}

function readRecorded(
  { journalPath: path, path: folder }: RunFolder,
  jobs: readonly JobRecords[],
  options: Pick<ReadOptions, "brief">,
): ReadProgress {
  try {
    const ends = options.brief === true ? readEnds(path) : undefined;
    const read = ends === undefined ? undefined : foldText(ends, { path, folder, jobs });
    // What a run waits for stands in the records before.
    const outcome = read?.progress?.finished?.outcome;
    if (read?.problem === undefined && outcome !== undefined && outcome !== "waiting") {
      return { progress: read!.progress, problem: undefined };
    }
    return foldText(readRegularText(path, { maxBytes: MAX_JOURNAL_BYTES }), { path, folder, jobs });
  } catch (cause) {
    if (cause instanceof Deno.errors.NotFound) return { progress: undefined, problem: undefined };
    const problem = new PanewrightError(`Cannot read the journal ${path}: ${errorText(cause)}`, { cause });
    return { progress: undefined, problem };
  }
}

function foldText(
  text: string,
  options: { readonly path: string; readonly folder: string; readonly jobs: readonly JobRecords[] },
): ReadProgress {
  const { job, facts, lines, problem } = tryParseFacts(text, options);
  return { progress: job && foldProgress(job, facts), problem, sequence: lines };
}

export function foldProgress<Fact extends AnyFact>(
  job: JobRecords<Fact>,
  facts: readonly Recorded<Fact>[],
): Progress {
  return facts.reduce((before, fact) => job.progress(before, fact), initialProgress(job.id));
}
