import { canonicalJson } from "../../base/text/json.ts";
import { sha256Hex } from "../../base/text/digest.ts";

/** The version of the records' format; it stands in the first record of each log. */
export const AUDIT_VERSION = 1;

/** What the first record names as the one before it. */
export const NO_HASH = "0".repeat(64);

/** The fields that every record has. `hash` is the SHA-256 of all others, in canonical JSON. */
export interface ChainedRecord {
  /** From 1 on, without gaps. */
  readonly seq: number;
  readonly prev: string;
  readonly hash: string;
  /** When it was written, ISO 8601, UTC. */
  readonly at: string;
  readonly run: string;
  readonly type: string;
  readonly [key: string]: unknown;
}

export interface AuditEnd {
  readonly records: number;
  readonly hash: string;
}

/**
 * What is wrong with a log that once ended so, as the rest of a sentence that begins with the log; `undefined` if it
 * continues from each of these ends.
 */
export function findCut(records: readonly ChainedRecord[], ends: readonly AuditEnd[]): string | undefined {
  const most = Math.max(0, ...ends.map((end) => end.records));
  if (records.length < most) return `had ${most} records, and has ${records.length}`;
  const other = ends.find((end) => records[end.records - 1]?.hash !== end.hash);
  return other === undefined ? undefined : `is not the one that its run wrote: record ${other.records} is another one`;
}

export type AuditVerdict =
  | {
    readonly intact: true;
    readonly records: readonly ChainedRecord[];
    readonly torn: boolean;
  }
  | {
    readonly intact: false;
    readonly records: readonly ChainedRecord[];
    readonly line: number;
    readonly problem: string;
  };

/** Makes the line of the next record. */
export async function chainRecord(
  fields: Omit<ChainedRecord, "seq" | "prev" | "hash">,
  before: Pick<ChainedRecord, "seq" | "hash">,
): Promise<ChainedRecord> {
  const unsigned = { ...fields, seq: before.seq + 1, prev: before.hash };
  return { ...unsigned, hash: await hashOf(unsigned) } as ChainedRecord;
}

function hashOf(fields: object): Promise<string> {
  return sha256Hex(canonicalJson(fields));
}

/**
 * Checks a log's chain from its first record on.
 *
 * Finds every record that was changed, added, moved or removed after others were written. Someone who can write the
 * file can also write a new chain, or cut it at the end of a record: keep the last hash elsewhere against that.
 */
export async function checkChain(text: string): Promise<AuditVerdict> {
  const records: ChainedRecord[] = [];
  const lines = text.split("\n");
  const torn = lines.pop() !== "";
  let before: Pick<ChainedRecord, "seq" | "hash" | "run"> | undefined;
  for (const [index, line] of lines.entries()) {
    const broken = (problem: string): AuditVerdict => ({ intact: false, records, line: index + 1, problem });
    const record = readRecord(line);
    if (record === undefined) return broken("is not a record");
    const { hash, ...unsigned } = record;
    if (hash !== await hashOf(unsigned) || line !== canonicalJson(record)) {
      return broken("was changed after it was written");
    }
    if (record.seq !== (before?.seq ?? 0) + 1) {
      return broken(`has the number ${record.seq}, where ${(before?.seq ?? 0) + 1} belongs`);
    }
    if (record.prev !== (before?.hash ?? NO_HASH)) return broken("does not follow the record before it");
    if (before !== undefined && record.run !== before.run) return broken(`belongs to another run, ${record.run}`);
    records.push(record);
    before = record;
  }
  return { intact: true, records, torn };
}

/**
 * The records of a log up to the first line that is not one, unchecked: to be shown beside what {@linkcode checkChain}
 * says.
 */
export function readAuditRecords(text: string): readonly ChainedRecord[] {
  const records: ChainedRecord[] = [];
  for (const line of text.split("\n")) {
    const record = readRecord(line);
    if (record === undefined) break;
    records.push(record);
  }
  return records;
}

function readRecord(line: string): ChainedRecord | undefined {
  let value: unknown;
  try {
    value = JSON.parse(line);
  } catch {
    return undefined;
  }
  if (typeof value !== "object" || value === null) return undefined;
  const { seq, prev, hash, at, run, type } = value as Record<string, unknown>;
  const texts = [prev, hash, at, run, type].every((field) => typeof field === "string");
  return texts && Number.isSafeInteger(seq) ? value as ChainedRecord : undefined;
}
