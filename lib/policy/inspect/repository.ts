import { dirname, resolve } from "@std/path/posix";
import { present } from "../../base/schema.ts";
import type { ShellWord } from "../../shell/mod.ts";
import { protectedPart } from "../protected_paths.ts";
import type { Ground } from "../places.ts";
import type { Here } from "./inspection.ts";

/**
 * Whether git works in the repository of the working directory: the settings of another one are commands that it runs,
 * and may have been made for it.
 */
export function checkRepository(words: readonly ShellWord[], { here, context }: Here): void {
  const { ground } = context;
  let folders = here.folders;
  let asks: ShellWord | undefined;
  for (const [index, { value = "" }] of words.entries()) {
    if (index > 0 && !value.startsWith("-") && words[index - 1]?.value !== "-C") break;
    if (!value.startsWith("-C")) continue;
    const folder = value === "-C" ? words[index + 1]?.value : value.slice(2);
    asks = words[index];
    folders = folder === undefined || folder.includes("{}") ? undefined : folders?.map((from) => resolve(from, folder));
  }
  const settings = folders?.find((one) => protectedPart(one.slice(ground.workdir.length)) !== undefined);
  if (settings !== undefined) context.guarded.push(`git works in ${settings}, whose settings may be commands`);
  if (folders === undefined) {
    context.reads.push({ message: "git works in a folder that is not known", ...present({ word: asks }) });
  }
  const other = folders?.find((one) => mayBeOther(one, ground));
  if (other === undefined) return;
  context.reads.push({ message: `git works in ${other}, which may be another repository`, ...present({ word: asks }) });
}

function mayBeOther(folder: string, ground: Ground): boolean {
  const { workdir, realPath = (path: string) => path, mayHoldRepository = () => false } = ground;
  for (let at = realPath(folder) ?? "/"; at !== workdir; at = dirname(at)) {
    if (!at.startsWith(`${workdir}/`) || mayHoldRepository(at)) return true;
  }
  return false;
}
