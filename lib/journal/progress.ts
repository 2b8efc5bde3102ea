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
  /** What the agents are to do, in one line. */
  readonly about: string;
  readonly startedAt: string;
  /** When the process that executes the run, or executed it last, began. */
  readonly executedSince: string;
  /** When the last record was written, and its type. */
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
  /** Questions that have their answer, and dialogs that a person answered; oldest first. */
  readonly answers: readonly GivenAnswer[];
  /** What was finished, oldest first. */
  readonly done: readonly Done[];
  readonly counts: Counts;
  /** Tokens by model; empty where none were told. */
  readonly usage: Usage;
  /** Tokens by role, or by step as its caps are named (`main/build`). */
  readonly tokens: TokenCounts;
  /** The last warnings, at most 20, oldest first. */
  readonly warnings: readonly Warning[];
  /** How the run ended, until it is resumed. */
  readonly finished: Finished | undefined;
}

/** One level of a place, such as round 2 of 8. */
export interface Level {
  readonly unit: "round" | "cycle" | "task" | "step" | "attempt";
  /** Counts from 1; round 0: none has begun; a step that is one more than there are: all have passed. */
  readonly number: number;
  /** How many there are, or may be. */
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
  /** When a wait ends, as far as that is known. */
  readonly until?: string;
  /** Whose turn it is. */
  readonly worker?: string;
  /**
   * The command of the tests, the description of the check, what is said about the limit or the failure, or why a
   * message waits.
   */
  readonly detail?: string;
}

/** A question or a dialog, and what was said to it. */
export interface GivenAnswer {
  /** Undefined for a dialog that was answered in its pane. */
  readonly id: string | undefined;
  /** The role, or the step, that asked. */
  readonly worker: string;
  readonly asked: string;
  readonly answer: string;
  /** How the answer was given: `terminal`, `command`, `timeout`, `person`, `mcp` (by a model over MCP), … */
  readonly by: string;
  /** Who gave it, where that has a name. */
  readonly who?: string;
  readonly at: string;
}

/** A round, a review, a step or a task that was finished. */
export interface Done {
  readonly unit: "round" | "cycle" | "task" | "step";
  readonly number: number;
  /** The role that decided, the step's name, or the path of the task. */
  readonly name?: string;
  readonly outcome: "pass" | "fail";
  readonly reason?: string;
  readonly at: string;
}

/** How often things have happened in a run. */
export interface Counts {
  /** Prompts that began a turn, or an attempt of a step. */
  readonly turns: number;
  readonly responses: number;
  readonly reminders: number;
  /** Dialogs that the policy answered; those that a person answered are in neither. */
  readonly acceptedDialogs: number;
  readonly declinedDialogs: number;
}

/** Something that a person should know of. */
interface Warning {
  readonly at: string;
  readonly message: string;
}

/** How a run ended. */
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

/** What a record changes in a progress. */
export type Change = Partial<Progress>;

/** The progress after a record, given what the record's own job makes of it. */
export function afterRecord(
  before: Progress,
  record: { readonly type: string; readonly at: string },
  change: Change,
): Progress {
  return Object.assign({ ...before, lastAt: record.at, lastRecord: record.type }, change);
}

/** One more of something that is counted. */
export function counted({ counts }: Progress, name: keyof Counts): Pick<Progress, "counts"> {
  return { counts: { ...counts, [name]: counts[name] + 1 } };
}

/** Tokens that were counted. */
export function tokensCounted(before: Progress, count: TokenCount): Pick<Progress, "usage" | "tokens"> {
  const tokens = takeCount(before.tokens, count);
  return { tokens, usage: usageOfAll(tokens) };
}

const MAX_WARNINGS = 20;

/** A warning more; the oldest makes way for it. */
export function warned({ warnings }: Progress, warning: Warning): Pick<Progress, "warnings"> {
  return { warnings: [...warnings, warning].slice(-MAX_WARNINGS) };
}

/** How many tasks of a pipeline have passed. */
export function tasksPassed({ done }: Progress): number {
  return done.filter(({ unit, outcome }) => unit === "task" && outcome === "pass").length;
}

/** The level of a place. */
export function levelOf({ place }: Pick<Progress, "place">, unit: Level["unit"]): Level | undefined {
  return place.find((level) => level.unit === unit);
}

/** A place down to a level, with that level as it is now. */
export function atLevel({ place }: Pick<Progress, "place">, level: Level): Pick<Progress, "place"> {
  const index = place.findIndex(({ unit }) => unit === level.unit);
  return { place: [...(index < 0 ? place : place.slice(0, index)), level] };
}
