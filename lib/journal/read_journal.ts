import { PanewrightError } from "../errors.ts";

/** A record of a journal, as far as all have it. */
export interface JournalRecord {
  readonly type: string;
  /** When it was written, ISO 8601. */
  readonly at: string;
}

/**
 * The records of a journal's text, oldest first. A last line without its end was never fully written, and does not count.
 *
 * @throws {PanewrightError} when a line is no record
 * @example
 * ```ts
 * import { assertEquals } from "@std/assert";
 * const text = '{"at":"2026-11-20T07:26:05.123Z","type":"run_started"}\n{"at":"2026-11-20T07:2';
 * assertEquals(parseJournal(text, "journal.ndjson").map(({ type }) => type), ["run_started"]);
 * ```
 */
export function parseJournal(text: string, path: string): JournalRecord[] {
  return text.split("\n").slice(0, -1).map((line, index) => {
    const record = parseRecord(line);
    if (record !== undefined) return record;
    throw new PanewrightError(`Cannot read the journal ${path}: line ${index + 1} is no record`, {
      hint: "A journal is written by panewright only. The lines before it can be kept: cut the file there.",
    });
  });
}

/**
 * Reads a run's journal; it may be written to at the same time.
 *
 * @throws {PanewrightError} when it cannot be read
 */
export async function readJournal(path: string): Promise<JournalRecord[]> {
  let text: string;
  try {
    text = await Deno.readTextFile(path);
  } catch (cause) {
    const reason = cause instanceof Deno.errors.NotFound ? "there is none" : String(cause);
    throw new PanewrightError(`Cannot read the journal ${path}: ${reason}`, { cause });
  }
  return parseJournal(text, path);
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
