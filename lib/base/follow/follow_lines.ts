import { LineTail, type TailRead } from "./line_tail.ts";
import { LogWatch } from "./log_watch.ts";

const RESCAN_MS = 1000;

/**
 * Yields the lines of a file from its beginning, as they are written, until the writer has ended: what it has written
 * is still read, and an unfinished last line is yielded. The file and its folders may appear later.
 */
export async function* followLines(path: string, writerEnded: AbortSignal): AsyncGenerator<TailRead> {
  using tail = new LineTail(path);
  await using watch = new LogWatch(path);
  for (;;) {
    // Checked before the read, so that the read includes all that was written before the end.
    const last = writerEnded.aborted;
    const read = await tail.read();
    if (read.lines.length > 0 || read.restarted !== undefined) yield read;
    else if (last) break;
    else await watch.wait(RESCAN_MS, writerEnded).catch(() => {});
  }
  const rest = tail.unfinishedLine();
  if (rest !== "") yield { lines: [rest] };
}
