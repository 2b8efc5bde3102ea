/** What the waiting code knows of time, so that tests can stand in for it. */
export interface Clock {
  /** Milliseconds on a monotonic scale; only differences mean anything. */
  now(): number;
  /** Resolves after `ms`; rejects with the signal's reason as soon as it is aborted. */
  sleep(ms: number, signal?: AbortSignal): Promise<void>;
}

/** The real clock: `performance.now`, which stands still while a laptop is suspended and never goes back. */
export const systemClock: Clock = {
  now: () => performance.now(),
  sleep: (ms, signal) => sleepWithTimer(ms, signal),
};

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
