import { relative, resolve } from "@std/path/posix";
import { realPathSnapshot } from "../../ports/real_path.ts";
import { mayWrite } from "./write_globs.ts";

/**
 * Why a step may not write a file, for its agent; `undefined` where it may. Links on the path are followed.
 *
 * @param path absolute, or relative to the working directory
 */
export function whyNotWritten(
  path: string,
  { workdir, allowWrite }: { readonly workdir: string; readonly allowWrite: readonly string[] },
): string | undefined {
  const realPath = realPathSnapshot();
  const [folder, file] = [realPath(workdir), realPath(resolve(workdir, path))];
  if (folder !== undefined && file !== undefined && mayWrite(relative(folder, file), allowWrite)) return undefined;
  return `This step may write to these files only: ${allowWrite.join(", ")}. ${path} is not among them.`;
}
