/**
 * A function that does the same as `task`, but begins only when the call before it has ended, however that went.
 *
 * @example
 * ```ts
 * import { assertEquals } from "@std/assert";
 * let running = 0;
 * const most: number[] = [];
 * const task = oneAtATime(async () => {
 *   most.push(++running);
 *   await Promise.resolve();
 *   running--;
 * });
 * await Promise.all([task(), task(), task()]);
 * assertEquals(most, [1, 1, 1]);
 * ```
 */
export function oneAtATime<T>(task: () => Promise<T>): () => Promise<T> {
  let last: Promise<unknown> = Promise.resolve();
  return () => {
    const next = last.then(task, task);
    last = next;
    return next;
  };
}
