import type { PanewrightError } from "../base/errors.ts";
import { type Condition, conditionOf } from "./condition.ts";
import { jobElsewhere } from "./run_entry.ts";
import { lstatOrUndefined } from "../base/ports/files.ts";
import { readLockHolder } from "../base/ports/lock_file.ts";
import type { JobRecords } from "../journal/job.ts";
import type { Progress } from "../journal/progress.ts";
import { allWaiting, type Waiting, withoutHosts } from "../journal/waiting.ts";
import { UnknownRecordError } from "../journal/fact_reader.ts";
import { type KnownJournals, type ReadOptions, readProgress, stampOf } from "./read_progress.ts";
import type { RunFolder } from "./run_folder.ts";
import { present } from "../base/schema.ts";

export interface RunOverview {
  readonly folder: RunFolder;
  readonly condition: Condition;
  readonly executed: boolean;
  /** Who executes it, as its lock says: `process 1234`. Undefined where nobody does, or it is not known who. */
  readonly owner: string | undefined;
  /** Undefined where nothing was written down, or it cannot be read. */
  readonly progress: Progress | undefined;
  /** The last record that is in it, from 1; missing where not all of them were counted. */
  readonly sequence?: number;
  readonly problem: PanewrightError | undefined;
  /** The job of a fleet whose run it is. */
  readonly elsewhere?: string;
  readonly question: Waiting | undefined;
  readonly answered: boolean;
  readonly questions: readonly OpenQuestion[];
}

/** What was read of runs, by the paths of their journals: as long as one is the same, it is not read again. */
export interface KnownRuns {
  readonly journals: KnownJournals;
  readonly ended: Map<string, { readonly stamp: string; readonly overview: RunOverview }>;
}

export type OpenQuestion = Waiting & { readonly answered: boolean };

/** Reads how a run is. Whatever is wrong with its folder is told as its problem. */
export async function readOverview(
  folder: RunFolder,
  jobs: readonly JobRecords[],
  { known, ...options }: Omit<ReadOptions, "known"> & { readonly known?: KnownRuns | undefined } = {},
): Promise<RunOverview> {
  const { journalPath, lockPath } = folder;
  const stamp = known === undefined ? "" : stampOf(journalPath);
  const ended = known?.ended.get(journalPath);
  // Who executes a run has its name in the lock, and ends the journal differently soon.
  if (ended?.stamp === stamp && (lstatOrUndefined(lockPath)?.size ?? 0) === 0) return ended.overview;
  // Asked first: a run that ends in between is then told as one that is executed, and not as one that was killed.
  const owner = await readLockHolder(lockPath).catch(() => undefined);
  const { progress, problem, sequence } = await readProgress(folder, jobs, {
    ...options,
    known: known?.journals,
  });
  const overview = await overviewOf(folder, { owner, progress, problem, ...present({ sequence }) });
  const { condition, executed } = overview;
  if (!executed && (condition === "passed" || condition === "failed")) {
    known?.ended.set(journalPath, { stamp, overview });
  }
  return overview;
}

/**
 * Completes what the journal of a run tells.
 *
 * @param known.owner as the lock says; undefined where no process executes the run, empty where it is not known which
 */
export async function overviewOf(
  folder: RunFolder,
  known: Pick<RunOverview, "owner" | "progress" | "sequence" | "problem">,
): Promise<RunOverview> {
  const { owner, problem, sequence } = known;
  const executed = owner !== undefined;
  // What waited for a host is gone with the process.
  const progress = executed ? known.progress : known.progress && { ...known.progress, ...withoutHosts(known.progress) };
  const open = progress === undefined ? [] : allWaiting(progress).filter(({ id }) => executed || id !== undefined);
  const [question] = open;
  const condition = conditionOf({
    executed,
    outcome: progress?.finished?.outcome,
    asked: question !== undefined,
    begun: progress !== undefined,
    damaged: problem !== undefined,
  });
  const questions = open.length === 0 ? [] : await withAnswers(folder, open);
  const answered = questions[0]?.answered === true;
  return {
    ...{ folder, condition, executed, owner: owner || undefined, progress, problem, question, answered, questions },
    ...present({ sequence, elsewhere: progress === undefined ? undefined : jobElsewhere(folder) }),
  };
}

async function withAnswers(folder: RunFolder, open: readonly Waiting[]): Promise<readonly OpenQuestion[]> {
  const { findRunMail } = await import("./run_mail.ts");
  const { readAnswer } = await import("../turn/desk/answers.ts");
  const mail = findRunMail(folder);
  return await Promise.all(open.map(async (waiting) => {
    const left = waiting.id === undefined ? undefined : await readAnswer(mail, waiting.id).catch(() => undefined);
    return { ...waiting, answered: left !== undefined };
  }));
}

/**
 * Like {@linkcode readOverview}, for a command about this one run.
 *
 * @throws {UnknownRecordError} when only a later panewright can tell how the run is
 */
export async function readRun(folder: RunFolder, jobs: readonly JobRecords[]): Promise<RunOverview> {
  const overview = await readOverview(folder, jobs);
  if (overview.problem instanceof UnknownRecordError) throw overview.problem;
  return overview;
}
