import { workdirOf } from "../journal/paths.ts";

/** A run whose folder is not where a process last executed it. */
export interface Carried {
  readonly folder: string;
  readonly workdir: string;
  readonly isCopy: boolean;
}

/**
 * Whether a run was carried elsewhere, with its project or without, since a process last executed it.
 *
 * @param recorded its folder, as that process had it; absolute
 * @returns `undefined` where it was not: another name of the same folder, a link or a mount, is no other place
 */
export function findCarried({ path }: { readonly path: string }, recorded: string): Carried | undefined {
  const workdir = workdirOf(recorded);
  if (recorded === path || workdir === undefined) return undefined;
  const [there, here] = [lookAt(recorded), lookAt(path)];
  if (there === "gone") return { folder: recorded, workdir, isCopy: false };
  const isSame = typeof there === "object" && typeof here === "object" && there.dev === here.dev &&
    there.ino === here.ino;
  return isSame ? undefined : { folder: recorded, workdir, isCopy: true };
}

/** What cannot be looked at may well be there. */
function lookAt(path: string): Deno.FileInfo | "gone" | "unknown" {
  try {
    return Deno.statSync(path);
  } catch (error) {
    return error instanceof Deno.errors.NotFound || error instanceof Deno.errors.NotADirectory ? "gone" : "unknown";
  }
}

/**
 * The folders by which what a run has started may know it: its own, and the one where a process last executed it,
 * unless that is the original of a copy.
 *
 * @param recorded the latter, absolute
 */
export function knownFolders(folder: { readonly path: string }, recorded = folder.path): readonly string[] {
  const isOwn = workdirOf(recorded) !== undefined && findCarried(folder, recorded)?.isCopy !== true;
  return [...new Set([folder.path, ...(isOwn ? [recorded] : [])])];
}
