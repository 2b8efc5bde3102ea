import type { Fault } from "../../lib/base/ports/fault.ts";
import { createRandom, type Random } from "../support/random.ts";

/** Enter is about to be pressed, by the journal; a response file has appeared; one has been moved to the archive. */
export type Moment = (typeof MOMENTS)[number];
const MOMENTS = ["enter", "response", "archived"] as const;

/**
 * What is killed. `panewright` is hit after a time, by itself at a record of its journal or at a response that it
 * archives, or shortly after a moment in which keys or files are on their way: these windows are too short for chance.
 */
export type Strike =
  | { readonly target: "panewright"; readonly afterMs: number }
  | { readonly target: "panewright"; readonly fault: Fault }
  /** `nth` counts from 1, from the command's start. */
  | { readonly target: "panewright"; readonly moment: Moment; readonly nth: number; readonly afterMs: number }
  | { readonly target: "tmux"; readonly afterMs: number }
  /** `pick` chooses one of the processes of one of the agents. */
  | { readonly target: "agent"; readonly afterMs: number; readonly pick: number };

/** A strike that is timed, and leaves panewright alive. */
export type AgentStrike = Exclude<Strike, { readonly target: "panewright" }>;

/** What happens to one command of a job, and before the next one. */
export interface Blow {
  /** One after the other, while the command lives; the times count from the one before. */
  readonly strikes: readonly Strike[];
  /** Milliseconds until the next command; agents that live work on. */
  readonly pauseMs: number;
  /** What else is killed while no panewright runs. */
  readonly meanwhile?: AgentStrike;
  /** Whether the next command names the run, or has to find it. */
  readonly namesRun: boolean;
}

/** The figures of a job that plans are drawn by. They are fixed, so that a seed gives the same plan on any machine. */
export interface JobFigures {
  /** About how long an undisturbed run takes, in milliseconds. */
  readonly spanMs: number;
  /** About how many records it writes. */
  readonly records: number;
  /** How many turns it has. */
  readonly turns: number;
  /** How many blows a job gets. */
  readonly blows: readonly [fewest: number, most: number];
}

/** What a resume writes and does, at most, before it continues the job. */
const RESUME_RECORDS = 16;
const RESUME_MS = 1500;
const MOST_PAUSE_MS = 1200;

const FAULTS = ["before", "in", "after"] as const;

/**
 * How long keys take to become a prompt that is known as sent, a file to be taken, and one that was taken to be
 * recorded.
 */
const WINDOW_MS: Readonly<Record<Moment, number>> = { enter: 150, response: 400, archived: 3 };

/** An agent that is killed is started again by the same process: then that one can be struck once more. */
const MOST_STRIKES = 4;

/**
 * The blows of job number `job` of a seed; each job's plan is independent of what happened in the jobs before.
 *
 * The first command is hit anywhere in its span. Those after it are resumes: half of the blows fall into the time in
 * which they find out how things stand.
 */
export function planJob({ seed, job }: { readonly seed: number; readonly job: number }, figures: JobFigures): Blow[] {
  const random = createRandom(seed * 1009 + job);
  const [fewest, most] = figures.blows;
  const count = fewest + random.int(most - fewest + 1);
  return Array.from({ length: count }, (_, index) => planBlow(random, { ...figures, resumes: index > 0 }));
}

function planBlow(random: Random, options: JobFigures & { readonly resumes: boolean }): Blow {
  const { resumes, spanMs, records } = options;
  const soon = resumes && random.int(2) === 0;
  const ofSpan = resumes ? 0.6 : 1;
  const [withinMs, withinRecords] = soon
    ? [RESUME_MS, RESUME_RECORDS]
    : [Math.floor(spanMs * ofSpan), Math.floor(records * ofSpan)];
  const kind = random.int(20);
  const first: Strike = kind < 6
    ? {
      target: "panewright",
      fault: { when: random.pick(FAULTS), what: "record", number: 1 + random.int(withinRecords) },
    }
    : kind < 11
    ? planMoment(random, soon ? 2 : options.turns)
    : kind < 14
    ? {
      target: "panewright",
      fault: { when: random.pick(FAULTS), what: "archive", number: 1 + random.int(options.turns) },
    }
    : planTimed(random, withinMs);
  const strikes: Strike[] = [first];
  while (strikes.length < MOST_STRIKES && strikes.at(-1)?.target === "agent" && random.int(3) > 0) {
    strikes.push(planTimed(random, Math.floor(spanMs / 2)));
  }
  const pauseMs = random.int(3) === 0 ? random.int(MOST_PAUSE_MS) : 0;
  const namesRun = random.int(3) === 0;
  if (random.int(4) > 0) return { strikes, pauseMs, namesRun };
  const afterMs = random.int(pauseMs + 1);
  const meanwhile: AgentStrike = random.int(2) === 0 ? { target: "tmux", afterMs } : agentStrike(random, afterMs);
  return { strikes, pauseMs, namesRun, meanwhile };
}

/**
 * Kills each command at its first Enter or its first response, so that a job is hit in every one of its turns; when
 * nothing is left to hit, the job is over.
 */
export function* windowsJob({ seed }: { readonly seed: number }): Generator<Blow, void, WalkedCommand> {
  const random = createRandom(seed);
  for (let count = 0; count < MOST_BLOWS; count++) {
    const { killed } = yield { strikes: [planMoment(random, 1)], pauseMs: 0, namesRun: false };
    if (!killed) return;
  }
}

/** Kills a command before it archives its first response, the next one in the middle, the third one right after. */
export function* archiveJob(): Generator<Blow, void, WalkedCommand> {
  for (let count = 0; count < MOST_BLOWS; count++) {
    const { killed } = yield faultAt({ when: FAULTS[count % FAULTS.length]!, what: "archive", number: 1 });
    if (!killed) return;
  }
}

/**
 * Kills a job at ever later records, three times at each, where agents end with panewright: a turn begins anew with each
 * command, so that one has to come further than the one before.
 */
export function* growingJob(): Generator<Blow, void, WalkedCommand> {
  for (let count = 0; count < MOST_BLOWS; count++) {
    const number = 1 + Math.floor(count / FAULTS.length);
    const { killed } = yield faultAt({ when: FAULTS[count % FAULTS.length]!, what: "record", number });
    if (!killed) return;
  }
}

function faultAt(fault: Fault): Blow {
  return { strikes: [{ target: "panewright", fault }], pauseMs: 0, namesRun: false };
}

function planMoment(random: Random, turns: number): Strike {
  const moment = random.pick(MOMENTS);
  return { target: "panewright", moment, nth: 1 + random.int(turns), afterMs: random.int(WINDOW_MS[moment]) };
}

function planTimed(random: Random, withinMs: number): Strike {
  const afterMs = random.int(withinMs);
  const target = random.int(13);
  if (target < 6) return { target: "panewright", afterMs };
  return target < 10 ? agentStrike(random, afterMs) : { target: "tmux", afterMs };
}

function agentStrike(random: Random, afterMs: number): AgentStrike {
  return { target: "agent", afterMs, pick: random.int(1 << 20) };
}

/** A plan in one line, for a person. */
export function describeBlow({ strikes, pauseMs, meanwhile }: Blow): string {
  const others = meanwhile === undefined ? "" : `, meanwhile ${describeStrike(meanwhile)}`;
  return `${strikes.map(describeStrike).join(", ")}; pause ${pauseMs} ms${others}`;
}

function describeStrike(strike: Strike): string {
  if ("fault" in strike) return `${strike.target} ${strike.fault.when} ${strike.fault.what} ${strike.fault.number}`;
  const since = "moment" in strike ? ` of ${strike.moment} ${strike.nth}` : "";
  return `${strike.target} after ${strike.afterMs} ms${since}`;
}

/** What the planner of a walk is told of a command that is over. */
export interface WalkedCommand {
  /** The types of the records that the command has written, in their order. */
  readonly records: readonly string[];
  /** Whether it was killed after its record. */
  readonly killed: boolean;
}

/** What a process writes before it continues the job. */
const OPENING = new Set([
  "journal_opened",
  "run_resumed",
  "session_opening",
  "session_opened",
  "session_adopted",
  "agent_starting",
  "agent_ready",
  "agent_adopted",
  "agent_session",
]);

/** What it writes again each time that it continues at the same place. */
const STANDING = new Set([...OPENING, "turn_resumed", "status_changed", "warning"]);

/** A job that has not ended after so many blows is stuck. */
const MOST_BLOWS = 1600;

/**
 * Kills a job between any two of its records. One command is killed right before the first record with which it
 * continues the job, or in the middle of it, when what the record reports has been done; the next command right after
 * that record. Where the record does not advance the job yet, the next two are killed one record later. The records
 * before it are passed once, in the same way.
 */
export function* walkJob(): Generator<Blow, void, WalkedCommand> {
  let last = "";
  for (let record = 1, count = 0; count < MOST_BLOWS; count++) {
    yield faultAt({ when: count % 2 === 0 ? "before" : "in", what: "record", number: record });
    const { records, killed } = yield faultAt({ when: "after", what: "record", number: record });
    if (!killed) return;
    const opening = records.findIndex((type) => !OPENING.has(type));
    // What is recorded before it is done is recorded once more after a kill in between.
    const advances = !STANDING.has(records.at(-1) ?? "warning") && records.join() !== last;
    record = advances ? opening + 1 : record + 1;
    if (advances) last = records.join();
  }
}
