import type { RunCaps, Used } from "./caps.ts";

/** What a fact means for what a run uses. */
export type MeterEvent =
  | { readonly kind: "process_begins"; readonly raised?: RunCaps | undefined }
  | { readonly kind: "process_ends"; readonly seconds: number }
  /** What it used before, as in another task, does not count. */
  | { readonly kind: "worker_begins"; readonly worker: string }
  | { readonly kind: "turn_begins"; readonly worker: string }
  /** A turn that an earlier process has begun. */
  | { readonly kind: "turn_continues"; readonly worker: string }
  /** What the turn under way has used so far. */
  | { readonly kind: "tokens_counted"; readonly tokens: number }
  | { readonly kind: "turn_ends"; readonly seconds: number; readonly tokens?: number };

/** What a run has used: a fold over its facts. Times are of one clock within a process. Plain data. */
export interface Spending {
  readonly turns: number;
  /** Of processes that have ended. */
  readonly seconds: number;
  /** Of turns that have ended. */
  readonly tokens: number;
  readonly workers: Readonly<Record<string, WorkerSpending>>;
  /** The process that executes the run. */
  readonly process: { readonly sinceMs: number; readonly lastMs: number } | undefined;
  /** The turn under way. */
  readonly turn: { readonly worker: string; readonly sinceMs: number; readonly tokens: number } | undefined;
  /** The caps that a person has raised. */
  readonly raised: RunCaps;
}

/** What a role or a step has used in turns that have ended. */
export interface WorkerSpending {
  readonly turns: number;
  readonly seconds: number;
  readonly tokens: number;
}

const NOTHING_USED: WorkerSpending = { turns: 0, seconds: 0, tokens: 0 };

/** Before the first fact. */
export const NOTHING_SPENT: Spending = {
  turns: 0,
  seconds: 0,
  tokens: 0,
  workers: {},
  process: undefined,
  turn: undefined,
  raised: {},
};

/**
 * What a run has used after a fact.
 *
 * @param event what the fact means, if anything
 * @param atMs when it happened
 *
 * @example
 * ```ts
 * import { assertEquals } from "@std/assert";
 * const begun = spend(NOTHING_SPENT, { kind: "process_begins" }, 0);
 * const working = spend(begun, { kind: "turn_begins", worker: "tester" }, 1000);
 * assertEquals(usedBy(working, 61_000), { maxTurns: 1, maxMinutes: 61 / 60, maxTokens: 0 });
 * assertEquals(usedBy(working, 61_000, "tester"), { maxTurns: 1, maxMinutes: 1, maxTokens: 0 });
 * ```
 */
export function spend(before: Spending, event: MeterEvent | undefined, atMs: number): Spending {
  switch (event?.kind) {
    case undefined:
      return seen(before, atMs);
    case "process_begins":
      return {
        ...settled(before),
        process: { sinceMs: atMs, lastMs: atMs },
        raised: { ...before.raised, ...event.raised },
      };
    case "process_ends": {
      // A turn takes no longer than its process, whatever the calendar says.
      const turnSeconds = Math.min(event.seconds, openSeconds(before, atMs));
      return { ...turnEnded(before, turnSeconds), seconds: before.seconds + event.seconds, process: undefined };
    }
    case "worker_begins":
      return { ...seen(before, atMs), workers: { ...before.workers, [event.worker]: NOTHING_USED } };
    case "turn_begins": {
      const worker = before.workers[event.worker] ?? NOTHING_USED;
      return {
        ...seen(before, atMs),
        turns: before.turns + 1,
        workers: { ...before.workers, [event.worker]: { ...worker, turns: worker.turns + 1 } },
        turn: { worker: event.worker, sinceMs: atMs, tokens: 0 },
      };
    }
    case "turn_continues":
      return { ...seen(before, atMs), turn: { worker: event.worker, sinceMs: atMs, tokens: 0 } };
    case "tokens_counted":
      return before.turn === undefined
        ? before
        : { ...seen(before, atMs), turn: { ...before.turn, tokens: event.tokens } };
    case "turn_ends":
      return turnEnded(seen(before, atMs), event.seconds, event.tokens);
  }
}

/** What was used once nothing is under way any more: a process that was killed counts up to its last fact. */
export function settled(spending: Spending): Spending {
  const { process } = spending;
  if (process === undefined) return turnEnded(spending, 0);
  const seconds = spending.seconds + (process.lastMs - process.sinceMs) / 1000;
  return { ...turnEnded(spending, openSeconds(spending, process.lastMs)), seconds, process: undefined };
}

/** What a run, or one of its workers, has used at a time. */
export function usedBy(spending: Spending, nowMs: number, worker?: string): Used {
  if (worker === undefined) {
    const { turns, seconds, tokens, turn, process } = spending;
    const now = process === undefined ? 0 : (nowMs - process.sinceMs) / 1000;
    return { maxTurns: turns, maxMinutes: (seconds + now) / 60, maxTokens: tokens + (turn?.tokens ?? 0) };
  }
  const { turns, seconds, tokens } = spending.workers[worker] ?? NOTHING_USED;
  const isOpen = spending.turn?.worker === worker;
  const now = isOpen ? openSeconds(spending, nowMs) : 0;
  const counted = isOpen ? spending.turn?.tokens ?? 0 : 0;
  return { maxTurns: turns, maxMinutes: (seconds + now) / 60, maxTokens: tokens + counted };
}

function seen(spending: Spending, lastMs: number): Spending {
  return spending.process === undefined ? spending : { ...spending, process: { ...spending.process, lastMs } };
}

function openSeconds({ turn }: Spending, untilMs: number): number {
  return turn === undefined ? 0 : Math.max(0, untilMs - turn.sinceMs) / 1000;
}

function turnEnded(spending: Spending, ofTurn: number, all = spending.turn?.tokens ?? 0): Spending {
  if (spending.turn === undefined) return spending;
  const { worker } = spending.turn;
  const { turns, seconds, tokens } = spending.workers[worker] ?? NOTHING_USED;
  return {
    ...spending,
    turn: undefined,
    tokens: spending.tokens + all,
    workers: { ...spending.workers, [worker]: { turns, seconds: seconds + ofTurn, tokens: tokens + all } },
  };
}
