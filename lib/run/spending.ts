import type { MeterEvent, RunCaps } from "../journal/meter_event.ts";
import { addUsage, tokensIn, type Usage } from "../base/usage.ts";
import type { Used } from "./caps.ts";
import { atTurn, NO_STANDSTILL, noteWork, type Standstill } from "./no_progress.ts";

export interface Spending extends WorkerSpending {
  readonly workers: Readonly<Record<string, WorkerSpending>>;
  readonly process: { readonly sinceMs: number; readonly lastMs: number } | undefined;
  /** Since when the turns under way are, by worker. */
  readonly open: Readonly<Record<string, number>>;
  readonly raised: RunCaps;
  readonly standstill: Standstill;
}

interface WorkerSpending {
  readonly turns: number;
  readonly seconds: number;
  readonly usage: Usage;
}

const NOTHING_USED: WorkerSpending = { turns: 0, seconds: 0, usage: {} };

/** Before the first fact. */
export const NOTHING_SPENT: Spending = {
  ...NOTHING_USED,
  workers: {},
  process: undefined,
  open: {},
  raised: {},
  standstill: NO_STANDSTILL,
};

/** What a run has used after a fact. */
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
      const now = seen(before, atMs);
      const ended = allEnded(before, (worker) => Math.min(event.seconds, openSeconds(now, worker, atMs)));
      return { ...ended, seconds: before.seconds + event.seconds, process: undefined };
    }
    case "worker_begins":
      return { ...seen(before, atMs), workers: { ...before.workers, [event.worker]: NOTHING_USED } };
    case "turn_begins": {
      const worker = before.workers[event.worker] ?? NOTHING_USED;
      return {
        ...seen(before, atMs),
        turns: before.turns + 1,
        workers: { ...before.workers, [event.worker]: { ...worker, turns: worker.turns + 1 } },
        open: { ...seen(before, atMs).open, [event.worker]: atMs },
        standstill: isOfAnother(before, event.worker) ? before.standstill : atTurn(before.standstill),
      };
    }
    case "turn_continues": {
      const now = seen(before, atMs);
      return { ...now, open: { ...now.open, [event.worker]: atMs } };
    }
    case "tokens_counted":
      return tokensUsed(seen(before, atMs), event);
    case "turn_ends": {
      const { usage = {}, seconds } = event;
      const worker = event.worker ?? Object.keys(before.open)[0];
      if (worker === undefined || !Object.hasOwn(before.open, worker)) return seen(before, atMs);
      return turnEnded(seen(tokensUsed(before, { worker, usage }), atMs), worker, seconds);
    }
    case "work_begins":
    case "work_ends":
    case "round_fails":
    case "check_fails":
    case "checks_begin":
    case "command_repeats":
      return { ...seen(before, atMs), standstill: noteWork(before.standstill, event) };
  }
}

export function settled(spending: Spending): Spending {
  const { process } = spending;
  if (process === undefined) return allEnded(spending, () => 0);
  const seconds = spending.seconds + (process.lastMs - process.sinceMs) / 1000;
  const ended = allEnded(spending, (worker) => openSeconds(spending, worker, process.lastMs));
  return { ...ended, seconds, process: undefined };
}

export function usageIn(spending: Spending, worker?: string): Usage {
  return spentOf(spending, worker).usage;
}

function spentOf(spending: Spending, worker: string | undefined): WorkerSpending {
  return worker === undefined ? spending : spending.workers[worker] ?? NOTHING_USED;
}

export function usedBy(spending: Spending, nowMs: number, worker?: string): Omit<Used, "maxCost"> {
  const { turns, seconds, usage } = spentOf(spending, worker);
  const sinceMs = spending.process?.sinceMs ?? nowMs;
  const now = worker === undefined ? (nowMs - sinceMs) / 1000 : openSeconds(spending, worker, nowMs);
  return { maxTurns: turns, maxMinutes: (seconds + now) / 60, maxTokens: tokensIn(usage) };
}

function tokensUsed(
  spending: Spending,
  { worker, usage }: { readonly worker: string; readonly usage: Usage },
): Spending {
  const before = spending.workers[worker] ?? NOTHING_USED;
  return {
    ...spending,
    usage: addUsage(spending.usage, usage),
    workers: { ...spending.workers, [worker]: { ...before, usage: addUsage(before.usage, usage) } },
  };
}

function seen(spending: Spending, lastMs: number): Spending {
  const { process, open } = spending;
  if (process === undefined) return spending;
  // A calendar that was set back takes nothing away from what was used before.
  const backMs = Math.max(0, process.lastMs - lastMs);
  return {
    ...spending,
    process: { sinceMs: process.sinceMs - backMs, lastMs },
    open: backMs === 0
      ? open
      : Object.fromEntries(Object.entries(open).map(([worker, sinceMs]) => [worker, sinceMs - backMs])),
  };
}

function isOfAnother({ standstill, open }: Spending, worker: string): boolean {
  return standstill.command.worker !== worker && Object.hasOwn(open, standstill.command.worker);
}

function openSeconds({ open }: Spending, worker: string, untilMs: number): number {
  return Math.max(0, untilMs - (open[worker] ?? untilMs)) / 1000;
}

function allEnded(spending: Spending, secondsOf: (worker: string) => number): Spending {
  return Object.keys(spending.open).reduce((now, worker) => turnEnded(now, worker, secondsOf(worker)), spending);
}

function turnEnded(spending: Spending, worker: string, ofTurn: number): Spending {
  const { [worker]: _over, ...open } = spending.open;
  const before = spending.workers[worker] ?? NOTHING_USED;
  return {
    ...spending,
    open,
    workers: { ...spending.workers, [worker]: { ...before, seconds: before.seconds + ofTurn } },
  };
}
