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
 * Writes a file anew. What stood in its place, a link included, is replaced and not followed; others see the old file
 * or the new one, each whole.
 *
 * @param options.mode @default {0o600}
 */
export async function replaceFile(
  path: string,
  text: string,
  { mode = 0o600 }: { readonly mode?: number } = {},
): Promise<void> {
  const staging = `${path}.${crypto.randomUUID()}`;
  await Deno.writeTextFile(staging, text, { mode, createNew: true });
  await Deno.rename(staging, path);
}
