import { UsageError } from "../base/errors.ts";
import { lstatOrUndefined } from "../base/ports/files.ts";
import { LineTail } from "../base/follow/line_tail.ts";
import { errorText } from "../base/text/error_text.ts";
import { earlierPathOf, MAX_ACTIVITY_BYTES, readActivityLine, type ToldActivity } from "./activity_file.ts";

export class ActivityTail implements Disposable {
  #earlier: LineTail | undefined;
  readonly #now: LineTail;

  /** @param path as `activityPathOf` has it; it need not exist yet */
  constructor(path: string) {
    this.#earlier = new LineTail(earlierPathOf(path));
    this.#now = new LineTail(path);
  }

  /**
   * What has come since the last call; nothing once all was read.
   *
   * @throws {UsageError} when the file cannot be read, or is not one of ours
   */
  async read(): Promise<readonly ToldActivity[]> {
    if (this.#earlier !== undefined) {
      const lines = await linesOf(this.#earlier);
      this.#earlier[Symbol.dispose]();
      this.#earlier = undefined;
      if (lines.length > 0) return activitiesOf(lines);
    }
    return activitiesOf(await linesOf(this.#now));
  }

  [Symbol.dispose](): void {
    this.#earlier?.[Symbol.dispose]();
    this.#now[Symbol.dispose]();
  }
}

async function linesOf(tail: LineTail): Promise<readonly string[]> {
  const size = lstatOrUndefined(tail.path)?.size ?? 0;
  if (size > 2 * MAX_ACTIVITY_BYTES) throw unreadable(tail.path, "it is larger than panewright writes it");
  try {
    return (await tail.read()).lines;
  } catch (error) {
    throw unreadable(tail.path, errorText(error));
  }
}

function unreadable(path: string, why: string): UsageError {
  return new UsageError(`Cannot read what the agent did from ${path}: ${why}`, {
    hint: "The run itself does not use the file: it can be removed.",
  });
}

function activitiesOf(lines: readonly string[]): readonly ToldActivity[] {
  return lines.flatMap((line) => readActivityLine(line) ?? []);
}
