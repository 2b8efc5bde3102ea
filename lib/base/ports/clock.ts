/** Time, as code that waits sees it; tests replace it. */
export interface Clock {
  /** Milliseconds on a monotonic scale; only differences mean anything. */
  now(): number;
  /** Resolves after `ms`; rejects with the signal's reason as soon as it is aborted. */
  sleep(ms: number, signal?: AbortSignal): Promise<void>;
}

interface AwakeClockParts {
  /** Milliseconds on a monotonic scale that may advance while this process stands still. */
  readonly monotonicNow: () => number;
  /** Resolves after `ms` on that scale; rejects with the signal's reason as soon as it is aborted. */
  readonly wait: (ms: number, signal?: AbortSignal) => Promise<void>;
}

/** How often the time is read while anything sleeps. */
const BEAT_MS = 2000;

/** Timers that are to wait longer ring at once. */
const MOST_MS = 2 ** 31 - 1;

/** A delay up to this is put down to a busy machine, not to a process that was stopped. */
const LATE_MS = 5000;

/**
 * A clock that does not count the time in which this process stood still: stopped (SIGSTOP, Ctrl-Z), in a paused
 * container, or on a suspended laptop whose monotonic clock keeps running. Otherwise every limit would have passed when
 * it resumes.
 *
 * A reading of the time that comes more than 5 s late while something sleeps shows it; up to 2 s of it are counted.
 *
 * @example
 * ```ts
 * import { assertEquals } from "@std/assert";
 * let now = 0;
 * const standsStillOnce = (ms: number) => Promise.resolve(void (now += now === 0 ? 3_600_000 : ms));
 * const clock = createAwakeClock({ monotonicNow: () => now, wait: standsStillOnce });
 * await clock.sleep(1500);
 * assertEquals(clock.now(), 2000);
 * ```
 */
export function createAwakeClock({ monotonicNow, wait }: AwakeClockParts): Clock {
  let sleepers = 0;
  let longSleepers = 0;
  let lookedMs = monotonicNow();
  let stoodStillMs = 0;
  let beat: AbortController | undefined;

  function now(): number {
    const nowMs = monotonicNow();
    const betweenMs = nowMs - lookedMs;
    if (sleepers > 0 && betweenMs > BEAT_MS + LATE_MS) stoodStillMs += betweenMs - BEAT_MS;
    lookedMs = nowMs;
    return nowMs - stoodStillMs;
  }

  async function keepLooking(signal: AbortSignal): Promise<void> {
    for (;; now()) await wait(BEAT_MS, signal);
  }

  return {
    now,
    async sleep(ms, signal) {
      const untilMs = now() + ms;
      const isLong = ms > BEAT_MS;
      sleepers++;
      if (isLong && ++longSleepers === 1) {
        beat = new AbortController();
        keepLooking(beat.signal).catch(() => {});
      }
      try {
        let leftMs = ms;
        do {
          await wait(Math.min(leftMs, MOST_MS), signal);
          leftMs = untilMs - now();
        } while (leftMs >= 1);
      } finally {
        now();
        sleepers--;
        if (isLong && --longSleepers === 0) beat?.abort();
      }
    },
  };
}

/** The real clock: `performance.now`, which never goes back, less the time in which this process stood still. */
export const systemClock: Clock = createAwakeClock({
  monotonicNow: () => performance.now(),
  wait: (ms, signal) => sleepWithTimer(ms, signal),
});

/**
 * A timer as a promise that an `AbortSignal` ends early.
 *
 * @throws the signal's reason when it is aborted before the time has passed
 */
export function sleepWithTimer(ms: number, signal?: AbortSignal): Promise<void> {
  return new Promise((resolve, reject) => {
    if (signal?.aborted) return reject(signal.reason);
    const onAbort = () => {
      clearTimeout(timer);
      reject(signal?.reason);
    };
    const timer = setTimeout(() => {
      signal?.removeEventListener("abort", onAbort);
      resolve();
    }, ms);
    signal?.addEventListener("abort", onAbort, { once: true });
  });
}
