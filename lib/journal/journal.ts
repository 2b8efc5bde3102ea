/** The version of the records' format; it stands in the first record of each journal. */
export const JOURNAL_VERSION = 1;

/** An append-only file of facts, one JSON object a line, each on the disk before `append` returns. */
export interface Journal extends Disposable {
  /** Writes one record; the time is added to it. */
  append(record: { readonly type: string }): void;
}

/**
 * Opens the journal of a run, making it when it is new.
 *
 * A record is written and synced at once and synchronously: what is announced to a person has happened on the disk, and
 * records of things that happen at the same time keep their order. A record that a crash cut off is dropped first.
 */
export function openJournal(path: string, options: { readonly wallClock?: () => Date } = {}): Journal {
  const wallClock = options.wallClock ?? (() => new Date());
  dropTornRecord(path);
  const file = Deno.openSync(path, { create: true, append: true, write: true, mode: 0o600 });
  const encoder = new TextEncoder();
  const append = (record: object) => {
    const line = encoder.encode(`${JSON.stringify({ at: wallClock().toISOString(), ...record })}\n`);
    for (let written = 0; written < line.length;) written += file.writeSync(line.subarray(written));
    file.syncDataSync();
  };
  if (file.statSync().size === 0) append({ type: "journal_opened", version: JOURNAL_VERSION });
  return { append, [Symbol.dispose]: () => file.close() };
}

/** What follows the last end of a line was never fully written, and nobody has relied on it. */
function dropTornRecord(path: string): void {
  let file: Deno.FsFile;
  try {
    file = Deno.openSync(path, { read: true, write: true });
  } catch (error) {
    if (error instanceof Deno.errors.NotFound) return;
    throw error;
  }
  using _ = file;
  const chunk = new Uint8Array(TAIL_CHUNK_BYTES);
  for (let end = file.statSync().size; end > 0;) {
    const start = Math.max(0, end - chunk.length);
    file.seekSync(start, Deno.SeekMode.Start);
    const read = file.readSync(chunk.subarray(0, end - start)) ?? 0;
    const newline = chunk.subarray(0, read).lastIndexOf(NEWLINE);
    if (newline >= 0 || start === 0) return file.truncateSync(start + newline + 1);
    end = start;
  }
}

const NEWLINE = 0x0a;
const TAIL_CHUNK_BYTES = 64 * 1024;
