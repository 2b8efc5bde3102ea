import type { Usage } from "../base/usage.ts";
import type { OutsideMessageProgress } from "./message_progress.ts";
import type { Waits } from "./waiting.ts";
import type { Workers } from "./workers.ts";
import type { JobId, RunEnd } from "./run_facts.ts";
import { NOTHING_COUNTED, takeCount, type TokenCount, type TokenCounts, usageOfAll } from "./usage.ts";

/**
 * How a run stands, folded from the records of its journal alone: all that people, and programs that watch a run, are
 * shown. It is the same shape for both jobs and is valid after any prefix of a journal. Plain data; all times are ISO
 * 8601.
 */
export interface Progress extends Workers, Waits {
  readonly job: JobId;
  readonly runId: string;
  /** The run's folder where a process last executed it, absolute. */
  readonly folder: string;
  readonly workdir: string;
  /** Absolute path of the config file; null where there was none. */
  readonly configFile: string | null;
  readonly about: string;
  readonly startedAt: string;
  readonly executedSince: string;
  readonly lastAt: string;
  readonly lastRecord: string;
  /** Where in its job the run is, from the outermost level to the innermost; empty before the work begins. */
  readonly place: readonly Level[];
  /** The pipeline of the task under way; undefined for a review loop. */
  readonly pipeline: { readonly name: string; readonly steps: readonly string[] } | undefined;
  /** What happens at this moment; undefined between two activities. */
  readonly activity: Activity | undefined;
  /** Messages from outside, oldest first: those that are not over, and of the others the last 20. */
  readonly messages: readonly OutsideMessageProgress[];
  readonly answers: readonly GivenAnswer[];
  readonly done: readonly Done[];
  readonly counts: Counts;
  readonly usage: Usage;
  readonly tokens: TokenCounts;
  readonly warnings: readonly Warning[];
  /** How the run ended, until it is resumed. */
  readonly finished: Finished | undefined;
}

export interface Level {
  readonly unit: "round" | "cycle" | "task" | "step" | "attempt";
  /** Counts from 1; round 0: none has begun; a step that is one more than there are: all have passed. */
  readonly number: number;
  readonly of?: number;
  /** The step's name, or the absolute path of the task. */
  readonly name?: string;
}

/**
 * What happens at this moment.
 *
 * - `starting`: agents start; `turn`: an agent works on a prompt
 * - `tests`: the project's tests run; `check`: a check of a step does
 * - `usage_limit`: the account's limit is waited for; `retry`: a turn that failed waits to be tried again
 */
export interface Activity {
  readonly kind: "starting" | "turn" | "tests" | "check" | "usage_limit" | "retry";
  readonly since: string;
  readonly until?: string;
  readonly worker?: string;
  /**
   * The command of the tests, the description of the check, what is said about the limit or the failure, or why a
   * message waits.
   */
  readonly detail?: string;
}

export interface GivenAnswer {
  /** Undefined for a dialog that was answered in its pane. */
  readonly id: string | undefined;
  readonly worker: string;
  readonly asked: string;
  readonly answer: string;
  readonly by: string;
  readonly who?: string;
  readonly at: string;
}

export interface Done {
  readonly unit: "round" | "cycle" | "task" | "step";
  readonly number: number;
  readonly name?: string;
  readonly outcome: "pass" | "fail";
  readonly reason?: string;
  readonly at: string;
}

export interface Counts {
  readonly turns: number;
  readonly responses: number;
  readonly reminders: number;
  readonly acceptedDialogs: number;
  readonly declinedDialogs: number;
}

interface Warning {
  readonly at: string;
  readonly message: string;
}

export interface Finished {
  readonly outcome: RunEnd;
  readonly reason: string;
  readonly at: string;
  /** Resumes the run; missing where there is nothing to resume. */
  readonly resumeCommand?: string;
}

/** The progress of a run before its first record. */
export function initialProgress(job: JobId): Progress {
  return {
    job,
    runId: "",
    folder: "",
    workdir: "",
    configFile: null,
    about: "",
    startedAt: "",
    executedSince: "",
    lastAt: "",
    lastRecord: "",
    place: [],
    pipeline: undefined,
    activity: undefined,
    workers: [],
    modelAnswers: "questions",
    waiting: undefined,
    alsoWaiting: [],
    messages: [],
    answers: [],
    done: [],
    counts: { turns: 0, responses: 0, reminders: 0, acceptedDialogs: 0, declinedDialogs: 0 },
    usage: {},
    tokens: NOTHING_COUNTED,
    warnings: [],
    session: undefined,
    finished: undefined,
  };
}

export type Change = Partial<Progress>;

export function afterRecord(
  before: Progress,
  record: { readonly type: string; readonly at: string },
  change: Change,
): Progress {
  return Object.assign({ ...before, lastAt: record.at, lastRecord: record.type }, change);
}

export function counted({ counts }: Progress, name: keyof Counts): Pick<Progress, "counts"> {
  return { counts: { ...counts, [name]: counts[name] + 1 } };
}

export function tokensCounted(before: Progress, count: TokenCount): Pick<Progress, "usage" | "tokens"> {
  const tokens = takeCount(before.tokens, count);
  return { tokens, usage: usageOfAll(tokens) };
}

const MAX_WARNINGS = 20;

export function warned({ warnings }: Progress, warning: Warning): Pick<Progress, "warnings"> {
  return { warnings: [...warnings, warning].slice(-MAX_WARNINGS) };
}

export function tasksPassed({ done }: Progress): number {
  return done.filter(({ unit, outcome }) => unit === "task" && outcome === "pass").length;
}

export function levelOf({ place }: Pick<Progress, "place">, unit: Level["unit"]): Level | undefined {
  return place.find((level) => level.unit === unit);
}

export function atLevel({ place }: Pick<Progress, "place">, level: Level): Pick<Progress, "place"> {
  const index = place.findIndex(({ unit }) => unit === level.unit);
  return { place: [...(index < 0 ? place : place.slice(0, index)), level] };
}
