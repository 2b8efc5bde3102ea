import { UsageError } from "../errors.ts";
import { errorText } from "../text/error_text.ts";

/** A new file that a recording is written to. */
export interface RecordingFile extends Disposable {
  /** Hands text to the system at once: nothing is lost when this process ends, however it ends. */
  write(text: string): void;
}

/**
 * Makes the file of a recording, readable for its owner only. One that nothing was written to is removed on disposal.
 *
 * @throws {UsageError} when it exists or cannot be made
 */
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
