import { type Clock, sleepWithTimer } from "../../lib/base/ports/clock.ts";

/** A clock for tests with real programs: limits are numbers of looks on it, and not how fast this machine is. */
export interface PatientClock extends Clock {
  /** Lets time pass at once, for whoever sleeps. */
  advance(ms: number): void;
  /** How many sleep. */
  sleepers(): number;
}

/**
 * Makes a clock on which time passes only while somebody sleeps. What takes the machine long takes no time here, so
 * that code which looks every 20 ms for up to 1 s looks 50 times, however long each look takes. The end of a longer
 * sleep beside that is a leap for it: `byHandFromMs` keeps those apart.
 *
 * @param pace how many milliseconds of this clock pass in one that is really slept
 * @param byHandFromMs sleeps of this length and longer ones end only when {@linkcode PatientClock.advance} gets there
 * @param coarseness how many times as long as it was asked for a sleep lasts, as on a machine that is busy
 */
export function patientClock({ pace = 1, coarseness = 1, byHandFromMs = Infinity } = {}): PatientClock {
  let nowMs = 0;
  const sleepers = new Set<{ readonly untilMs: number; readonly wake: () => void }>();
  return {
    now: () => nowMs,
    async sleep(ms, signal) {
      signal?.throwIfAborted();
      const untilMs = nowMs + ms * coarseness;
      const woken = new AbortController();
      const sleeper = { untilMs, wake: () => woken.abort() };
      sleepers.add(sleeper);
      try {
        // Much longer than any test takes, and still a timer, so that the process lives.
        await sleepWithTimer(
          ms >= byHandFromMs ? 3_600_000 : ms / pace,
          signal === undefined ? woken.signal : AbortSignal.any([signal, woken.signal]),
        );
      } catch (error) {
        if (!woken.signal.aborted) throw error;
      } finally {
        sleepers.delete(sleeper);
      }
      nowMs = Math.max(nowMs, untilMs);
    },
    sleepers: () => sleepers.size,
    advance(ms) {
      nowMs += ms;
      for (const { untilMs, wake } of sleepers) if (untilMs <= nowMs) wake();
    },
  };
}
