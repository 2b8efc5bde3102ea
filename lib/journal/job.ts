import type { MeterEvent } from "./meter_event.ts";
import type { MapPath } from "./paths.ts";
import type { JobId } from "./run_facts.ts";
import type { Progress } from "./progress.ts";
import type { FactTable } from "../base/schema.ts";

export interface AnyFact {
  readonly type: string;
}

export type Recorded<Fact> = Fact & {
  /** When it was written, ISO 8601. */
  readonly at: string;
};

export interface StoppedEnd {
  readonly type: "run_finished";
  readonly outcome: "interrupted";
  readonly reason: string;
  readonly seconds: number;
  readonly resumeCommand: string;
}

/** What readers of a journal know of a kind of work. Plain data and pure functions. */
export interface JobRecords<Fact extends AnyFact = AnyFact> {
  readonly id: JobId;
  readonly facts: FactTable;
  /** The types of those records by which an agent has ended its work. */
  readonly restTypes: ReadonlySet<string>;
  progress(before: Progress, fact: Recorded<Fact>): Progress;
  stopped(progress: Progress, end: StoppedEnd): Fact;
  /**
   * A fact with each of its paths changed. They are absolute, but in a journal: see journal_paths.ts. What only tells
   * where a process was, such as the folder in which it found the run, is not one of them.
   */
  mapPaths?(fact: Fact, map: MapPath): Fact;
}

/** A kind of work that runs do: its records, and the state that they lead to. */
export interface Job<Fact extends AnyFact = AnyFact, State = unknown> extends JobRecords<Fact> {
  /** The state before the first fact. */
  readonly initial: State;
  fold(state: State, fact: Recorded<Fact>): State;
  /** What a fact means for what the run uses, if anything; `state` is the one before it. */
  meter?(fact: Fact, state: State): MeterEvent | undefined;
  /** The state without what only a person can have said, where agents could have written the facts that led to it. */
  distrust?(state: State): State;
  /** Adds what the fold needs and the journal does not hold, such as the text of a response. */
  recall?(fact: Recorded<Fact>, folder: JournalFolder): Promise<Recorded<Fact>>;
}

/** What of a run's folder its journal is read with. Paths are absolute. */
export interface JournalFolder {
  readonly id: string;
  readonly path: string;
  readonly journalPath: string;
  readonly lockPath: string;
  readonly responsesDir: string;
}
