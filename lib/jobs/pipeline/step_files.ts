import { makeFoldersBelow, makeOwnFolder } from "../../base/ports/own_files.ts";
import {
  dropKeptContents,
  filesChangedSince,
  forgetNote,
  leaveChangesIn,
  namedFiles,
  noteFilesIn,
  readFilesNote,
  removeLeftovers,
  removeQuietly,
} from "../files/changes.ts";
import { UntoldError } from "../files/list.ts";
import type { Drive } from "./context.ts";
import type { FilesNote } from "../files/snapshot.ts";
import { keepTurnOf } from "../keep_turn.ts";
import type { Action, StepPlace } from "./machine.ts";
import { changedSinceTree, isOlderBaseline } from "../files/older_baseline.ts";
import { stepFolder } from "./step_folders.ts";

export async function noteFiles(at: StepPlace, drive: Drive): Promise<string> {
  const { plan: { workdir }, signal, folder } = drive;
  tellLook(at, "before", drive);
  await makeOwnFolder(folder.stepsDir);
  return await noteFilesIn({
    ...{ workdir, signal, lookedAt: drive.noted },
    folder: await makeFoldersBelow(folder.stepsDir, stepFolderOf(at, drive)),
  });
}

/**
 * The files that have changed since a step began, with what was noted before it.
 *
 * The agent can write to the folder of its run: only the note that has the hash of the journal counts.
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
  const note = await readFilesNote(own, baseline);
  tellLook(at, "after", drive);
  return { note, changed: await filesChangedSince(note, { workdir, signal }) };
}

/** Leaves what a step that is over has changed in its folder: the names, and a patch. */
export async function leaveChanges(at: StepPlace, drive: Drive): Promise<void> {
  // That it cannot be told was said when the step began.
  if (at.step.baseline === undefined) return;
  const { plan: { workdir }, signal, redactor, record } = drive;
  const place = { task: at.task.number, step: at.step.number };
  try {
    const { changed, note } = await changedInStep(at, drive);
    const folder = ownFolder(at, drive);
    const objects = [olderObjects(folder)];
    const left = await leaveChangesIn({ workdir, folder, signal }, { changed, note, redactor, objects });
    const files = namedFiles(changed);
    record({
      ...{ type: "files_changed", ...place, ...files },
      ...{ folder: `steps/${stepFolderOf(at, drive)}`, ...left, passable: true },
    });
  } catch (error) {
    if (!(error instanceof UntoldError)) throw error;
    record({ type: "warning", message: `step "${at.plan.name}": cannot tell what it changed: ${error.message}` });
  }
}

export function forgetFiles(at: StepPlace, drive: Drive): void {
  const own = ownFolder(at, drive);
  forgetNote(own);
  removeQuietly(olderScratch(own));
}

/**
 * Removes the contents that are kept for the step under way. What is compared with them later is shown as far as git
 * has it.
 */
export function dropContents(drive: Drive): void {
  const task = drive.state().current;
  if (task !== undefined) dropKeptContents(ownFolder({ task, step: task.step }, drive));
}

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

/** Keeps what an attempt has made, as a turn of its workspace. */
export async function keepAttempt(
  { at, attempt }: Extract<Action, { do: "run_attempt" }>,
  drive: Drive,
): Promise<void> {
  await keepTurnOf(`${at.plan.name}, attempt ${attempt.number}`, { ...drive, workdir: drive.plan.workdir });
}
