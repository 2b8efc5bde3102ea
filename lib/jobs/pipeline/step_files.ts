import { makeFoldersBelow, makeOwnFolder, replaceFile } from "../../ports/own_files.ts";
import { readRegularText } from "../../ports/regular_file.ts";
import { sha256Hex } from "../../text/digest.ts";
import { findRepository, type GitQuestion, UntoldError } from "../list_files.ts";
import { keepContents } from "./before_contents.ts";
import type { Drive } from "./context.ts";
import { changedFiles, type FilesNote, snapshotFiles } from "./file_snapshot.ts";
import type { StepPlace } from "./machine.ts";
import { changedSinceTree, isOlderBaseline } from "./older_baseline.ts";
import { stepFolder } from "./step_folders.ts";
import { makePatch } from "./step_patch.ts";

/** How many files a record names. */
export const MAX_NAMED_FILES = 200;

const MAX_NOTE_BYTES = 512 * 1024 * 1024;

/**
 * Notes what the files are before a step.
 *
 * @returns the SHA-256 of the note
 * @throws {UntoldError} when it cannot be told
 */
export async function noteFiles(at: StepPlace, drive: Drive): Promise<string> {
  const { plan: { workdir }, signal, folder } = drive;
  tellLook(at, "before", drive);
  await makeOwnFolder(folder.stepsDir);
  const own = await makeFoldersBelow(folder.stepsDir, stepFolderOf(at, drive));
  removeLeftovers(own);
  const contents = await keepContents(keptFolder(own), { workdir, signal });
  const snapshot = await snapshotFiles({ workdir, signal, onRead: contents.take });
  const text = JSON.stringify({ snapshot, blobs: contents.blobs } satisfies FilesNote);
  await replaceFile(notePath(own), text);
  return await sha256Hex(text);
}

/**
 * The files that have changed since a step began, with what was noted before it.
 *
 * The agent can write to the folder of its run: only the note that has the hash of the journal counts.
 *
 * @throws {UntoldError} when it cannot be told
 */
export async function changedInStep(
  at: StepPlace,
  drive: Drive,
): Promise<{ readonly changed: readonly string[]; readonly note: FilesNote }> {
  const { plan: { workdir }, signal } = drive;
  const { baseline } = at.step;
  if (baseline === undefined) throw new UntoldError("it was not noted what the files were before the step");
  const own = ownFolder(at, drive);
  if (isOlderBaseline(baseline)) {
    tellLook(at, "after", drive);
    return await changedSinceTree(baseline, { folder: workdir, signal, objects: olderObjects(own) });
  }
  const text = readNote(notePath(own));
  if (await sha256Hex(text) !== baseline) {
    throw new UntoldError("the note of what the files were before the step is gone, or not the one that was made");
  }
  tellLook(at, "after", drive);
  const note: FilesNote = JSON.parse(text);
  return { note, changed: await changedFiles(note.snapshot, { workdir, signal }) };
}

function readNote(path: string): string {
  try {
    return readRegularText(path, { maxBytes: MAX_NOTE_BYTES });
  } catch {
    return "";
  }
}

/** Leaves what a step that is over has changed in its folder: the names, and a patch. */
export async function leaveChanges(at: StepPlace, drive: Drive): Promise<void> {
  // That it cannot be told was said when the step began.
  if (at.step.baseline === undefined) return;
  const { plan: { workdir }, signal, redactor, record } = drive;
  const place = { task: at.task.number, step: at.step.number };
  try {
    const { changed, note: { snapshot: before, blobs } } = await changedInStep(at, drive);
    const own = ownFolder(at, drive);
    removeLeftovers(own);
    const patch = await makePatch({
      workdir,
      changed,
      before,
      blobs,
      keptFolder: keptFolder(own),
      scratchParent: own,
      signal,
      objects: [...await objectsOf({ folder: workdir, signal }), olderObjects(own)],
    });
    await replaceFile(`${own}/files.txt`, redactor.text(changed.map(nameLine).join("")));
    if (patch !== undefined) await replaceFile(`${own}/diff.patch`, redactor.text(patch));
    const more = changed.length - MAX_NAMED_FILES;
    record({
      type: "files_changed",
      ...place,
      files: changed.slice(0, MAX_NAMED_FILES),
      ...(more > 0 ? { more } : {}),
      folder: `steps/${stepFolderOf(at, drive)}`,
      hasPatch: patch !== undefined,
      passable: true,
    });
  } catch (error) {
    if (!(error instanceof UntoldError)) throw error;
    record({ type: "warning", message: `step "${at.plan.name}": what it changed cannot be told: ${error.message}` });
  }
}

/** A name with a line end or another control character is quoted, as git does it. */
function nameLine(name: string): string {
  return `${/\p{Cc}/u.test(name) ? JSON.stringify(name) : name}\n`;
}

/** Where git has its objects; none where an agent has led it elsewhere. */
async function objectsOf(question: GitQuestion): Promise<readonly string[]> {
  try {
    const repository = await findRepository(question);
    return repository === undefined ? [] : [`${repository.gitFolders.at(-1)}/objects`];
  } catch (error) {
    if (error instanceof UntoldError) return [];
    throw error;
  }
}

/** Removes what a process that was killed has left half made. */
function removeLeftovers(folder: string): void {
  for (const { name } of Deno.readDirSync(folder)) {
    if (LEFTOVER.test(name)) removeQuietly(`${folder}/${name}`);
  }
}

/** Waits for nothing: it is also done when the program is left at once. */
function removeQuietly(path: string): void {
  try {
    Deno.removeSync(path, { recursive: true });
  } catch { /* what stays is removed by whoever resumes the run */ }
}

/** git's scratch folder of a patch, and files that have not got their names yet. */
const LEFTOVER = /^patch-|^(?:files-before\.json|files\.txt|diff\.patch)\./;

/** Removes what was noted before a step: nothing is compared with it any more. */
export function forgetFiles(at: StepPlace, drive: Drive): void {
  const own = ownFolder(at, drive);
  for (const path of [notePath(own), olderScratch(own)]) removeQuietly(path);
}

/**
 * Removes the contents that are kept for the step under way. What is compared with them later is shown as far as git
 * has it.
 */
export function dropContents(drive: Drive): void {
  const task = drive.state().current;
  if (task !== undefined) removeQuietly(keptFolder(ownFolder({ task, step: task.step }, drive)));
}

/** Removes all of the step under way that nothing is compared with: the last act of a program that is left at once. */
export function dropScratch(drive: Drive): void {
  dropContents(drive);
  const task = drive.state().current;
  try {
    if (task !== undefined) removeLeftovers(ownFolder({ task, step: task.step }, drive));
  } catch { /* the step has no folder yet */ }
}

type Place = Pick<StepPlace, "task" | "step">;

function tellLook({ task, step }: Place, moment: "before" | "after", { record }: Drive): void {
  record({ type: "files_look_started", task: task.number, step: step.number, moment, passable: true });
}

function ownFolder(at: Place, drive: Drive): string {
  return `${drive.folder.stepsDir}/${stepFolderOf(at, drive)}`;
}

function notePath(folder: string): string {
  return `${folder}/files-before.json`;
}

function keptFolder(folder: string): string {
  return `${folder}/files-before`;
}

/** Where git kept what an older version noted. */
function olderScratch(folder: string): string {
  return `${folder}/git`;
}

function olderObjects(folder: string): string {
  return `${olderScratch(folder)}/objects`;
}

function stepFolderOf({ task, step }: Place, { target }: Drive): string {
  return stepFolder({
    target,
    task: task.number,
    step: step.number,
    round: step.round,
    name: task.steps[step.number - 1] ?? "",
  });
}
