import { PanewrightError, UsageError } from "../base/errors.ts";
import { type Fields, findWrongField, isObject, number } from "../base/schema.ts";
import { VERSION } from "../base/version.ts";
import type { AnyFact, JobRecords, Recorded } from "./job.ts";
import { JOURNAL_VERSION, type MapPath, readPaths } from "./paths.ts";
import { JOB_IDS } from "./run_facts.ts";

interface JournalPlace {
  readonly line: number;
  readonly byte: number;
}

/** A journal with a line that is not a record, or not a valid one. */
export class DamagedJournalError extends PanewrightError {
  override name = "DamagedJournalError";

  constructor(
    readonly path: string,
    readonly place: JournalPlace,
    detail?: string,
  ) {
    const what = detail === undefined ? "is not a record" : `is not a valid record: ${detail}`;
    super(`Cannot read the journal ${path}: line ${place.line} (byte ${place.byte}) ${what}`, {
      hint:
        'Somebody else has written to it, or the disk has lost a part. "panewright resume RUN --from-last-good" resumes ' +
        "from the record before; what follows is kept in a file beside it.",
    });
  }
}

/**
 * A journal with something in it that only a later panewright knows, and that must not be passed over. Nothing may be
 * concluded from such a journal, and nothing written to it.
 */
export class UnknownRecordError extends UsageError {
  override name = "UnknownRecordError";

  /**
   * @param what as the rest of a sentence that begins with the line
   * @param by the version of the journal, and the panewright that wrote last, as far as the journal tells
   */
  constructor(what: string, by: { readonly path: string; readonly place: JournalPlace } & JournalWriter) {
    const { path, place: { line, byte }, version, panewright } = by;
    const needed = panewright === undefined || panewright === VERSION
      ? `a later version than ${VERSION}`
      : `version ${panewright} or later`;
    super(
      `Cannot read the journal ${path}: line ${line} (byte ${byte}) ${what}, which panewright ${VERSION} ` +
        `(journal version ${JOURNAL_VERSION}) does not know; the journal has version ${version}`,
      { hint: `A later panewright has written it. Use ${needed}; until then the run is left as it is.` },
    );
  }
}

interface JournalWriter {
  readonly version: number;
  readonly panewright: string | undefined;
}

export interface FactReaderOptions {
  /** The journal, for messages. */
  readonly path: string;
  /** The run's folder, absolute. */
  readonly folder: string;
  readonly jobs: readonly JobRecords[];
  /** The byte at which a line begins, from 0; asked for when the line cannot be read. */
  readonly byteOf: (line: number) => number;
}

export interface FactReader {
  readonly version: number;
  readonly job: JobRecords | undefined;
  /**
   * Reads the next line; paths are made absolute.
   *
   * @returns `fact` is undefined for the record that opens a journal, and for one that may be passed over
   * @throws {DamagedJournalError} when it is not a record, or a field of it is not what its type has
   * @throws {UnknownRecordError} when it is a record that this version does not know
   */
  read(line: string): { readonly record: ReadRecord; readonly fact: Recorded<AnyFact> | undefined };
}

const OPENED: Fields = { version: number };

export function createFactReader({ path, folder, jobs, byteOf }: FactReaderOptions): FactReader {
  let job: JobRecords | undefined;
  let facts: ReadonlyMap<string, Fields> = new Map();
  let map: MapPath = (path) => path;
  let line = 0;
  let writer: JournalWriter = { version: JOURNAL_VERSION, panewright: undefined };
  const place = () => ({ line, byte: byteOf(line) });
  const damaged = (detail?: string) => new DamagedJournalError(path, place(), detail);
  const unknown = (what: string) => new UnknownRecordError(what, { path, place: place(), ...writer });
  const check = (record: ReadRecord, fields: Fields) => {
    const wrong = findWrongField(record, fields);
    if (wrong !== undefined) throw damaged(`its "${wrong}" is not that of ${record.type}`);
  };
  const opened = (record: ReadRecord) => {
    check(record, OPENED);
    writer = { ...writer, version: Number(record.version) };
    if (writer.version > JOURNAL_VERSION) throw unknown(`opens a journal of version ${writer.version}`);
    return { record, fact: undefined };
  };
  /** Before the start of a run, and for what its job does not know. */
  const strange = ({ type, job: id }: ReadRecord) => {
    if (type !== "run_started" || job !== undefined || typeof id !== "string") {
      const isEarly = job === undefined && jobs.some(({ facts }) => Object.hasOwn(facts, type));
      return isEarly ? damaged("it comes before the start of the run") : unknown(`has the type "${type}"`);
    }
    return JOB_IDS.some((known) => known === id)
      ? new UsageError(`Cannot use the journal ${path}: it is of a run of "panewright ${id}"`)
      : unknown(`starts the job "${id}"`);
  };
  return {
    get version() {
      return writer.version;
    },
    get job() {
      return job;
    },
    read(text) {
      line++;
      const record = parseRecord(text);
      if (record === undefined) throw damaged();
      const { type, panewright } = record;
      if (typeof panewright === "string") writer = { ...writer, panewright };
      if (type === "journal_opened") return opened(record);
      if (type === "run_started" && job === undefined) {
        job = jobs.find(({ id }) => id === record.job);
        facts = new Map(Object.entries(job?.facts ?? {}));
      }
      const fields = facts.get(type);
      if (fields !== undefined) {
        check(record, fields);
        if (type === "run_started") map = readPaths(folder, String(record.workdir));
        const fact = { ...record, ...job?.mapPaths?.(record, map) };
        return { record: fact, fact };
      }
      if (record.passable !== true) throw strange(record);
      return { record, fact: undefined };
    },
  };
}

/** What {@linkcode FactReader.read} comes to, or why the line cannot be read. */
export function readOrProblem(reader: FactReader, line: string): ReturnType<FactReader["read"]> | PanewrightError {
  try {
    return reader.read(line);
  } catch (error) {
    if (error instanceof PanewrightError) return error;
    throw error;
  }
}

export function byteOfLine(text: string, line: number): number {
  const before = text.split("\n", line - 1).map((one) => `${one}\n`).join("");
  return new TextEncoder().encode(before).length;
}

type ReadRecord = Recorded<AnyFact> & Readonly<Record<string, unknown>>;

function parseRecord(line: string): ReadRecord | undefined {
  try {
    const { prev: _, ...record } = JSON.parse(line);
    return isRecord(record) ? record : undefined;
  } catch {
    return undefined;
  }
}

function isRecord(value: unknown): value is ReadRecord {
  return isObject(value) && typeof value.type === "string" && typeof value.at === "string";
}
