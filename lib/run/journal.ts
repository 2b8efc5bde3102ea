import { PanewrightError } from "../errors.ts";
import { type Fault, faultOfEnvironment, killSelf } from "../ports/fault.ts";
import { errorText } from "../text/error_text.ts";

/** The version of the records' format; it stands in the first record of each journal. */
export const JOURNAL_VERSION = 1;

/** An append-only file of facts, one JSON object a line, each on the disk before `append` returns. */
export interface Journal extends Disposable {
  /** Bytes of a record, cut off by a crash, that were dropped when the journal was opened. */
  readonly droppedBytes: number;
  /**
   * Writes one record; the time is added to it.
   *
   * @returns the time, ISO 8601
   * @throws {PanewrightError} when it cannot be written; every later record is refused then
   */
  append(record: { readonly type: string }): string;
}

/** How a journal is opened. */
export interface JournalOptions {
  /** @default {the system's time} */
  readonly wallClock?: () => Date;
  /** The command that resumes the run, for the message about a journal that cannot be written. */
  readonly resumeCommand?: string;
  /** @default {the one that PANEWRIGHT_FAULT names} */
  readonly fault?: Fault | "none";
}

/**
 * Opens the journal of a run, making it when it is new.
 *
 * A record is written and synced at once and synchronously: what is announced to a person has happened on the disk, and
 * records of things that happen at the same time keep their order. A record that a crash cut off is dropped first.
 */
export function openJournal(path: string, options: JournalOptions = {}): Journal {
  const { wallClock = () => new Date(), resumeCommand, fault = faultOfEnvironment("record") } = options;
  const resume = resumeCommand === undefined ? "resume the run." : `resume with: ${resumeCommand}`;
  const droppedBytes = dropTornRecord(path);
  const file = Deno.openSync(path, { create: true, append: true, write: true, mode: 0o600 });
  const encoder = new TextEncoder();
  let records = 0;
  let failure: PanewrightError | undefined;
  const append = (record: object): string => {
    if (failure !== undefined) throw failure;
    const at = wallClock().toISOString();
    const line = encoder.encode(`${JSON.stringify({ at, ...record })}\n`);
    const strikes = typeof fault === "object" && fault.number === ++records ? fault.when : undefined;
    try {
      if (strikes === "in") file.writeSync(line.subarray(0, line.length / 2));
      if (strikes === "before" || strikes === "in") killSelf();
      for (let written = 0; written < line.length;) written += file.writeSync(line.subarray(written));
      file.syncDataSync();
      // A file that was removed still takes records, and nobody would ever see them.
      if (file.statSync().nlink === 0) throw new Error("it was removed (by git clean -x, or rm, say)");
    } catch (cause) {
      // A part of the record may be on the disk: nothing can follow it but the next opening, which drops it.
      failure = new PanewrightError(`Cannot write the journal ${path}: ${errorText(cause)}`, {
        cause,
        hint: `What is not in the journal has not been done. When it can be written again, ${resume}`,
      });
      throw failure;
    }
    if (strikes === "after") killSelf();
    return at;
  };
  if (file.statSync().size === 0) append({ type: "journal_opened", version: JOURNAL_VERSION });
  return { droppedBytes, append, [Symbol.dispose]: () => file.close() };
}

/** The warning that a journal ended in the middle of a record. */
export function droppedRecordMessage(bytes: number): string {
  return `the last record of the journal had been cut off: its ${bytes} bytes were dropped`;
}

/** Drops what follows the last line: it was never fully written, and nobody has relied on it. */
function dropTornRecord(path: string): number {
  let file: Deno.FsFile;
  try {
    file = Deno.openSync(path, { read: true, write: true });
  } catch (error) {
    if (error instanceof Deno.errors.NotFound) return 0;
    throw error;
  }
  using _ = file;
  const chunk = new Uint8Array(TAIL_CHUNK_BYTES);
  const size = file.statSync().size;
  for (let end = size; end > 0;) {
    const start = Math.max(0, end - chunk.length);
    file.seekSync(start, Deno.SeekMode.Start);
    const read = file.readSync(chunk.subarray(0, end - start)) ?? 0;
    const newline = chunk.subarray(0, read).lastIndexOf(NEWLINE);
    if (newline >= 0 || start === 0) {
      const kept = start + newline + 1;
      if (kept < size) file.truncateSync(kept);
      return size - kept;
    }
    end = start;
  }
  return 0;
}

const NEWLINE = 0x0a;
const TAIL_CHUNK_BYTES = 64 * 1024;
