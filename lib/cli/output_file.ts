import { dirname } from "@std/path/posix";
import { UsageError } from "../base/errors.ts";
import { lstatOrUndefined } from "../base/ports/files.ts";
import { sanitizeLine } from "../base/text/sanitize.ts";

interface OutputFile {
  readonly flag: string;
  readonly named: string;
  readonly path: string;
}

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
