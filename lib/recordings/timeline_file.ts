import { UsageError } from "../errors.ts";
import { type ReadTimeline, readTimeline } from "./timeline_reader.ts";
import { errorText } from "../text/error_text.ts";

/** The most that a recording may hold; an hour of a busy 220×50 pane is about 300 MB, and V8's strings end at 512 MB. */
const MAX_BYTES = 500 * 1024 ** 2;

/**
 * Reads a recording from a file, plain or compressed with gzip, whatever its name.
 *
 * @throws {UsageError} for a file that cannot be read or is no recording
 */
export async function loadTimeline(path: string): Promise<ReadTimeline> {
  const { text, cut } = await readPossiblyCompressed(path);
  const timeline = readTimeline(text, path);
  return cut ? { ...timeline, warnings: [`${path} is cut: its end is lost.`, ...timeline.warnings] } : timeline;
}

async function readPossiblyCompressed(path: string): Promise<{ readonly text: string; readonly cut: boolean }> {
  let bytes: Uint8Array<ArrayBuffer>;
  try {
    bytes = await Deno.readFile(path);
  } catch (cause) {
    throw cannotRead(path, errorText(cause), cause);
  }
  if (bytes.length > MAX_BYTES) throw tooLarge(path);
  if (bytes[0] !== 0x1f || bytes[1] !== 0x8b) return { text: new TextDecoder().decode(bytes), cut: false };
  const decoder = new TextDecoder();
  let text = "";
  let size = 0;
  try {
    for await (const chunk of new Blob([bytes]).stream().pipeThrough(new DecompressionStream("gzip"))) {
      size += chunk.length;
      if (size > MAX_BYTES) throw tooLarge(path);
      text += decoder.decode(chunk, { stream: true });
    }
  } catch (cause) {
    if (cause instanceof UsageError) throw cause;
    if (text === "") throw cannotRead(path, "its gzip data is damaged", cause);
    return { text, cut: true };
  }
  return { text, cut: false };
}

function tooLarge(path: string): UsageError {
  return cannotRead(path, `it holds more than ${MAX_BYTES / 1024 ** 2} MB`);
}

function cannotRead(path: string, problem: string, cause?: unknown): UsageError {
  return new UsageError(`Cannot read ${path}: ${problem}`, cause === undefined ? {} : { cause });
}
