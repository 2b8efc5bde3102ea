import { dirname, relative, resolve } from "@std/path/posix";
import { lstatOrUndefined } from "../base/ports/files.ts";
import { readRegularText } from "../base/ports/regular_file.ts";
import { shownIn } from "./placeholders.ts";

const MOST_PATH = 8192;
const MOST_TEXT = 1024 * 1024;

/** Where git keeps what it has of a working tree, with the other trees of its repository; absolute, links resolved. */
export function gitFolderAt(top: string): string | undefined {
  const git = `${top}/.git`;
  const pathIn = (path: string) => readRegularText(path, { maxBytes: MOST_PATH }).trim();
  try {
    if (Deno.lstatSync(git).isDirectory) return Deno.realPathSync(git);
    const own = Deno.realPathSync(resolve(top, pathIn(git).replace(/^gitdir: /, "")));
    // A further working tree leads there, and is led back to. No file in it says where the rest is: whoever has written
    // that could name any folder.
    const isLedBack = Deno.realPathSync(pathIn(`${own}/gitdir`)) === Deno.realPathSync(git);
    return isLedBack ? /^(.+)\/worktrees\/[^/]+$/s.exec(own)?.[1] : undefined;
  } catch {
    return undefined;
  }
}

/** The file in which git is told which files of its working tree it passes by. */
export interface GitExclude {
  readonly path: string;
  /** What it says inside: what stands in a folder in place of what must not be made there is passed by, too. */
  readonly text: string;
}

/** What git is told inside; `undefined` where there is no repository, or its file cannot be told. */
export function gitExcludeIn(workdir: string): GitExclude | undefined {
  for (let top = workdir;; top = dirname(top)) {
    const folder = gitFolderAt(top);
    if (folder === undefined && top !== dirname(top)) continue;
    const path = `${folder}/info/exclude`;
    // One that is not there would be made outside, too.
    if (folder === undefined || lstatOrUndefined(path) === undefined) return undefined;
    const prefix = relative(top, workdir).replaceAll(/[\\*?[]/g, "\\$&");
    const lines = shownIn(workdir).map((name) => `/${prefix}${prefix === "" ? "" : "/"}${name}\n`);
    try {
      return { path, text: [readRegularText(path, { maxBytes: MOST_TEXT }), "\n", ...lines].join("") };
    } catch {
      return undefined;
    }
  }
}
