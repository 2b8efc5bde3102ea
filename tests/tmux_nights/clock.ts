import type { Clock } from "../../lib/base/ports/clock.ts";

/** How fast time passes: beside a program that works, or while nothing does but who waits. */
export type Pace = "work" | "wait";

/** A clock for a night with real programs. */
export interface NightClock extends Clock {
  pace: Pace;
  wallClock(): Date;
}

interface Sleeper {
  readonly untilMs: number;
  /** Whether it waits for so short a time that it may sleep longer, as on a busy machine. */
  readonly isShort: boolean;
  readonly wake: () => void;
}

/** How many of its milliseconds pass in a tick. */
const STEP_MS: Readonly<Record<Pace, number>> = { work: 20, wait: 1000 };
const TICK_MS = 2;
const SHORT_MS = 1000;
/** Whoever looks at real programs, or waits for them, sleeps for less: beyond that time leaps. */
const LEAP_MS = 20_000;

/**
 * Makes a clock on which time passes only while somebody sleeps. Beside programs that work it passes ten times as fast as
 * it does; while a night waits, all sleepers wake in their order, but short sleeps last up to a second.
 */
export function createNightClock(start: Date): NightClock & Disposable {
  const sleepers = new Set<Sleeper>();
  let nowMs = 0;
  const clock = {
    pace: "work" as Pace,
    now: () => nowMs,
    wallClock: () => new Date(start.getTime() + nowMs),
    sleep: (ms: number, signal?: AbortSignal) =>
      new Promise<void>((resolve, reject) => {
        if (signal?.aborted) return reject(signal.reason);
        const end = (settle: () => void) => {
          sleepers.delete(sleeper);
          signal?.removeEventListener("abort", onAbort);
          settle();
        };
        const sleeper = { untilMs: nowMs + ms, isShort: ms < SHORT_MS, wake: () => end(resolve) };
        const onAbort = () => end(() => reject(signal?.reason));
        signal?.addEventListener("abort", onAbort, { once: true });
        sleepers.add(sleeper);
      }),
    [Symbol.dispose]: () => clearInterval(timer),
  };
  const timer = setInterval(() => {
    if (sleepers.size === 0) return;
    const isWait = clock.pace === "wait";
    const firstMs = Math.min(
      ...[...sleepers].map(({ untilMs, isShort }) => isWait && isShort ? Infinity : untilMs),
    );
    const mayLeap = isWait && firstMs < Infinity && firstMs - nowMs >= LEAP_MS;
    nowMs = mayLeap ? firstMs : Math.min(nowMs + STEP_MS[clock.pace], Math.max(firstMs, nowMs));
    for (const { untilMs, wake } of [...sleepers]) if (untilMs <= nowMs) wake();
  }, TICK_MS);
  return clock;
}
