import { UsageError } from "../base/errors.ts";
import { isObject, present, type ValuesOf } from "../base/schema.ts";
import {
  findWrongField,
  flag,
  integer,
  listOf,
  mapOf,
  object,
  oneOf,
  optional,
  text,
  textThat,
} from "../base/schema.ts";
import { sha256Hex } from "../base/text/digest.ts";
import { runEnd } from "../journal/run_facts.ts";
import { PRIORITIES } from "./names.ts";

/** What a job is, as its submitter has put it into the queue. */
const JOB_FIELDS = {
  v: oneOf(1),
  /** What is to be done, in words, for lists. */
  title: text,
  command: oneOf("exec", "run"),
  /** The task as a text; missing where a file of the repository has it, or the config. */
  task: optional(text),
  /** The file with the task, from the folder that the job works in. */
  taskFile: optional(text),
  pipeline: optional(text),
  /** The config file, from that folder. @default {"panewright.jsonc"} */
  config: optional(text),
  /** Where the repository comes from: a bundle among the objects, by its hash, or an address. */
  source: object({ bundle: optional(text), url: optional(text) }),
  /** The commit that the job begins at. */
  commit: textThat((commit) => /^[0-9a-f]{40,64}$/.test(commit)),
  /** The folder of the repository that it works in; empty for its top. */
  folder: text,
  labels: mapOf(text),
  priority: oneOf(...PRIORITIES),
  /** The jobs that must have passed before it begins, with what has come of them. */
  needs: optional(listOf(text)),
  submittedAt: text,
};

export type Job = ValuesOf<typeof JOB_FIELDS>;

/** A message of the queue: a job, and which time it is put there. */
export interface Queued {
  readonly job: Job;
  /** Why it is there once more: something was said to it, by the sequence of that. */
  readonly again?: number;
}

/** A later version of panewright has written it: others may understand it. */
export class LaterVersionError extends Error {
  override name = "LaterVersionError";
}

/** @throws {Error} saying what is wrong with a message of the queue */
export function readQueued(data: string): Queued {
  const value: unknown = JSON.parse(data);
  if (!isObject(value) || !isObject(value["job"])) throw new Error("it has no job");
  const { v } = value["job"];
  if (typeof v === "number" && v > 1) throw new LaterVersionError(`it is of version ${v}, and this is 1`);
  const wrong = findWrongField(value["job"], JOB_FIELDS);
  if (wrong !== undefined) throw new Error(`its "${wrong}" is missing or wrong`);
  const { again } = value;
  return { job: value["job"] as Job, ...(typeof again === "number" ? { again } : {}) };
}

/** What has come of a job that another one needs: a commit, and the object with it. */
const NEEDED_WORK = { job: text, commit: text, bundle: text };

export type NeededWork = ValuesOf<typeof NEEDED_WORK>;

/** What the log of a job has, in the order in which it happened. */
const EVENTS = {
  /** A worker takes the job; whoever had it before can write no more. */
  claimed: {
    epoch: integer,
    worker: text,
    /** SHA-256 of the job, as its author has submitted it. */
    job: text,
    /** The sequence of the queue's message: the same one again is what its worker has not acknowledged in time. */
    message: integer,
    /** Up to where the worker has heard what was said. */
    heard: integer,
    /** What it begins with besides its own commit. @default what an earlier claim says */
    works: optional(listOf(object(NEEDED_WORK))),
  },
  /** A line of the journal of the job's run. */
  record: {
    epoch: integer,
    line: text,
    /** Whether an agent has ended its work by it. */
    isRest: optional(flag),
  },
  /** The work and the files of the run as they are before the next record. */
  saved: {
    epoch: integer,
    run: text,
    /** The commit of the work; missing while nothing has changed since the last one. */
    commit: optional(text),
    /** Its bundle, by its hash. */
    work: optional(text),
    /** Hashes by paths: those of the run's folder begin with `run/`, those of its entry with `entry/`. */
    files: mapOf(text),
  },
  /** A worker gives the job back: it is put into the queue again when it has what it waits for. */
  released: {
    epoch: integer,
    why: oneOf("drained", "stopped", "waiting", "broken"),
    /** In words. */
    reason: text,
    /** What it waits for a person to say. */
    questions: optional(listOf(object({ id: text, text }))),
  },
  /** What came of the job. */
  ended: {
    epoch: integer,
    outcome: runEnd,
    reason: text,
    run: optional(text),
    /** Whether its work is kept: the last commit that was saved. */
    commit: optional(text),
  },
  /** Nobody takes it any more, until somebody says so. */
  parked: { epoch: integer, reason: text },
} as const;

type EventTable = typeof EVENTS;

export type JobEvent = {
  [Type in keyof EventTable]: { readonly type: Type; readonly at: string } & ValuesOf<EventTable[Type]>;
}[keyof EventTable];

/** Who may take a job, and where it stands: a fold of its log. */
export interface JobState {
  readonly state: "queued" | "running" | "waiting" | "stopped" | "ended" | "parked";
  /** Of the last claim; 0 before the first. */
  readonly epoch: number;
  readonly worker?: string;
  /** The queue's message of a claim that has not ended. */
  readonly message?: number;
  readonly heard: number;
  /** SHA-256 of the job; missing before the first claim. */
  readonly job?: string;
  /** Claims in a row whose workers were lost, or broke, before they had got one record further. */
  readonly lost: number;
  readonly run?: string;
  /** What its run has begun with, of the jobs that it needs; missing before that. */
  readonly works?: readonly NeededWork[];
  readonly lines: readonly string[];
  readonly files: Readonly<Record<string, string>>;
  readonly work?: { readonly commit: string; readonly bundle: string };
  readonly reason?: string;
  readonly questions: readonly { readonly id: string; readonly text: string }[];
  readonly outcome?: ValuesOf<EventTable["ended"]>["outcome"];
}

const NEW: JobState = { state: "queued", epoch: 0, heard: 0, lost: 0, lines: [], files: {}, questions: [] };

/**
 * An event of a job's log, and the sequence of the one that it follows.
 *
 * @throws {Error} for what is none
 */
export function readEvent(data: string): { readonly event: JobEvent; readonly after: number } {
  const value: unknown = JSON.parse(data);
  if (!isObject(value)) throw new Error("it is no object");
  const fields = EVENTS[value["type"] as keyof EventTable];
  if (fields === undefined) throw new Error(`nothing is known of a "${String(value["type"])}"`);
  const wrong = findWrongField(value, fields);
  if (wrong !== undefined) throw new Error(`its "${wrong}" is missing or wrong`);
  const { after, ...event } = value;
  if (typeof after !== "number") throw new Error(`its "after" is missing`);
  return { event: event as unknown as JobEvent, after };
}

/** Where a job stands by its log. */
export function jobState(events: readonly JobEvent[]): JobState {
  return events.reduce(nextJobState, newJobState());
}

/** Where a job stands before anything has happened to it. */
export function newJobState(): JobState {
  return { ...NEW, lines: [] };
}

/** Where a job stands after an event. The lines are one list, which grows; the state before is not to be used any more. */
export function nextJobState(state: JobState, event: JobEvent): JobState {
  const { message: _message, reason: _reason, outcome: _outcome, ...rest } = state;
  switch (event.type) {
    case "claimed": {
      const { epoch, worker, message, heard, job, works = state.works } = event;
      const lost = state.state === "running" ? state.lost + 1 : state.lost;
      const { files, run, work, works: _works, ...anew } = rest;
      // A run that has come to its end is not resumed: who wants it tried again gets another one.
      const isOver = state.outcome === "pass" || state.outcome === "fail";
      if (isOver) (state.lines as string[]).length = 0;
      const kept = isOver ? { files: {} } : { files, ...present({ run, work }) };
      const claim = { state: "running", epoch, worker, message, heard, job, lost, questions: [] } as const;
      return { ...anew, ...kept, ...present({ works }), ...claim };
    }
    case "record":
      (state.lines as string[]).push(event.line);
      // A run that only begins, again and again, gets nowhere.
      return event.isRest === true ? { ...state, lost: 0 } : state;
    case "saved": {
      const { run, commit, work, files } = event;
      const kept = commit === undefined || work === undefined ? {} : { work: { commit, bundle: work } };
      return { ...state, run, files, ...kept };
    }
    case "released": {
      const { why, reason, questions = [] } = event;
      const lost = why === "broken" ? state.lost + 1 : 0;
      const at = why === "waiting" ? "waiting" : why === "stopped" ? "stopped" : "queued";
      return { ...rest, state: at, lost, reason, questions };
    }
    case "ended":
      return { ...rest, state: "ended", lost: 0, outcome: event.outcome, reason: event.reason };
    case "parked":
      return { ...rest, state: "parked", reason: event.reason };
  }
}

/** Whether nothing happens to a job before somebody has it tried again. */
export function isAtEnd({ state }: Pick<JobState, "state">): boolean {
  return state === "ended" || state === "parked" || state === "stopped";
}

/** What the entry of a job in the bucket says: enough for lists, and who renews its lease. */
export const ENTRY_FIELDS = {
  job: object(JOB_FIELDS),
  /** SHA-256 of the job: the same name is the same job. */
  hash: text,
  state: oneOf("queued", "running", "waiting", "stopped", "ended", "parked"),
  epoch: integer,
  worker: optional(text),
  outcome: optional(runEnd),
  reason: optional(text),
  run: optional(text),
  questions: optional(listOf(object({ id: text, text }))),
  /** Whether it has been put into the queue. */
  isQueued: optional(flag),
  at: text,
};

export type JobEntry = ValuesOf<typeof ENTRY_FIELDS>;

/** @throws {Error} for what is no entry */
export function readEntry(data: string): JobEntry {
  const value: unknown = JSON.parse(data);
  const wrong = isObject(value) ? findWrongField(value, ENTRY_FIELDS) : "";
  if (wrong !== undefined) throw new Error(`its "${wrong}" is missing or wrong`);
  return value as JobEntry;
}

/**
 * Reads labels such as `os=linux`.
 *
 * @throws {UsageError} for what is none
 * @example
 * ```ts
 * import { assertEquals } from "@std/assert";
 *
 * assertEquals(readLabels(["os=linux", "gpu=no"]), { os: "linux", gpu: "no" });
 * ```
 */
export function readLabels(words: readonly string[]): Readonly<Record<string, string>> {
  return Object.fromEntries(words.map((word) => {
    const [, name, value] = /^([A-Za-z0-9_.-]{1,64})=([A-Za-z0-9_.-]{1,64})$/.exec(word) ?? [];
    if (name === undefined || value === undefined) {
      throw new UsageError(`Cannot read the label "${word}": it is not NAME=VALUE`, {
        hint: "Name and value have letters, digits, dots, - and _, as in os=linux.",
      });
    }
    return [name, value];
  }));
}

/** Whether a worker with these labels may take a job that wants those. */
export function fits(
  wanted: Readonly<Record<string, string>>,
  labels: Readonly<Record<string, string>>,
): boolean {
  return Object.entries(wanted).every(([name, value]) => labels[name] === value);
}

/** The name of the queue for jobs that want the same labels. */
export async function queueOf(labels: Readonly<Record<string, string>>): Promise<string> {
  const words = Object.entries(labels).map(([name, value]) => `${name}=${value}`).sort();
  return words.length === 0 ? "any" : (await sha256Hex(words.join("\n"))).slice(0, 16);
}
