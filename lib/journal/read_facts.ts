import type { AnyFact, Job, JobRecords, JournalFolder, Recorded } from "./job.ts";
import { PanewrightError, UsageError } from "../base/errors.ts";
import { openRegularFile, readRegularFile, readRegularText, type RegularFile } from "../base/ports/regular_file.ts";
import { MAX_JOURNAL_BYTES } from "./paths.ts";
import { errorText } from "../base/text/error_text.ts";
import {
  byteOfLine,
  createFactReader,
  DamagedJournalError,
  type FactReaderOptions,
  readOrProblem,
} from "./fact_reader.ts";

type JournalPlaces = Pick<JournalFolder, "journalPath" | "path">;

export interface JournalFacts<Fact extends AnyFact = AnyFact, State = unknown> {
  /** Undefined where the run was broken off before its first fact. */
  readonly job: JobRecords<Fact> | undefined;
  readonly version: number;
  readonly lines: number;
  readonly facts: readonly Recorded<Fact>[];
  /** How many facts at the beginning come from where agents could write. */
  readonly unproven: number;
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
  let read = 0;
  let unproven = 0;
  const result = (problem: PanewrightError | undefined) => (
    { version: reader.version, job: reader.job, lines: read, facts, unproven, problem }
  );
  for (const line of lines) {
    const found = readOrProblem(reader, line);
    if (found instanceof PanewrightError) return result(found);
    read++;
    if (found.fact !== undefined) facts.push(found.fact);
    if (found.record.type === "journal_opened" && found.record["unproven"] === true) unproven = facts.length;
  }
  return result(undefined);
}

/**
 * Reads the facts of a run; its journal may be written to at the same time.
 *
 * @throws {UnknownRecordError} when it has a record that this version does not know and must not pass over
 * @throws {PanewrightError} when it is damaged, or cannot be read
 */
export function readFacts(
  { journalPath: path, path: folder }: JournalPlaces,
  jobs: readonly JobRecords[],
): Promise<JournalFacts> {
  return Promise.try(() => {
    const { problem, ...read } = tryParseFacts(readJournalText(path), { path, folder, jobs });
    if (problem !== undefined) throw problem;
    return read;
  });
}

/**
 * Reads the facts of a run of one job.
 *
 * @throws {UsageError} when it is a run of another job, or was broken off before its first fact
 * @throws like {@linkcode readFacts}
 */
export async function readFactsOf<Fact extends AnyFact, State>(
  job: Job<Fact, State>,
  folder: JournalFolder,
): Promise<JournalFacts<Fact, State>> {
  const journal = await readFacts(folder, [job]);
  if (isJournalOf(journal, job)) return journal;
  throw notBegun(folder.id);
}

export function notBegun(id: string): UsageError {
  return new UsageError(`Cannot resume run ${id}: it was interrupted before it began`, {
    hint: "Nothing was done yet: start it again.",
  });
}

/**
 * The state that a journal's facts lead to.
 *
 * @param onFact told each fact with the state before it
 */
export async function foldFacts<Fact extends AnyFact, State>(
  { facts, unproven }: JournalFacts<Fact, State>,
  { job, folder, onFact }: {
    readonly job: Job<Fact, State>;
    readonly folder: JournalFolder;
    readonly onFact?: (fact: Recorded<Fact>, before: State) => void;
  },
): Promise<State> {
  const recalled = await Promise.all(facts.map((fact) => job.recall?.(fact, folder) ?? fact));
  const fold = (from: State, some: readonly Recorded<Fact>[]) =>
    some.reduce((state, fact) => {
      onFact?.(fact, state);
      return job.fold(state, fact);
    }, from);
  const before = fold(job.initial, recalled.slice(0, unproven));
  return fold(unproven === 0 ? before : job.distrust?.(before) ?? before, recalled.slice(unproven));
}

export function isJournalOf<Fact extends AnyFact, State>(
  journal: JournalFacts,
  job: Job<Fact, State>,
): journal is JournalFacts<Fact, State> {
  return journal.job?.id === job.id;
}

/**
 * The text of a journal.
 *
 * @throws {PanewrightError} when it cannot be read
 */
export function readJournalText(path: string): string {
  try {
    return readRegularText(path, { maxBytes: MAX_JOURNAL_BYTES });
  } catch (cause) {
    const reason = cause instanceof Deno.errors.NotFound ? "it does not exist" : errorText(cause);
    throw new PanewrightError(`Cannot read the journal ${path}: ${reason}`, { cause });
  }
}

/**
 * Cuts a damaged journal before the first line that cannot be read. What follows is kept in a file beside it.
 *
 * @throws {UnknownRecordError} when only a later version can read it: nothing is cut then
 * @returns what was cut off; `undefined` where the journal is whole
 */
export async function cutDamagedJournal(
  folder: JournalPlaces,
  jobs: readonly JobRecords[],
): Promise<{ readonly line: number; readonly keptAs: string; readonly bytes: number } | undefined> {
  const { journalPath: path } = folder;
  try {
    await readFacts(folder, jobs);
    return undefined;
  } catch (error) {
    if (!(error instanceof DamagedJournalError)) throw error;
    const { line, byte } = error.place;
    const rest = readRegularFile(path, { maxBytes: MAX_JOURNAL_BYTES }).subarray(byte);
    const keptAs = await writeBeside(`${path}.damaged`, rest);
    using journal = openRegularFile(path, { access: "append" });
    journal.truncate(byte);
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

const END_BYTES = 16 * 1024;

/**
 * The first two records of a long journal and its last one, as text: all that a list needs of a run that is over.
 *
 * @returns `undefined` where only the whole journal tells: it is short, or the records are long
 */
export function readEnds(path: string): string | undefined {
  using file = openRegularFile(path, { access: "read" });
  const { size } = file.stat();
  if (size < 2 * END_BYTES) return undefined;
  const head = readAt(file, 0);
  const tail = readAt(file, size - END_BYTES);
  const opened = head.indexOf("\n") + 1;
  const started = head.indexOf("\n", opened) + 1;
  const lastAt = tail.lastIndexOf("\n", tail.length - 2) + 1;
  if (opened === 0 || started === 0 || lastAt === 0 || !tail.endsWith("\n")) return undefined;
  return head.slice(0, started) + tail.slice(lastAt);
}

function readAt(file: RegularFile, offset: number): string {
  const bytes = new Uint8Array(END_BYTES);
  return new TextDecoder().decode(bytes.subarray(0, file.readAt(offset, bytes)));
}
