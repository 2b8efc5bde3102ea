import { PanewrightError } from "../errors.ts";
import { JOURNAL_VERSION } from "./journal.ts";

/** A record of a journal, as far as all have it. */
export interface JournalRecord {
  readonly type: string;
  /** When it was written, ISO 8601. */
  readonly at: string;
}

/** A journal with something in it that is no record. */
export class DamagedJournalError extends PanewrightError {
  override name = "DamagedJournalError";

  constructor(
    readonly path: string,
    /** The first line that is no record, from 1, and the byte at which it begins, from 0. */
    readonly place: { readonly line: number; readonly byte: number },
    /** What is wrong with it. */
    detail?: string,
  ) {
    const what = detail === undefined ? "is not a record" : `is not a valid record: ${detail}`;
    super(`Cannot read the journal ${path}: line ${place.line} (byte ${place.byte}) ${what}`, {
      hint:
        'Somebody else has written to it, or the disk has lost a part. "panewright resume RUN --from-last-good" goes on ' +
        "from the record before; what follows is kept in a file beside it.",
    });
  }
}

/**
 * The records of a journal's text, oldest first. A last line without its end was never fully written, and does not count.
 *
 * @throws {DamagedJournalError} when a line is no record
 * @throws {PanewrightError} when it was written by a later version
 * @example
 * ```ts
 * import { assertEquals } from "@std/assert";
 * const text = '{"at":"2026-11-20T07:26:05.123Z","type":"run_started"}\n{"at":"2026-11-20T07:2';
 * assertEquals(parseJournal(text, "journal.ndjson").map(({ type }) => type), ["run_started"]);
 * ```
 */
export function parseJournal(text: string, path: string): JournalRecord[] {
  const lines = text.split("\n").slice(0, -1);
  const records = lines.map((line, index) => {
    const record = parseRecord(line);
    if (record !== undefined) return record;
    const before = lines.slice(0, index).map((one) => `${one}\n`).join("");
    throw new DamagedJournalError(path, { line: index + 1, byte: new TextEncoder().encode(before).length });
  });
  const [first] = records;
  if (first?.type === "journal_opened" && "version" in first && Number(first.version) > JOURNAL_VERSION) {
    throw new PanewrightError(`Cannot read the journal ${path}: it has version ${first.version}`, {
      hint: `This panewright knows journals up to version ${JOURNAL_VERSION}: use the one that began the run.`,
    });
  }
  return records;
}

/**
 * Reads a run's journal; it may be written to at the same time.
 *
 * @throws {PanewrightError} when it cannot be read
 */
export async function readJournal(path: string): Promise<JournalRecord[]> {
  return parseJournal(await readJournalText(path), path);
}

/** A journal's last whole record; `undefined` where it has none. */
export async function readLastRecord(path: string): Promise<JournalRecord | undefined> {
  const line = (await readJournalText(path)).split("\n").at(-2);
  return line === undefined ? undefined : parseRecord(line);
}

/**
 * Cuts a damaged journal before the first line that is no record. What follows is kept in a file beside it.
 *
 * @returns what was cut off; `undefined` where the journal is whole
 */
export async function cutDamagedJournal(
  path: string,
): Promise<{ readonly line: number; readonly keptAs: string; readonly bytes: number } | undefined> {
  try {
    await readJournal(path);
    return undefined;
  } catch (error) {
    if (!(error instanceof DamagedJournalError)) throw error;
    const { line, byte } = error.place;
    const rest = (await Deno.readFile(path)).subarray(byte);
    const keptAs = await writeBeside(`${path}.damaged`, rest);
    await Deno.truncate(path, byte);
    return { line, keptAs, bytes: rest.length };
  }
}

async function writeBeside(base: string, bytes: Uint8Array): Promise<string> {
  for (let number = 1;; number++) {
    const path = `${base}-${number}`;
    try {
      await Deno.writeFile(path, bytes, { createNew: true, mode: 0o600 });
      return path;
    } catch (error) {
      if (!(error instanceof Deno.errors.AlreadyExists)) throw error;
    }
  }
}

/**
 * The text of a journal.
 *
 * @throws {PanewrightError} when it cannot be read
 */
export async function readJournalText(path: string): Promise<string> {
  try {
    return await Deno.readTextFile(path);
  } catch (cause) {
    const reason = cause instanceof Deno.errors.NotFound ? "it does not exist" : String(cause);
    throw new PanewrightError(`Cannot read the journal ${path}: ${reason}`, { cause });
  }
}

function parseRecord(line: string): JournalRecord | undefined {
  try {
    const record: unknown = JSON.parse(line);
    const isRecord = typeof record === "object" && record !== null && "type" in record && "at" in record &&
      typeof record.type === "string" && typeof record.at === "string";
    return isRecord ? record as JournalRecord : undefined;
  } catch {
    return undefined;
  }
}
