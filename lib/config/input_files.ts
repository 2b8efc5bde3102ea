import { readRegularFile } from "../ports/regular_file.ts";
import { sha256Hex } from "../text/digest.ts";

/** The most that a config file, or a file that it names, may have: 8 MiB. */
const MAX_INPUT_BYTES = 8 * 1024 * 1024;

/** The files that a configuration is made of, each read as it is then known. */
export interface InputFiles {
  /** The SHA-256 of each file that was read, by its absolute path. */
  readonly digests: ReadonlyMap<string, string>;
  /**
   * The text of a file.
   *
   * @param path absolute
   * @throws {Deno.errors.NotFound} when there is nothing
   * @throws {UnreadableFileError} when it is not a regular file, or too large
   * @throws {TypeError} when it is not UTF-8 text
   */
  read(path: string): Promise<string>;
}

/** Reads the files of one configuration. */
export function inputFiles(): InputFiles {
  const digests = new Map<string, string>();
  return {
    digests,
    async read(path) {
      const bytes = readRegularFile(path, { maxBytes: MAX_INPUT_BYTES });
      digests.set(path, await sha256Hex(bytes));
      return new TextDecoder("utf-8", { fatal: true }).decode(bytes);
    },
  };
}
