import type { JobRecords, JournalFolder } from "./job.ts";
import { isExecuted } from "../base/ports/lock_file.ts";
import { basename, dirname } from "@std/path/posix";
import { PanewrightError } from "../base/errors.ts";
import { type Clock, systemClock } from "../base/ports/clock.ts";
import { lstatOrUndefined } from "../base/ports/files.ts";
import { watchFolder } from "../base/follow/folder_watch.ts";
import { LineTail } from "../base/follow/line_tail.ts";
import { quickHash } from "../base/text/quick_hash.ts";
import { byteOfLine, createFactReader, type FactReader, readOrProblem } from "./fact_reader.ts";
import { MAX_JOURNAL_BYTES } from "./paths.ts";
import { readJournalText } from "./read_facts.ts";

/**
 * What a follower of a journal is told, in the order of the journal.
 *
 * - `record`: a record, with its sequence
 * - `gap`: sequences that the journal does not have any more, or that cannot be read
 * - `pause`: all that is there has been told; it comes after each look, so at least every 500 ms
 */
export type JournalEntry = JournalRecord | JournalGap | JournalPause;

export interface JournalRecord {
  readonly kind: "record";
  readonly sequence: number;
  /** As `panewright logs --json` has it: paths are absolute. */
  readonly record: ReturnType<FactReader["read"]>["record"];
  /** The same where it is a fact of the run's job; undefined where it says nothing that this version knows. */
  readonly fact: ReturnType<FactReader["read"]>["fact"];
  /** The job of the run; undefined before its first fact. */
  readonly job: JobRecords | undefined;
  readonly line: string;
}

/**
 * Sequences that are not told, or not valid any more.
 *
 * - `cut`: the journal was cut, as `resume --from-last-good` does; what it has in their place is told next
 * - `unreadable`: the first of them is not a record that this version can read; the rest waits until it was cut
 * - `removed`: the journal is gone, as after `panewright clean`; nothing follows
 */
export interface JournalGap {
  readonly kind: "gap";
  readonly why: "cut" | "unreadable" | "removed";
  readonly from: number;
  /** The last one that was told, or that the follower said to have; missing where it is not known. */
  readonly to?: number;
  /** Why it cannot be read; missing for the others. */
  readonly problem?: PanewrightError;
}

interface JournalPause {
  readonly kind: "pause";
  readonly sequence: number;
  /** Whether a process executes the run: seen before the records were read, so that none of an ended run is missing. */
  readonly executed: boolean;
}

export interface FollowJournalOptions {
  readonly jobs: readonly JobRecords[];
  readonly after?: number;
  readonly signal: AbortSignal;
  readonly clock?: Clock;
}

/**
 * While a run is executed, a change is seen in 50 ms; this often it is looked whether it still is, and whether a change
 * was missed. One that nobody executes changes only when somebody resumes or removes it.
 */
const LOOK_EVERY_MS = 500;

/**
 * Tells the records of a journal after a sequence, and then each as it is written, until the signal is aborted or the
 * journal is removed. It need not exist yet. What is not fully written does not count.
 *
 * What a follower was told stays true, or is taken back by a gap: each line that was told is known by its hash, so that
 * a journal that was cut and continued is told anew from the first line that is another one.
 *
 * @throws the signal's reason when it is aborted
 * @throws {PanewrightError} when the journal cannot be read at all: it is a link, say, or too large
 */
export async function* followJournal(
  { journalPath: path, path: folder, lockPath }: Pick<JournalFolder, "journalPath" | "path" | "lockPath">,
  { jobs, after = 0, signal, clock = systemClock }: FollowJournalOptions,
): AsyncGenerator<JournalEntry, void, void> {
  using tail = new LineTail(path);
  const changes = watchFolder(dirname(path), { files: [basename(path)], clock });
  const byteOf = (line: number) => byteOfLine(readJournalText(path), line);
  const newReader = () => createFactReader({ path, folder, jobs, byteOf });
  let reader = newReader();
  /** Of the lines that were told, or that the follower has. */
  let hashes: number[] = [];
  let known = after;
  let unreadable = false;
  for (;;) {
    signal.throwIfAborted();
    // Asked before the read: what was written before the end is then surely in it.
    const executed = await isExecuted({ lockPath });
    refuseUnlessReadable(path);
    const { lines, restarted } = await tail.read();
    let before: readonly number[] = [];
    if (restarted !== undefined) [before, hashes, reader, unreadable] = [hashes, [], newReader(), false];
    for (const line of unreadable ? [] : lines) {
      const sequence = hashes.length + 1;
      const hash = quickHash(line);
      if (before[sequence - 1] !== undefined && before[sequence - 1] !== hash && sequence <= known) {
        yield { kind: "gap", why: "cut", from: sequence, to: known };
        known = sequence - 1;
      }
      const read = readOrProblem(reader, line);
      if (read instanceof PanewrightError) {
        unreadable = true;
        yield { kind: "gap", why: "unreadable", from: sequence, problem: read };
        known = Math.min(known, sequence - 1);
        break;
      }
      hashes.push(hash);
      if (sequence <= known) continue;
      known = sequence;
      yield { kind: "record", sequence, ...read, job: reader.job, line };
    }
    if (lines.length === 0 && known > 0 && lstatOrUndefined(path) === undefined) {
      yield { kind: "gap", why: "removed", from: 1, to: known };
      return;
    }
    if (known > hashes.length) {
      yield { kind: "gap", why: "cut", from: hashes.length + 1, to: known };
      known = hashes.length;
    }
    yield { kind: "pause", sequence: known, executed };
    await (executed ? changes.wait(LOOK_EVERY_MS, signal) : clock.sleep(LOOK_EVERY_MS, signal));
  }
}

function refuseUnlessReadable(path: string): void {
  const seen = lstatOrUndefined(path);
  if (seen === undefined || (seen.isFile && seen.size <= MAX_JOURNAL_BYTES)) return;
  readJournalText(path);
}
