import { joinBytes } from "./bytes.ts";

/** What {@linkcode readRegularFile} goes by. */
interface RegularFileOptions {
  readonly maxBytes: number;
}

/** What stands in a file's place, or a file that is too large: nothing of it was read. */
export class UnreadableFileError extends Error {
  override name = "UnreadableFileError";
}

export interface RegularFile extends Disposable {
  stat(): Deno.FileInfo;
  /**
   * Reads into all of `bytes`, or up to the file's end.
   *
   * @returns how many bytes were read
   */
  readAt(offset: number, bytes: Uint8Array): number;
  /** Writes all of `bytes`; at the file's end where it was opened to append. */
  write(bytes: Uint8Array): void;
  truncate(length: number): void;
  sync(): void;
}

/** How {@linkcode openRegularFile} opens a file. */
interface OpenRegularFileOptions {
  /** `append` reads, too. */
  readonly access: "read" | "append";
  /** Whether a missing file is made, for its owner alone. @default {false} */
  readonly create?: boolean;
  /** Whether a link in the file's place is followed. @default {false} */
  readonly followLinks?: boolean;
}

/**
 * Opens a regular file, without following a link that stands in its place (links among its folders are followed) and
 * without waiting for what is not a file: a FIFO or a device. What was opened is what was seen before; a FIFO that
 * takes the file's place in the moment between the two would still keep the program waiting.
 *
 * @throws {Deno.errors.NotFound} when there is nothing
 * @throws {UnreadableFileError} when it is not a regular file
 */
export function openRegularFile(path: string, options: OpenRegularFileOptions): RegularFile {
  const { access, create = false, followLinks = false } = options;
  const look = () => followLinks ? Deno.statSync(path) : Deno.lstatSync(path);
  const seen = create ? lookUnlessMissing(look) : look();
  if (seen !== undefined) assertRegular(seen);
  const file = seen === undefined
    ? Deno.openSync(path, { read: true, append: true, createNew: true, mode: 0o600 })
    : Deno.openSync(path, { read: true, append: access === "append" });
  try {
    assertSame(file.statSync(), seen);
  } catch (error) {
    file.close();
    throw error;
  }
  return {
    stat: () => file.statSync(),
    readAt(offset, bytes) {
      file.seekSync(offset, Deno.SeekMode.Start);
      let length = 0;
      while (length < bytes.length) {
        const count = file.readSync(bytes.subarray(length));
        if (count === null) break;
        length += count;
      }
      return length;
    },
    write(bytes) {
      for (let written = 0; written < bytes.length;) written += file.writeSync(bytes.subarray(written));
    },
    truncate: (length) => file.truncateSync(length),
    sync: () => file.syncDataSync(),
    [Symbol.dispose]: () => file.close(),
  };
}

/**
 * Refuses an open file that is not the one that was seen at its path.
 *
 * @throws {UnreadableFileError}
 */
export function assertSame(opened: Deno.FileInfo, seen: Deno.FileInfo | undefined): void {
  const isSame = opened.isFile && (seen === undefined || (opened.dev === seen.dev && opened.ino === seen.ino));
  if (!isSame) throw new UnreadableFileError("it was replaced while it was opened");
}

/**
 * Reads a regular file whole, opened like {@linkcode openRegularFile}.
 *
 * @throws {Deno.errors.NotFound} when there is nothing
 * @throws {UnreadableFileError} when it is not a regular file, or larger than `maxBytes`
 */
export function readRegularFile(path: string, { maxBytes }: RegularFileOptions): Uint8Array<ArrayBuffer> {
  using file = openRegularFile(path, { access: "read" });
  return readUpTo(file, maxBytes);
}

/**
 * The text of a regular file; what is not UTF-8 in it becomes U+FFFD.
 *
 * @throws like {@linkcode readRegularFile}
 */
export function readRegularText(path: string, options: RegularFileOptions): string {
  return new TextDecoder().decode(readRegularFile(path, options));
}

/**
 * Refuses what is not a regular file, by what was seen of it.
 *
 * @throws {UnreadableFileError}
 */
export function assertRegular({ isFile, isSymlink, isDirectory, isFifo }: Deno.FileInfo): void {
  if (isFile) return;
  const what = isSymlink ? "a link" : isDirectory ? "a folder" : isFifo ? "a FIFO" : "not a regular file";
  throw new UnreadableFileError(`it is ${what}`);
}

function lookUnlessMissing(look: () => Deno.FileInfo): Deno.FileInfo | undefined {
  try {
    return look();
  } catch (error) {
    if (error instanceof Deno.errors.NotFound) return undefined;
    throw error;
  }
}

/** A file may grow while it is read, so its size is no limit. */
function readUpTo(file: RegularFile, maxBytes: number): Uint8Array<ArrayBuffer> {
  const tooLarge = () => new UnreadableFileError(`it is larger than ${sizeText(maxBytes)}`);
  const { size } = file.stat();
  if (size > maxBytes) throw tooLarge();
  const chunks: Uint8Array<ArrayBuffer>[] = [];
  let length = 0;
  for (let chunkBytes = size + 1;; chunkBytes = CHUNK_BYTES) {
    const chunk = new Uint8Array(Math.max(chunkBytes, CHUNK_BYTES));
    const count = file.readAt(length, chunk);
    length += count;
    if (length > maxBytes) throw tooLarge();
    chunks.push(chunk.subarray(0, count));
    if (count < chunk.length) return joinBytes(chunks);
  }
}

const CHUNK_BYTES = 64 * 1024;
const MEBIBYTE = 1024 * 1024;

function sizeText(bytes: number): string {
  return bytes % MEBIBYTE === 0 ? `${bytes / MEBIBYTE} MiB` : `${bytes} bytes`;
}
