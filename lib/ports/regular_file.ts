import { Buffer } from "node:buffer";
import { closeSync, constants, fstatSync, openSync, readSync } from "node:fs";

/** What {@linkcode readRegularFile} goes by. */
export interface RegularFileOptions {
  /** The most that is read. */
  readonly maxBytes: number;
}

/** What stands in a file's place, or a file that is too large: nothing of it was read. */
export class UnreadableFileError extends Error {
  override name = "UnreadableFileError";
}

/**
 * Reads a regular file, without following a link that stands in its place (links among its folders are followed) and without
 * waiting for what is not a file: a FIFO or a device.
 *
 * @throws {Deno.errors.NotFound} when there is nothing
 * @throws {UnreadableFileError} when it is not a regular file, or larger than `maxBytes`
 */
export function readRegularFile(path: string, { maxBytes }: RegularFileOptions): Uint8Array<ArrayBuffer> {
  const seen = Deno.lstatSync(path);
  assertRegular(seen);
  const file = openSync(path, constants.O_RDONLY | constants.O_NOFOLLOW | constants.O_NONBLOCK);
  try {
    const opened = fstatSync(file);
    // Without the permission for everything, Deno resolves links before it opens: what was opened must be what was seen.
    if (opened.dev !== seen.dev || opened.ino !== seen.ino || !opened.isFile()) {
      throw new UnreadableFileError("it was replaced while it was opened");
    }
    return readUpTo(file, maxBytes);
  } finally {
    closeSync(file);
  }
}

function assertRegular({ isFile, isSymlink, isDirectory, isFifo }: Deno.FileInfo): void {
  if (isFile) return;
  const what = isSymlink ? "a link" : isDirectory ? "a folder" : isFifo ? "a FIFO" : "not a regular file";
  throw new UnreadableFileError(`it is ${what}`);
}

/** A file may grow while it is read, so its size is no limit. */
function readUpTo(file: number, maxBytes: number): Uint8Array<ArrayBuffer> {
  const chunks: Uint8Array[] = [];
  let length = 0;
  for (;;) {
    const chunk = Buffer.alloc(64 * 1024);
    const count = readSync(file, chunk);
    if (count === 0) return new Uint8Array(Buffer.concat(chunks, length));
    length += count;
    if (length > maxBytes) throw new UnreadableFileError(`it is larger than ${maxBytes} bytes`);
    chunks.push(chunk.subarray(0, count));
  }
}
