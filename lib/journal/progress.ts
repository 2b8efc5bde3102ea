import { usage } from "../base/usage.ts";
import {
  count,
  type Fields,
  listOf,
  mapOf,
  number,
  object,
  oneOf,
  optional,
  orMissing,
  orNull,
  text,
  type ValueOf,
  type ValuesOf,
} from "../base/schema.ts";
import { ANSWERS_FROM, MODEL_ANSWERS, ON_ANSWER } from "../base/terms.ts";
import { outsideMessage } from "./message_progress.ts";
import { giver, JOB_IDS, type JobId, runEnd } from "./run_facts.ts";
import { NOTHING_COUNTED, takeCount, type TokenCount, usageOfAll } from "./usage.ts";
import { recovered } from "./recovery.ts";
import { waiting } from "./waiting.ts";
import { sessionState, worker } from "./workers.ts";

const level = object({
  unit: oneOf("round", "cycle", "task", "step", "attempt"),
  /** Counts from 1; round 0: none has begun; a step that is one more than there are: all have passed. */
  number: count,
  of: optional(count),
  /** The step's name, or the absolute path of the task. */
  name: optional(text),
});

export type Level = ValueOf<typeof level>;

/**
 * What happens at this moment.
 *
 * - `starting`: agents start; `turn`: an agent works on a prompt
 * - `tests`: the project's tests run; `check`: a check of a step does
 * - `usage_limit`: the account's limit is waited for; `retry`: a turn that failed waits to be tried again
 */
const activity = object({
  kind: oneOf("starting", "turn", "tests", "check", "usage_limit", "retry"),
  since: text,
  until: optional(text),
  worker: optional(text),
  /**
   * The command of the tests, the description of the check, what is said about the limit or the failure, or why a
   * message waits.
   */
  detail: optional(text),
});

export type Activity = ValueOf<typeof activity>;

const givenAnswer = object({
  /** Undefined for a dialog that was answered in its pane. */
  id: orMissing(text),
  worker: text,
  asked: text,
  answer: text,
  by: text,
  who: optional(text),
  giver: optional(giver),
  at: text,
});

export type GivenAnswer = ValueOf<typeof givenAnswer>;

const done = object({
  unit: oneOf("round", "cycle", "task", "step"),
  number: count,
  name: optional(text),
  outcome: oneOf("pass", "fail"),
  reason: optional(text),
  at: text,
});

export type Done = ValueOf<typeof done>;

const counts = object({
  turns: count,
  responses: count,
  reminders: count,
  acceptedDialogs: count,
  declinedDialogs: count,
});

export type Counts = ValueOf<typeof counts>;

const warning = object({ at: text, message: text });

/**
 * How a run stands, folded from the records of its journal alone: all that people, and programs that watch a run, are
 * shown. It is the same shape for both jobs and is valid after any prefix of a journal. Plain data; all times are ISO
 * 8601.
 */
export const PROGRESS = {
  job: oneOf(...JOB_IDS),
  runId: text,
  /** The run's folder where a process last executed it, absolute. */
  folder: text,
  workdir: text,
  /** Absolute path of the config file; null where there was none. */
  configFile: orNull(text),
  about: text,
  startedAt: text,
  executedSince: text,
  lastAt: text,
  lastRecord: text,
  /** Where in its job the run is, from the outermost level to the innermost; empty before the work begins. */
  place: listOf(level),
  /** The pipeline of the task under way; undefined for a review loop. */
  pipeline: orMissing(object({ name: text, steps: listOf(text) })),
  /** What happens at this moment; undefined between two activities. */
  activity: orMissing(activity),
  workers: listOf(worker),
  /** The roles of a review loop in the order in which they work, where its configuration makes some of its own. */
  roles: optional(listOf(text)),
  waiting: orMissing(object(waiting)),
  alsoWaiting: listOf(object(waiting)),
  /** Messages from outside, oldest first: those that are not over, and of the others the last 20. */
  messages: listOf(outsideMessage),
  modelAnswers: oneOf(...MODEL_ANSWERS),
  answersFrom: oneOf(...ANSWERS_FROM),
  onAnswer: oneOf(...ON_ANSWER),
  answers: listOf(givenAnswer),
  done: listOf(done),
  counts,
  usage,
  tokens: object({ byWorker: mapOf(usage), bySource: mapOf(usage) }),
  warnings: listOf(warning),
  recovered: listOf(recovered),
  session: orMissing(sessionState),
  /** The workspace in which tasks come together that are done side by side. */
  target: optional(text),
  /** What a person should know of its PASS, as far as that was looked into. */
  remarks: optional(listOf(text)),
  /** The command that continues it once its question is answered. */
  resumeCommand: optional(text),
  /** How the run ended, until it is resumed; without a command where there is nothing to resume. */
  finished: orMissing(
    object({
      ...{ outcome: runEnd, reason: text, at: text, resumeCommand: optional(text), left: optional(listOf(text)) },
      /** How long it has been executed. */
      seconds: optional(number),
    }),
  ),
} satisfies Fields;

export type Progress = ValuesOf<typeof PROGRESS>;

export type Finished = NonNullable<Progress["finished"]>;

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
    answersFrom: "person",
    onAnswer: "keep",
    waiting: undefined,
    alsoWaiting: [],
    messages: [],
    answers: [],
    done: [],
    counts: { turns: 0, responses: 0, reminders: 0, acceptedDialogs: 0, declinedDialogs: 0 },
    usage: {},
    tokens: NOTHING_COUNTED,
    warnings: [],
    recovered: [],
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

export function warned({ warnings }: Progress, one: ValueOf<typeof warning>): Pick<Progress, "warnings"> {
  return { warnings: [...warnings, one].slice(-MAX_WARNINGS) };
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
