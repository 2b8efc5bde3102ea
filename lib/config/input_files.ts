import { readRegularFile } from "../base/ports/regular_file.ts";
import { sha256Hex } from "../base/text/digest.ts";
import { decodeUtf8 } from "../base/text/utf8.ts";

/** The most that a config file, or a file that it names, may have: 1 MiB. */
const MAX_INPUT_BYTES = 1024 * 1024;

/** A file that a configuration is made of, as it was read. */
export interface InputFile {
  readonly sha256: string;
  readonly text: string;
}

/** The files that a configuration is made of, each read as it is then known. */
export interface InputFiles {
  /** What was read, by the absolute path of the file. */
  readonly known: ReadonlyMap<string, InputFile>;
  /**
   * The text of a file.
   *
   * @param path absolute
   * @throws {Deno.errors.NotFound} when there is nothing
   * @throws {UnreadableFileError} when it is not a regular file, or too large
   * @throws {NotUtf8Error} when it is not UTF-8 text
   */
  read(path: string): Promise<string>;
}

/** Reads the files of one configuration. */
export function inputFiles(): InputFiles {
  const known = new Map<string, InputFile>();
  return {
    known,
    async read(path) {
      const bytes = readRegularFile(path, { maxBytes: MAX_INPUT_BYTES });
      const text = decodeUtf8(bytes);
      known.set(path, { sha256: await sha256Hex(bytes), text });
      return text;
    },
  };
}
