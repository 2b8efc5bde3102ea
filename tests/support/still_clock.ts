import type { Clock } from "../../lib/base/ports/clock.ts";

/** A clock that only moves when it is told to; whoever sleeps on it moves it as well. */
export interface StillClock extends Clock {
  advance(ms: number): void;
  /** Is waited for by the next sleep: what happens meanwhile. */
  meanwhile?: () => Promise<void>;
}

/** A clock that stands at `startMs`. */
export function stillClock(startMs = 0): StillClock {
  let nowMs = startMs;
  const clock: StillClock = {
    now: () => nowMs,
    advance: (ms) => void (nowMs += ms),
    async sleep(ms) {
      nowMs += ms;
      const { meanwhile } = clock;
      delete clock.meanwhile;
      await meanwhile?.();
    },
  };
  return clock;
}
