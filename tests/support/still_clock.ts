import type { Clock } from "../../lib/base/ports/clock.ts";

/** A clock that only moves when it is told to; whoever sleeps on it moves it as well. */
export interface StillClock extends Clock {
  advance(ms: number): void;
}

/** A clock that stands at `startMs`. */
export function stillClock(startMs = 0): StillClock {
  let nowMs = startMs;
  return {
    now: () => nowMs,
    advance: (ms) => void (nowMs += ms),
    sleep: (ms) => Promise.resolve(void (nowMs += ms)),
  };
}
