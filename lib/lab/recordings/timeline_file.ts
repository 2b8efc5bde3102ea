import { UsageError } from "../../base/errors.ts";
import { readBounded } from "../../base/ports/bounded.ts";
import { type ReadTimeline, readTimeline } from "./timeline_reader.ts";
import { errorText } from "../../base/text/error_text.ts";

/** The largest recording that is read; an hour of a busy 220×50 pane is about 300 MB, V8's strings end at 512 MB. */
const MAX_BYTES = 500 * 1024 ** 2;

export async function loadTimeline(path: string): Promise<ReadTimeline> {
  const { text, cut } = await readPossiblyCompressed(path);
  const timeline = readTimeline(text, path);
  return cut ? { ...timeline, warnings: [`${path} is truncated: its end is lost.`, ...timeline.warnings] } : timeline;
}

async function readPossiblyCompressed(path: string): Promise<{ readonly text: string; readonly cut: boolean }> {
  let bytes: Uint8Array<ArrayBuffer>;
  try {
    bytes = await readBounded(path, { maxBytes: MAX_BYTES });
  } catch (cause) {
    if (cause instanceof UsageError) throw cause;
    throw cannotRead(path, errorText(cause), cause);
  }
  if (bytes[0] !== 0x1f || bytes[1] !== 0x8b) return { text: new TextDecoder().decode(bytes), cut: false };
  const decoder = new TextDecoder();
  let text = "";
  let size = 0;
  try {
    for await (const chunk of new Blob([bytes]).stream().pipeThrough(new DecompressionStream("gzip"))) {
      size += chunk.length;
      if (size > MAX_BYTES) throw cannotRead(path, `it is larger than ${MAX_BYTES / 1024 ** 2} MiB`);
      text += decoder.decode(chunk, { stream: true });
    }
  } catch (cause) {
    if (cause instanceof UsageError) throw cause;
    if (text === "") throw cannotRead(path, "its gzip data is damaged", cause);
    return { text, cut: true };
  }
  return { text, cut: false };
}

function cannotRead(path: string, problem: string, cause?: unknown): UsageError {
  return new UsageError(`Cannot read ${path}: ${problem}`, cause === undefined ? {} : { cause });
}

interface RecordingFile extends Disposable {
  /** Hands text to the system at once: nothing is lost when this process ends, however it ends. */
  write(text: string): void;
}

export function createRecordingFile(path: string): RecordingFile {
  if (path.endsWith(".gz")) {
    throw new UsageError(`Cannot record to ${path}: a recording is written frame by frame, uncompressed`, {
      hint: "Leave .gz off, and run gzip on the finished recording: every command reads it compressed as well.",
    });
  }
  let file: Deno.FsFile;
  try {
    file = Deno.openSync(path, { createNew: true, write: true, mode: 0o600 });
  } catch (cause) {
    const problem = cause instanceof Deno.errors.AlreadyExists ? "it exists already" : errorText(cause);
    throw new UsageError(`Cannot record to ${path}: ${problem}`, { hint: "Name another file with -o.", cause });
  }
  let empty = true;
  return {
    write(text) {
      let bytes = new TextEncoder().encode(text);
      while (bytes.length > 0) bytes = bytes.subarray(file.writeSync(bytes));
      empty = false;
    },
    [Symbol.dispose]() {
      file.close();
      if (empty) Deno.removeSync(path);
    },
  };
}
