import { openCopy } from "./copy.ts";
import { hashOfLine } from "./chain.ts";
import { JOURNAL_VERSION } from "./paths.ts";
import { PanewrightError } from "../base/errors.ts";
import type { Mirror } from "../base/ports/mirror.ts";
import { joinBytes } from "../base/ports/bytes.ts";
import { type Fault, faultOfEnvironment, killSelf } from "../base/ports/fault.ts";
import { openRegularFile, type RegularFile, UnreadableFileError } from "../base/ports/regular_file.ts";
import { errorText } from "../base/text/error_text.ts";
import type { AnyFact } from "./job.ts";

/** An append-only file of facts, one JSON object a line, each on the disk before `append` returns. */
interface Journal extends Disposable {
  /** Bytes of a record, cut off by a crash, that were dropped when the journal was opened. */
  readonly droppedBytes: number;
  /**
   * Writes one record; the time is added to it.
   *
   * @returns the time, ISO 8601
   * @throws {PanewrightError} when it cannot be written; every later record is refused then, but a last one
   */
  append(record: { readonly type: string }): string;
  /**
   * Writes the record that says how the run ended; also after a failure, as nothing relies on what it follows.
   *
   * @throws like `append`
   */
  appendLast(record: { readonly type: string }): string;
}

interface JournalOptions {
  readonly wallClock?: () => Date;
  /** The command that resumes the run, for the message about a journal that cannot be written. */
  readonly resumeCommand?: string;
  readonly fault?: Fault | "none";
  /** The file that gets each record after the journal has it, for people and tools; what is in it is not believed. */
  readonly copyPath?: string | undefined;
  /** Has the folder of the copy be there, where somebody has removed it. */
  readonly restore?: () => void;
  /** Told that the copy was changed by somebody, or cannot be written. */
  readonly warn?: (message: string) => void;
  /** Keeps each record elsewhere as well: one that it does not take was not written. */
  readonly mirror?: Mirror | undefined;
}

/**
 * Opens the journal of a run, making it when it is new.
 *
 * A record is written and synced at once and synchronously: what is announced to a person has happened on the disk, and
 * records of things that happen at the same time keep their order. A record that a crash cut off is dropped first.
 */
export function openJournal(path: string, options: JournalOptions = {}): Journal {
  const { wallClock = () => new Date(), resumeCommand, fault = faultOfEnvironment("record") } = options;
  const { copyPath, mirror, restore, warn } = options;
  const resume = resumeCommand === undefined ? "resume the run." : `resume with: ${resumeCommand}`;
  using opened = new DisposableStack();
  const { file, droppedBytes } = openFile(path);
  opened.use(file);
  const copy = copyPath === undefined || copyPath === path
    ? undefined
    : opened.use(openCopy(copyPath, { of: path, restore, warn }));
  const encoder = new TextEncoder();
  let before = hashOfEnd(file);
  /** Of those that the fault counts. */
  let counted = 0;
  let failure: PanewrightError | undefined;
  let isTorn = false;
  const write = (record: AnyFact): string => {
    const at = wallClock().toISOString();
    const text = encoder.encode(JSON.stringify({ at, prev: before, ...record }));
    const line = joinBytes([text, LINE_END]);
    let size: number | undefined;
    const strikes =
      typeof fault === "object" && (fault.type ?? record.type) === record.type && fault.number === ++counted
        ? fault.when
        : undefined;
    try {
      size = file.stat().size;
      if (strikes === "in") file.write(line.subarray(0, line.length / 2));
      if (strikes === "before" || strikes === "in") killSelf();
      file.write(line);
      file.sync();
      // A file that was removed still takes records, and nobody would ever see them.
      if (file.stat().nlink === 0) throw new Error("it was removed (by git clean -x, or rm, say)");
      mirror?.(line);
    } catch (cause) {
      isTorn = size === undefined || !cutBack(file, size);
      failure = new PanewrightError(`Cannot write the journal ${path}: ${errorText(cause)}`, {
        cause,
        hint: `What is not in the journal has not been done. When it can be written again, ${resume}`,
      });
      throw failure;
    }
    before = hashOfLine(text);
    copy?.add(line);
    if (strikes === "after") killSelf();
    return at;
  };
  const append = (record: AnyFact): string => {
    if (failure !== undefined) throw failure;
    return write(record);
  };
  const appendLast = (record: AnyFact): string => {
    if (failure !== undefined && isTorn) throw failure;
    return write(record);
  };
  if (file.stat().size === 0 || isOfEarlierVersion(file)) append(OPENED);
  const resources = opened.move();
  return { droppedBytes, append, appendLast, [Symbol.dispose]: () => resources.dispose() };
}

/**
 * Drops the part of a record that a failed write may have left. Where that fails as well, nothing can follow but the
 * next opening, which drops it.
 *
 * @returns whether the file ends with a whole record
 */
function cutBack(file: RegularFile, size: number): boolean {
  try {
    if (file.stat().size > size) file.truncate(size);
    return true;
  } catch {
    return false;
  }
}

export function droppedRecordMessage(bytes: number): string {
  return `the last record of the journal had been cut off: its ${bytes} bytes were dropped`;
}

function openFile(path: string): { readonly file: RegularFile; readonly droppedBytes: number } {
  try {
    const file = openRegularFile(path, { access: "append", create: true });
    return { file, droppedBytes: dropTornRecord(file) };
  } catch (cause) {
    if (!(cause instanceof UnreadableFileError)) throw cause;
    throw new PanewrightError(`Cannot write the journal ${path}: ${cause.message}`, { cause });
  }
}

/** What the next line names: the hash of the last one where that is chained, else of all the text. */
function hashOfEnd(file: RegularFile): string {
  const { size } = file.stat();
  for (let length = TAIL_CHUNK_BYTES;; length *= 2) {
    const start = Math.max(0, size - length);
    const bytes = new Uint8Array(size - start);
    file.readAt(start, bytes);
    const lineStart = bytes.subarray(0, -1).lastIndexOf(NEWLINE) + 1;
    if (lineStart === 0 && start > 0) continue;
    const last = bytes.subarray(lineStart, -1);
    if (isChained(last)) return hashOfLine(last);
    if (start === 0) return hashOfLine(bytes);
  }
}

const OPENED = { type: "journal_opened", version: JOURNAL_VERSION };

/** Whether no record of it is of this version yet: only one that begins with an earlier version is read as a whole. */
function isOfEarlierVersion(file: RegularFile): boolean {
  const first = /^[^\n]*"type":"journal_opened","version":(\d+)\}\n/.exec(headOf(file, FIRST_RECORD_BYTES))?.[1];
  if (first === undefined || first === String(JOURNAL_VERSION)) return false;
  const later = new RegExp(`"type":"journal_opened","version":${JOURNAL_VERSION}[,}]`);
  return !later.test(headOf(file, file.stat().size));
}

function headOf(file: RegularFile, length: number): string {
  const bytes = new Uint8Array(length);
  return new TextDecoder().decode(bytes.subarray(0, file.readAt(0, bytes)));
}

/** Drops what follows the last line: it was never fully written, and nobody has relied on it. */
function dropTornRecord(file: RegularFile): number {
  const chunk = new Uint8Array(TAIL_CHUNK_BYTES);
  const { size } = file.stat();
  for (let end = size; end > 0;) {
    const start = Math.max(0, end - chunk.length);
    const read = file.readAt(start, chunk.subarray(0, end - start));
    const newline = chunk.subarray(0, read).lastIndexOf(NEWLINE);
    if (newline >= 0 || start === 0) {
      const kept = start + newline + 1;
      if (kept < size) file.truncate(kept);
      return size - kept;
    }
    end = start;
  }
  return 0;
}

const NEWLINE = 0x0a;
const LINE_END = Uint8Array.of(NEWLINE);
const FIRST_RECORD_BYTES = 256;
const TAIL_CHUNK_BYTES = 64 * 1024;

function isChained(line: Uint8Array): boolean {
  try {
    return typeof JSON.parse(new TextDecoder().decode(line)).prev === "string";
  } catch {
    return false;
  }
}
