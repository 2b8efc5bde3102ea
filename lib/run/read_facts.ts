import { PanewrightError, UsageError } from "../errors.ts";
import { VERSION } from "../version.ts";
import type { AnyFact, Job, Recorded } from "./job.ts";
import { JOB_IDS } from "./progress.ts";
import { JOURNAL_VERSION } from "./journal.ts";
import { DamagedJournalError, type JournalRecord, readJournalText } from "./read_journal.ts";
import type { RunFolder } from "./run_folder.ts";
import { type Fields, findWrongField, isObject, number } from "../schema.ts";

/** What a journal holds, as far as it was read. */
export interface JournalFacts<Fact extends AnyFact = AnyFact, State = unknown> {
  /** Undefined where the run was broken off before its first fact. */
  readonly job: Job<Fact, State> | undefined;
  /** Oldest first. */
  readonly facts: readonly Recorded<Fact>[];
}

/**
 * A journal with something in it that only a later panewright knows, and that must not be passed over. Nothing may be
 * concluded from such a journal, and nothing written to it.
 */
export class UnknownRecordError extends UsageError {
  override name = "UnknownRecordError";
}

/** Where a journal is, and whose facts it may hold. */
export interface FactReaderOptions {
  /** For messages. */
  readonly path: string;
  /** The jobs that are known. */
  readonly jobs: readonly Job[];
  /** The byte at which a line begins, from 0; asked for when the line cannot be read. */
  readonly byteOf: (line: number) => number;
  /** Whether a fact of a known type is believed to have the fields of its type. @default {false} */
  readonly unchecked?: boolean;
}

/** Reads a journal line by line. */
export interface FactReader {
  /** The job of the run, once its first fact was read. */
  readonly job: Job | undefined;
  /**
   * Reads the next line.
   *
   * @returns `fact` is undefined for the record that opens a journal, and for one that may be passed over
   * @throws {DamagedJournalError} when it is not a record, or a field of it is not what its type has
   * @throws {UnknownRecordError} when it is a record that this version does not know
   */
  read(line: string): { readonly record: ReadRecord; readonly fact: Recorded<AnyFact> | undefined };
}

const OPENED: Fields = { version: number };

/** Begins to read a journal. */
export function createFactReader({ path, jobs, byteOf, unchecked = false }: FactReaderOptions): FactReader {
  let job: Job | undefined;
  let facts: ReadonlyMap<string, Fields> = new Map();
  let line = 0;
  let version = JOURNAL_VERSION;
  let writer = "";
  const place = () => ({ line, byte: byteOf(line) });
  const unknown = (what: string) =>
    new UnknownRecordError(...unknownMessage({ path, ...place(), what, version, writer }));
  const check = (record: ReadRecord, fields: Fields) => {
    const wrong = findWrongField(record, fields);
    if (wrong !== undefined) {
      throw new DamagedJournalError(path, place(), `its "${wrong}" is not that of ${record.type}`);
    }
  };
  return {
    get job() {
      return job;
    },
    read(text) {
      line++;
      const record = parseRecord(text);
      if (record === undefined) throw new DamagedJournalError(path, place());
      if (record.type === "journal_opened") {
        check(record, OPENED);
        version = Number(record.version);
        if (version > JOURNAL_VERSION) throw unknown(`opens a journal of version ${version}`);
        return { record, fact: undefined };
      }
      if (record.type === "run_started" || record.type === "run_resumed") {
        if (typeof record.panewright === "string") writer = record.panewright;
        job ??= jobs.find(({ id }) => id === record.job);
        facts = new Map(Object.entries(job?.facts ?? {}));
      }
      const fields = facts.get(record.type);
      if (fields !== undefined) {
        if (!unchecked) check(record, fields);
        return { record, fact: record };
      }
      if (record.passable === true) return { record, fact: undefined };
      if (JOB_IDS.some((id) => record.type === "run_started" && id === record.job)) {
        throw new UsageError(`Cannot use the journal ${path}: it is of a run of "panewright ${record.job}"`);
      }
      if (job === undefined && jobs.some(({ facts }) => Object.hasOwn(facts, record.type))) {
        if (record.type === "run_started" && typeof record.job === "string") {
          throw unknown(`starts the job "${record.job}"`);
        }
        throw new DamagedJournalError(path, place(), "it comes before the start of the run");
      }
      throw unknown(`has the type "${record.type}"`);
    },
  };
}

/**
 * The facts of a journal's text. A last line without its end was never fully written, and does not count.
 *
 * @returns what came before the problem, if there is one
 */
export function tryParseFacts(
  text: string,
  options: Omit<FactReaderOptions, "byteOf">,
): JournalFacts & { readonly problem: PanewrightError | undefined } {
  const lines = text.split("\n").slice(0, -1);
  const reader = createFactReader({ ...options, byteOf: (line) => byteOfLine(text, line) });
  const facts: Recorded<AnyFact>[] = [];
  try {
    for (const line of lines) {
      const { fact } = reader.read(line);
      if (fact !== undefined) facts.push(fact);
    }
  } catch (problem) {
    if (problem instanceof PanewrightError) return { job: reader.job, facts, problem };
    throw problem;
  }
  return { job: reader.job, facts, problem: undefined };
}

/** Like {@linkcode tryParseFacts}, and throws the problem. */
export function parseFacts(text: string, options: Pick<FactReaderOptions, "path" | "jobs">): JournalFacts {
  const { problem, ...read } = tryParseFacts(text, options);
  if (problem !== undefined) throw problem;
  return read;
}

/**
 * Reads the facts of a run; its journal may be written to at the same time.
 *
 * @throws {UnknownRecordError} when it has a record that this version does not know and must not pass over
 * @throws {PanewrightError} when it is damaged, or cannot be read
 */
export async function readFacts(path: string, jobs: readonly Job[]): Promise<JournalFacts> {
  return parseFacts(await readJournalText(path), { path, jobs });
}

/**
 * Reads the facts of a run of one job.
 *
 * @throws {UsageError} when it is a run of another job, or was broken off before its first fact
 * @throws like {@linkcode readFacts}
 */
export async function readFactsOf<Fact extends AnyFact, State>(
  job: Job<Fact, State>,
  { id, journalPath }: RunFolder,
): Promise<JournalFacts<Fact, State>> {
  const journal = await readFacts(journalPath, [job]);
  if (isJournalOf(journal, job)) return journal;
  throw new UsageError(`Cannot resume run ${id}: it was broken off before it began`, {
    hint: "Nothing was done yet: start it anew.",
  });
}

/** The state that a journal's facts lead to. */
export async function foldFacts<Fact extends AnyFact, State>(
  { facts }: JournalFacts<Fact, State>,
  { job, folder }: { readonly job: Job<Fact, State>; readonly folder: RunFolder },
): Promise<State> {
  const recalled = await Promise.all(facts.map((fact) => job.recall?.(fact, folder) ?? fact));
  return recalled.reduce((state, fact) => job.fold(state, fact), job.initial);
}

/** Whether a journal is one of a job; its facts are then that job's. */
export function isJournalOf<Fact extends AnyFact, State>(
  journal: JournalFacts,
  job: Job<Fact, State>,
): journal is JournalFacts<Fact, State> {
  return journal.job?.id === job.id;
}

/** The byte at which a line of a text begins, from 0. */
export function byteOfLine(text: string, line: number): number {
  const before = text.split("\n", line - 1).map((one) => `${one}\n`).join("");
  return new TextEncoder().encode(before).length;
}

function unknownMessage(
  { path, line, byte, what, version, writer }: {
    readonly path: string;
    readonly line: number;
    readonly byte: number;
    readonly what: string;
    readonly version: number;
    readonly writer: string;
  },
): [message: string, options: { readonly hint: string }] {
  const later = writer === "" || writer === VERSION ? `a later version than ${VERSION}` : `version ${writer} or later`;
  return [
    `Cannot read the journal ${path}: line ${line} (byte ${byte}) ${what}, which panewright ${VERSION} ` +
    `(journal version ${JOURNAL_VERSION}) does not know; the journal has version ${version}`,
    { hint: `A later panewright has written it. Use ${later}; until then the run is left as it is.` },
  ];
}

type ReadRecord = JournalRecord & Readonly<Record<string, unknown>>;

function parseRecord(line: string): ReadRecord | undefined {
  try {
    const record: unknown = JSON.parse(line);
    return isRecord(record) ? record : undefined;
  } catch {
    return undefined;
  }
}

function isRecord(value: unknown): value is ReadRecord {
  return isObject(value) && typeof value.type === "string" && typeof value.at === "string";
}
