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
 * records of things that happen at the same time keep their order.
 */
export function openJournal(path: string, options: { readonly wallClock?: () => Date } = {}): Journal {
  const wallClock = options.wallClock ?? (() => new Date());
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
