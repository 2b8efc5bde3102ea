import { replaceFile } from "../../base/ports/own_files.ts";
import { readRegularText } from "../../base/ports/regular_file.ts";
import type { Redactor } from "../../base/redact/redactor.ts";
import { sha256Hex } from "../../base/text/digest.ts";
import { findRepository, UntoldError } from "./list.ts";
import { keepContents } from "./before_contents.ts";
import { changedFiles, type FilesNote, snapshotFiles } from "./snapshot.ts";
import { makePatch } from "./patch.ts";
import { knownFiles, takeFresh } from "../../workspace/known_files.ts";
import { partsOf } from "../../workspace/patch.ts";

export const MAX_NAMED_FILES = 200;

const MAX_NOTE_BYTES = 512 * 1024 * 1024;

/** Where work is done, and the folder that what was there before is noted in. Paths are absolute. */
interface ChangesPlace {
  readonly workdir: string;
  readonly folder: string;
  readonly signal: AbortSignal;
}

/** @param lookedAt when our own look at the files is over, which may be under way. @default over */
export async function noteFilesIn(
  { workdir, folder, lookedAt, signal }: ChangesPlace & { readonly lookedAt?: Promise<void> },
): Promise<string> {
  removeLeftovers(folder);
  const isFresh = takeFresh(workdir);
  const contents = await keepContents(keptFolder(folder));
  const ask = async () => {
    await lookedAt;
    return await knownFiles(workdir, { isFresh, signal });
  };
  const { objects, snapshot } = await snapshotFiles({ workdir, signal, onContent: contents.take, knownFiles: ask });
  const text = JSON.stringify({ snapshot, blobs: contents.blobs, objects } satisfies FilesNote);
  await replaceFile(notePath(folder), text);
  return await sha256Hex(text);
}

export async function readFilesNote(folder: string, sha256: string): Promise<FilesNote> {
  const text = readNote(notePath(folder));
  if (await sha256Hex(text) === sha256) return JSON.parse(text);
  throw new UntoldError("the note of what the files were before is gone, or not the one that was made");
}

function readNote(path: string): string {
  try {
    return readRegularText(path, { maxBytes: MAX_NOTE_BYTES });
  } catch {
    return "";
  }
}

export async function filesChangedSince(
  { snapshot }: FilesNote,
  options: Pick<ChangesPlace, "workdir" | "signal">,
): Promise<readonly string[]> {
  return await changedFiles(snapshot, options);
}

interface Changes {
  readonly changed: readonly string[];
  readonly note: FilesNote;
  /** Where objects are besides those of the repository. @default {[]} */
  readonly objects?: readonly string[];
}

export async function leaveChangesIn(
  place: ChangesPlace,
  { redactor, ...changes }: Changes & { readonly redactor: Redactor },
): Promise<{ readonly hasPatch: boolean; readonly lines?: number }> {
  const [{ changed }, { folder }] = [changes, place];
  removeLeftovers(folder);
  const patch = changed.length === 0 ? "" : await patchOf(changes, place);
  await replaceFile(`${folder}/files.txt`, redactor.text(changed.map(nameLine).join("")));
  if (patch !== undefined) await replaceFile(`${folder}/diff.patch`, redactor.text(patch));
  return { hasPatch: patch !== undefined, ...(patch === undefined ? {} : { lines: linesOf(patch) }) };
}

async function patchOf(
  { changed, note: { snapshot: before, blobs, objects: noted = [] }, objects = [] }: Changes,
  { workdir, folder, signal }: ChangesPlace,
): Promise<string | undefined> {
  const asked = { folder: workdir, signal };
  // It cannot be told where an agent has led git elsewhere.
  const repository = findRepository(asked).catch((error) => {
    if (!(error instanceof UntoldError)) throw error;
  });
  const own = repository.then((found) => found === undefined ? [] : [`${found.gitFolders.at(-1)}/objects`]);
  return await makePatch({
    question: { ...asked, ignored: repository.then((found) => found === undefined) },
    ...{ changed, before, blobs, objects: own.then((found) => [...found, ...noted, ...objects]) },
    keptFolder: keptFolder(folder),
    scratchParent: folder,
  });
}

/** How many lines a patch adds and removes. */
function linesOf(patch: string): number {
  return partsOf(patch).flatMap(({ hunk }) => hunk.split("\n")).filter((line) => /^[+-]/.test(line)).length;
}

export function namedFiles(changed: readonly string[]): { readonly files: readonly string[]; readonly more?: number } {
  const more = changed.length - MAX_NAMED_FILES;
  return { files: changed.slice(0, MAX_NAMED_FILES), ...(more > 0 ? { more } : {}) };
}

/** A name with a line end or another control character is quoted, as git does it. */
function nameLine(name: string): string {
  return `${/\p{Cc}/u.test(name) ? JSON.stringify(name) : name}\n`;
}

/** Removes what a process that was killed has left half made. */
export function removeLeftovers(folder: string): void {
  for (const { name } of Deno.readDirSync(folder)) {
    if (LEFTOVER.test(name)) removeQuietly(`${folder}/${name}`);
  }
}

/** Removes the contents that are kept: what is compared with the note later is shown as far as git has it. */
export function dropKeptContents(folder: string): void {
  removeQuietly(keptFolder(folder));
}

export function forgetNote(folder: string): void {
  for (const path of [notePath(folder), keptFolder(folder)]) removeQuietly(path);
}

export function removeQuietly(path: string): void {
  try {
    Deno.removeSync(path, { recursive: true });
  } catch { /* what stays is removed by whoever resumes the run */ }
}

/** git's scratch folder of a patch, and files that have not got their names yet. */
const LEFTOVER = /^patch-|^(?:files-before\.json|files\.txt|diff\.patch)\./;

function notePath(folder: string): string {
  return `${folder}/files-before.json`;
}

function keptFolder(folder: string): string {
  return `${folder}/files-before`;
}
