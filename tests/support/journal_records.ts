/** A record of a journal, as its line has it. */
export interface JournalRecord {
  readonly type: string;
  readonly at: string;
  readonly [field: string]: unknown;
}

/** The records of a journal, unchecked; a last line without its end does not count. */
export async function readRecords(path: string): Promise<JournalRecord[]> {
  return (await Deno.readTextFile(path)).split("\n").slice(0, -1).map((line) => JSON.parse(line));
}
