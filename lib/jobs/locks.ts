export interface Locks<Key> {
  /**
   * Waits until nobody has the lock of a key any more, in the order of the calls, and takes it until it is disposed of.
   */
  take(key: Key, signal: AbortSignal): Promise<Disposable>;
}

export function createLocks<Key>(): Locks<Key> {
  const ends = new Map<Key, Promise<void>>();
  return {
    async take(key, signal) {
      signal.throwIfAborted();
      const { promise: released, resolve: release } = Promise.withResolvers<void>();
      const before = ends.get(key) ?? Promise.resolve();
      ends.set(key, before.then(() => released));
      const { promise: aborted, reject } = Promise.withResolvers<never>();
      const onAbort = () => reject(signal.reason);
      signal.addEventListener("abort", onAbort, { once: true });
      try {
        await Promise.race([before, aborted]);
      } catch (error) {
        release();
        throw error;
      } finally {
        signal.removeEventListener("abort", onAbort);
      }
      return { [Symbol.dispose]: release };
    },
  };
}
