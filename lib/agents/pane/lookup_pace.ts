import type { Clock } from "../../base/ports/clock.ts";

const PAUSES_MS = [0, 200, 300, 500, 1000, 2000, 5000, 10_000] as const;

/**
 * Says when to repeat a lookup that is too costly for each poll: not before it is wanted, and then ever more rarely.
 */
export class LookupPace {
  #attempts: number | undefined;
  #nextMs = 0;

  constructor(readonly clock: Clock) {}

  want(inMs = 0): void {
    this.#attempts = 0;
    this.#nextMs = this.clock.now() + inMs;
  }

  rest(): void {
    this.#attempts = undefined;
  }

  take(): boolean {
    if (this.#attempts === undefined || this.clock.now() < this.#nextMs) return false;
    this.#attempts++;
    this.#nextMs = this.clock.now() + PAUSES_MS[Math.min(this.#attempts, PAUSES_MS.length - 1)]!;
    return true;
  }
}
