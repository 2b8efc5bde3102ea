import type { Clock } from "../../../lib/base/ports/clock.ts";

/** A clock that stands still until a test moves it. */
export interface ManualClock extends Clock {
  /** Moves time on, wakes the sleepers whose time has come in their order, and lets what they do settle. */
  advance(ms: number): Promise<void>;
  /** How many sleep now. */
  readonly sleepers: number;
}

interface Sleeper {
  readonly at: number;
  wake(): void;
}

/** A clock at 0. */
export function createManualClock(): ManualClock {
  let now = 0;
  let sleeping: Sleeper[] = [];
  const settle = () => new Promise<void>((resolve) => setTimeout(resolve));
  return {
    now: () => now,
    sleep(ms, signal) {
      return new Promise((resolve, reject) => {
        if (signal?.aborted) return reject(signal.reason);
        const sleeper: Sleeper = { at: now + ms, wake: resolve };
        sleeping.push(sleeper);
        signal?.addEventListener("abort", () => {
          sleeping = sleeping.filter((one) => one !== sleeper);
          reject(signal.reason);
        }, { once: true });
      });
    },
    async advance(ms) {
      const end = now + ms;
      await settle();
      for (;;) {
        const next = sleeping.filter((one) => one.at <= end).toSorted((a, b) => a.at - b.at)[0];
        if (next === undefined) break;
        sleeping = sleeping.filter((one) => one !== next);
        now = Math.max(now, next.at);
        next.wake();
        await settle();
      }
      now = end;
    },
    get sleepers() {
      return sleeping.length;
    },
  };
}
