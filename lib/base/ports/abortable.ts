/**
 * Calls something that takes no signal, and stops waiting for it when the signal is aborted.
 *
 * @throws the signal's reason, or what the call throws
 */
export async function abortable<T>(call: () => Promise<T>, signal: AbortSignal | undefined): Promise<T> {
  if (signal === undefined) return await call();
  signal.throwIfAborted();
  const aborted = Promise.withResolvers<never>();
  const onAbort = () => aborted.reject(signal.reason);
  signal.addEventListener("abort", onAbort, { once: true });
  try {
    return await Promise.race([call(), aborted.promise]);
  } finally {
    signal.removeEventListener("abort", onAbort);
  }
}
