import type { Clock } from "../../ports/clock.ts";
import type { PaneLook } from "./pane_look.ts";

/** How a pane is looked at while something is awaited. */
export interface LookOptions {
  readonly clock: Clock;
  readonly timeoutMs: number;
  readonly signal?: AbortSignal;
}

/** How often the screen is looked at while something is awaited (agent-deck's figure). */
export const LOOK_EVERY_MS = 50;

/** How often a look is tried that fails, with growing pauses. */
const MAX_LOOK_ATTEMPTS = 3;

/** Looks until it is as it should be, or the time for that is over; the last look in any case. */
export async function lookUntil(
  look: () => Promise<PaneLook>,
  options: LookOptions,
  accept: (look: PaneLook) => boolean,
): Promise<PaneLook> {
  const { clock, timeoutMs, signal } = options;
  for (const start = clock.now();;) {
    const now = await lookWithRetry(look, options);
    if (accept(now) || clock.now() - start >= timeoutMs) return now;
    await clock.sleep(LOOK_EVERY_MS, signal);
  }
}

/** A pane that cannot be read once, between a key and its proof, must not cost the turn. */
export async function lookWithRetry(
  look: () => Promise<PaneLook>,
  { clock, signal }: Pick<LookOptions, "clock" | "signal">,
): Promise<PaneLook> {
  for (let attempt = 1;; attempt++) {
    signal?.throwIfAborted();
    try {
      return await look();
    } catch (error) {
      signal?.throwIfAborted();
      if (attempt === MAX_LOOK_ATTEMPTS) throw error;
      await clock.sleep(LOOK_EVERY_MS * 2 ** attempt, signal);
    }
  }
}
