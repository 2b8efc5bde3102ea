import { dirname } from "@std/path/posix";
import { lstatOrUndefined } from "./files.ts";
import { UnreadableFileError } from "./regular_file.ts";

/**
 * Makes the folders of a path below a folder that is there, each for its owner alone, without following links.
 *
 * @param relative names with `/` between them
 * @returns the path of the last one
 * @throws {UnreadableFileError} when something else, such as a link, stands in the place of one
 */
export async function makeFoldersBelow(base: string, relative: string): Promise<string> {
  let path = base;
  for (const name of relative.split("/")) {
    path = `${path}/${name}`;
    await makeOwnFolder(path);
  }
  return path;
}

/**
 * Makes a folder, and those above it, for its owner alone, unless it is there.
 *
 * @throws {UnreadableFileError} when something else, such as a link, stands in its place
 */
export async function makeOwnFolder(path: string): Promise<void> {
  const seen = lstatOrUndefined(path);
  if (seen === undefined) return await Deno.mkdir(path, { recursive: true, mode: 0o700 });
  if (!seen.isDirectory) throw new UnreadableFileError(`${path} is ${seen.isSymlink ? "a link" : "not a folder"}`);
}

/**
 * Makes a folder of a run again, and those above it that are gone, each for its owner alone. What stands in the place of
 * one, such as a link, is an agent's, and gives way.
 */
export function makeAgain(path: string): void {
  const seen = lstatOrUndefined(path);
  if (seen?.isDirectory === true) return;
  if (seen === undefined) makeAgain(dirname(path));
  else if (/\/\.panewright(?:\/runs(?:\/|$)|$)/.test(path)) Deno.removeSync(path);
  Deno.mkdirSync(path, { recursive: true, mode: 0o700 });
}

/** Options of {@linkcode replaceFile}. */
export interface ReplaceFileOptions {
  /** @default {0o600} */
  readonly mode?: number;
  /** Whether it is on the disk when this returns, its name included. @default {false} */
  readonly durable?: boolean;
  /** Called when the new file is whole, and not in its place yet. */
  readonly beforeRename?: () => void;
}

/**
 * Writes a file anew. What stood in its place, a link included, is replaced and not followed; others see the old file
 * or the new one, each whole, also when this process is killed.
 */
export async function replaceFile(path: string, text: string, options: ReplaceFileOptions = {}): Promise<void> {
  const { mode = 0o600, durable = false, beforeRename } = options;
  const staging = `${path}.${crypto.randomUUID()}`;
  try {
    await writeNewFile(staging, text, { mode, durable });
    beforeRename?.();
    await Deno.rename(staging, path);
    if (durable) syncFolder(dirname(path));
  } catch (error) {
    await Deno.remove(staging).catch(() => {});
    throw error;
  }
}

/**
 * Makes a file, unless one with its name is there: the first one counts, whoever makes it. It appears at once and whole,
 * and it, its name and its folder's are on the disk when this resolves.
 *
 * @returns whether it was made
 */
export async function createFileOnce(path: string, text: string): Promise<boolean> {
  const draft = `${path}.${crypto.randomUUID()}.draft`;
  try {
    await writeNewFile(draft, text, { mode: 0o600, durable: true });
    const isNew = await Deno.link(draft, path).then(() => true, (error) => {
      if (error instanceof Deno.errors.AlreadyExists) return false;
      throw error;
    });
    // Whoever has made it may have been killed before this.
    for (const folder of [dirname(path), dirname(dirname(path))]) syncFolder(folder);
    return isNew;
  } finally {
    await Deno.remove(draft).catch(() => {});
  }
}

async function writeNewFile(
  path: string,
  text: string,
  { mode, durable }: Required<Pick<ReplaceFileOptions, "mode" | "durable">>,
): Promise<void> {
  using file = await Deno.open(path, { createNew: true, write: true, mode });
  const bytes = new TextEncoder().encode(text);
  for (let written = 0; written < bytes.length;) written += await file.write(bytes.subarray(written));
  if (durable) await file.sync();
}

export function syncFolder(path: string): void {
  using folder = Deno.openSync(path, { read: true });
  folder.syncSync();
}

/**
 * Removes a folder with all that is in it, also what others have made read-only there, as Go does with what it fetches.
 * Nobody may work in it any more.
 */
export async function removeTree(path: string): Promise<void> {
  try {
    await Deno.remove(path, { recursive: true });
  } catch (error) {
    if (!(error instanceof Deno.errors.PermissionDenied)) throw error;
    openUp(path);
    await Deno.remove(path, { recursive: true });
  }
}

function openUp(folder: string): void {
  if (lstatOrUndefined(folder)?.isDirectory !== true) return;
  Deno.chmodSync(folder, 0o700);
  for (const { name, isDirectory } of Deno.readDirSync(folder)) if (isDirectory) openUp(`${folder}/${name}`);
}
