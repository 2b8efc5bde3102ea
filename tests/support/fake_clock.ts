import { FakeTime } from "@std/testing/time";
import { type Clock, sleepWithTimer } from "../../lib/base/ports/clock.ts";

/** A clock that only moves when a test moves it, and that takes over Date and the timers while it lives. */
export interface FakeClock extends Clock, Disposable {
  /** Seconds since the clock was made. */
  elapsedSeconds(): number;
  /**
   * Plans something for a time, counted in seconds from the clock's start. It is done, to its end, before anything that
   * sleeps until the same time wakes up.
   */
  at(seconds: number, action: () => void | Promise<void>): void;
  /**
   * Lets time pass, from one wake-up to the next, until a promise is settled. Time stands still while files are read or
   * programs run: it moves only when the code under test sleeps on this clock.
   *
   * @throws what the promise rejects with; {Error} when the promise is not settled after `limitSeconds`, or nothing
   * sleeps for two real minutes
   */
  runUntilSettled<T>(promise: Promise<T>, options?: { readonly limitSeconds?: number }): Promise<T>;
}

const DEFAULT_LIMIT_SECONDS = 24 * 3600;
const REAL_LIMIT_MS = 120_000;
/** Real turns of the event loop that whatever runs beside the first sleeper gets before time moves. */
const EXTRA_TURNS = 2;
/** How long to look for a sleeper without a pause: files take less, programs take more. */
const SPIN_MS = 20;

/**
 * One turn of the real event loop: FakeTime leaves immediates alone, and they do not wait the millisecond of a timer.
 */
function realTurn(): Promise<void> {
  return new Promise((resolve) => setImmediate(resolve));
}

/** Makes a fake clock; `using` gives Date and the timers back. */
export function createFakeClock(): FakeClock {
  const time = new FakeTime();
  const startMs = Date.now();
  const wakeUps = new Set<{ readonly atMs: number }>();
  const plans: { readonly atMs: number; readonly action: () => void | Promise<void> }[] = [];

  async function untilAsleep(isSettled: () => boolean): Promise<void> {
    const startedMs = performance.now();
    for (let turns = 0; turns < EXTRA_TURNS && !isSettled(); turns = wakeUps.size > 0 ? turns + 1 : 0) {
      const waitedMs = performance.now() - startedMs;
      if (waitedMs > REAL_LIMIT_MS) throw new Error("what is under test neither sleeps nor ends");
      await (waitedMs < SPIN_MS ? realTurn() : time.delay(1));
    }
  }

  async function advance(limitMs: number): Promise<void> {
    const wakeMs = Math.min(...[...wakeUps].map(({ atMs }) => atMs));
    const plan = plans[0];
    const nextMs = Math.min(wakeMs, plan?.atMs ?? Infinity);
    if (nextMs > limitMs) throw new Error(`not settled after ${(limitMs - startMs) / 1000} s`);
    if (plan !== undefined && plan.atMs <= wakeMs) {
      plans.shift();
      // What sleeps until the same time must not wake up yet.
      if (plan.atMs < wakeMs) time.tick(Math.max(0, plan.atMs - Date.now()));
      await plan.action();
    } else {
      time.tick(Math.max(0, wakeMs - Date.now()));
    }
  }

  return {
    now: () => Date.now(),
    async sleep(ms, signal) {
      const wakeUp = { atMs: Date.now() + ms };
      wakeUps.add(wakeUp);
      try {
        await sleepWithTimer(ms, signal);
      } finally {
        wakeUps.delete(wakeUp);
      }
    },
    elapsedSeconds: () => (Date.now() - startMs) / 1000,
    at(seconds, action) {
      plans.push({ atMs: startMs + seconds * 1000, action });
      plans.sort((one, other) => one.atMs - other.atMs);
    },
    async runUntilSettled(promise, { limitSeconds = DEFAULT_LIMIT_SECONDS } = {}) {
      let settled = false;
      promise.then(() => settled = true, () => settled = true);
      for (;;) {
        await untilAsleep(() => settled);
        if (settled) return await promise;
        await advance(startMs + limitSeconds * 1000);
      }
    },
    [Symbol.dispose]: () => time.restore(),
  };
}
