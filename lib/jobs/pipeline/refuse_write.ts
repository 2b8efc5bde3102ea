import { basename, dirname, relative, resolve } from "@std/path/posix";
import { realPathSnapshot } from "../../base/ports/real_path.ts";
import type { Request } from "../../policy/request.ts";
import { certainWrites } from "./command_writes.ts";
import { mayWrite, mayWriteBelow } from "./write_globs.ts";

interface WriteLimits {
  readonly workdir: string;
  readonly allowWrite: readonly string[];
}

type WritingCall = Pick<Request, "kind" | "subject" | "cwd">;

/**
 * Why a step may not do what its agent's CLI is about to do, for the agent; `undefined` where it may. Links on a path
 * are followed.
 *
 * The file tools of a CLI are refused each file that they may not write. A shell command is refused where it names such
 * a file for certain.
 */
export function whyRefused(call: WritingCall, { workdir, allowWrite }: WriteLimits): string | undefined {
  const refused = refusedFile(call, { workdir, allowWrite });
  if (refused === undefined) return undefined;
  return `This step may write to these files only: ${allowWrite.join(", ")}. ${refused} is not among them.`;
}

function refusedFile(
  { kind, subject, cwd }: WritingCall,
  { workdir, allowWrite }: WriteLimits,
): string | undefined {
  const realPath = realPathSnapshot();
  const folder = realPath(workdir);
  const below = (path: string | undefined) =>
    folder === undefined || path === undefined ? ".." : relative(folder, path);
  switch (kind) {
    case "file_write":
    case "file_edit":
    case "patch":
      return subject.split("\n").find((path) => !mayWrite(below(realPath(resolve(cwd ?? workdir, path))), allowWrite));
    case "command":
      return certainWrites(subject, cwd ?? workdir).find(({ paths, action }) =>
        paths.every((path) => {
          const name = below(action === "write" ? realPath(path) : placeOf(path, realPath));
          if (mayWrite(name, allowWrite)) return false;
          // Where a folder is meant, something in it may be allowed; all of it goes with a tree.
          return !(action === "remove_tree" ? mayWrite(anyFileIn(name), allowWrite) : mayWriteBelow(name, allowWrite));
        })
      )?.name;
    default:
      return undefined;
  }
}

/** A file that is like any other in a folder. */
function anyFileIn(folder: string): string {
  return folder === "" ? "any file" : `${folder}/any file`;
}

/** Where an entry of a folder is: what a link leads to is not removed with it. */
function placeOf(path: string, realPath: (path: string) => string | undefined): string | undefined {
  const folder = realPath(dirname(path));
  return folder === undefined ? undefined : resolve(folder, basename(path));
}
