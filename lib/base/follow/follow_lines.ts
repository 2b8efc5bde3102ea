import { LogWatch } from "./log_watch.ts";
import { LineTail, type TailRead } from "./line_tail.ts";

/** Options of {@linkcode followLines}. */
export interface FollowOptions {
  /** Aborted when the writer has ended: what has been written is still read, and an unfinished last line is yielded. */
  readonly writerEnded?: AbortSignal;
  /** Stops reading at once. */
  readonly signal?: AbortSignal;
  /**
   * Milliseconds after which the file is read even without an event.
   *
   * @default {1000}
   */
  readonly rescanMs?: number;
}

/**
 * Yields the lines of a file from its beginning, as they are written, until the writer has ended. The file and its
 * folders may appear later.
 *
 * @throws the reason of `signal` when that is aborted
 */
export async function* followLines(path: string, options: FollowOptions = {}): AsyncGenerator<TailRead> {
  const { writerEnded, signal, rescanMs = 1000 } = options;
  using tail = new LineTail(path);
  await using watch = new LogWatch(path);
  const wake = AbortSignal.any([writerEnded, signal].filter((one) => one !== undefined));
  for (;;) {
    signal?.throwIfAborted();
    // Checked before the read, so that the read includes all that was written before the end.
    const last = writerEnded?.aborted ?? false;
    const read = await tail.read();
    if (read.lines.length > 0 || read.restarted !== undefined) {
      yield read;
      continue;
    }
    if (last) break;
    await watch.wait(rescanMs, wake).catch((error) => {
      if (!writerEnded?.aborted) throw error;
    });
  }
  const rest = tail.unfinishedLine();
  if (rest !== "") yield { lines: [rest] };
}
