import { dirname } from "@std/path/posix";
import { UsageError } from "../base/errors.ts";
import { lstatOrUndefined } from "../base/ports/files.ts";
import { sanitizeLine } from "../base/text/sanitize.ts";

/** A file that a person wants written. */
interface OutputFile {
  /** The flag that names it: `--output`. */
  readonly flag: string;
  /** As the person named it. */
  readonly named: string;
  /** Absolute path. */
  readonly path: string;
}

/**
 * Refuses what cannot be written as a file: a new one takes the place of an older file, and of nothing else. As root, a
 * device such as `/dev/null` would be replaced for the whole machine.
 *
 * @throws {UsageError} when there is no folder for it, or a link, a folder or a device is in its place
 */
export function refuseUnlessFile({ flag, named, path }: OutputFile): void {
  const shown = sanitizeLine(named);
  const seen = lstatOrUndefined(path);
  if (seen === undefined && !isFolder(dirname(path))) {
    throw new UsageError(`Cannot write ${flag} ${shown}: there is no folder for it`);
  }
  if (seen === undefined || seen.isFile) return;
  const what = seen.isSymlink ? "a link" : seen.isDirectory ? "a folder" : "not a regular file";
  throw new UsageError(`Cannot write ${flag} ${shown}: it is ${what}`, {
    hint: "Name another file: nothing is written through links, and nothing but a file is replaced.",
  });
}

function isFolder(path: string): boolean {
  try {
    return Deno.statSync(path).isDirectory;
  } catch {
    return false;
  }
}
