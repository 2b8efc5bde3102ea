import type { Clock } from "../base/ports/clock.ts";
import { isAtRest, type TerminalStatus } from "../base/status.ts";

/** How far apart the two looks are that must find a terminal at rest. */
export const SETTLE_INTERVAL_MS = 1000;
export const SETTLE_LIMIT_MS = 10_000;

export interface RestLook {
  readonly status: TerminalStatus;
  readonly restIsRecorded?: boolean;
}

/**
 * Waits until two looks at a terminal in a row, a second apart, find it at rest; where screen and record both say so,
 * one look does.
 */
export async function comesToRest(
  read: () => Promise<RestLook>,
  { clock, signal }: { readonly clock: Clock; readonly signal?: AbortSignal },
): Promise<boolean> {
  const limitMs = clock.now() + SETTLE_LIMIT_MS;
  for (let looksAtRest = 0;;) {
    const { status, restIsRecorded = false } = await read();
    looksAtRest = isAtRest(status) ? looksAtRest + 1 : 0;
    if (looksAtRest === 2 || (looksAtRest === 1 && restIsRecorded)) return true;
    if (status === "error" || clock.now() >= limitMs) return false;
    await clock.sleep(SETTLE_INTERVAL_MS, signal);
  }
}

export type Settling<Key> = ReturnType<typeof createSettling<Key>>;

/** Lets several terminals come to rest side by side, so that only the first prompt of all waits for it. */
export function createSettling<Key>(
  { clock, signal: outer }: { readonly clock: Clock; readonly signal: AbortSignal },
) {
  const over = new AbortController();
  const signal = AbortSignal.any([outer, over.signal]);
  const settled = new Map<Key, Promise<boolean>>();
  return {
    watch(key: Key, read: (signal: AbortSignal) => Promise<RestLook>): void {
      settled.set(key, comesToRest(() => read(signal), { clock, signal }).catch(() => false));
    },
    /** Whether the terminal has come to rest; false as well where it cannot be looked at, or nobody did. */
    hasSettled: async (key: Key): Promise<boolean> => await settled.get(key) ?? false,
    [Symbol.dispose]: () => over.abort(),
  };
}
