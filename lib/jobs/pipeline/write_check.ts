import { RuntimeError } from "../../errors.ts";
import { makeFoldersBelow, makeOwnFolder, replaceFile } from "../../ports/own_files.ts";
import { readRegularText } from "../../ports/regular_file.ts";
import { sha256Hex } from "../../text/digest.ts";
import { UntoldError } from "../list_files.ts";
import type { Drive } from "./context.ts";
import { changedFiles, type FileSnapshot, snapshotFiles } from "./file_snapshot.ts";
import type { Action, StepPlace } from "./machine.ts";
import { hasOtherRunsSince } from "./other_runs.ts";
import { stepFolder } from "./step_folders.ts";
import { mayWrite } from "./write_globs.ts";

/** How many files a record names. */
const MAX_NAMED = 200;

const MAX_SNAPSHOT_BYTES = 512 * 1024 * 1024;

/**
 * Notes what the files are before a step whose writes are limited.
 *
 * @returns the SHA-256 of what was noted; `undefined`, with a warning, where it cannot be told and need not be
 * @throws {RuntimeError} where it cannot be told: the step would fail, whatever its agent did
 */
export async function noteFiles(at: StepPlace, drive: Drive): Promise<string | undefined> {
  const { plan, signal, folder } = drive;
  try {
    tellLook(at, "before", drive);
    const text = JSON.stringify(await snapshotFiles({ workdir: plan.workdir, signal }));
    await makeOwnFolder(folder.stepsDir);
    await makeFoldersBelow(folder.stepsDir, stepFolderOf(at, drive));
    await replaceFile(snapshotPath(at, drive), text);
    return await sha256Hex(text);
  } catch (error) {
    if (!(error instanceof UntoldError)) throw error;
    const problem = `file_access cannot be checked: ${error.message}`;
    if (plan.settings.writesOutside === "fail") {
      throw new RuntimeError(`Cannot start step "${at.plan.name}": ${problem}`, {
        cause: error,
        hint: 'Start in a folder whose files can be looked at, or set "exec": { "writes_outside": "warn" }.',
      });
    }
    drive.record({ type: "warning", message: `step "${at.plan.name}": ${problem}` });
    return undefined;
  }
}

/** Looks for files that a step has changed outside of what it may. */
export async function runWriteCheck(
  { at, allowWrite }: Extract<Action, { do: "check_writes" }>,
  drive: Drive,
): Promise<void> {
  const { folder, plan, record } = drive;
  tellLook(at, "after", drive);
  const found = await findOutside({ at, allowWrite }, drive);
  const isShared = found.outside.length > 0 && await hasOtherRunsSince(folder, { since: new Date(at.step.startedAt) });
  const more = found.outside.length - MAX_NAMED;
  record({
    type: "writes_checked",
    task: at.task.number,
    step: at.step.number,
    ...found,
    outside: found.outside.slice(0, MAX_NAMED),
    ...(more > 0 ? { more } : {}),
    enforced: plan.settings.writesOutside === "fail",
    ...(isShared ? { note: "another run was at work in this directory: whose changes they are cannot be told" } : {}),
  });
}

interface FoundWrites {
  readonly outside: readonly string[];
  readonly untold?: string;
}

async function findOutside(
  { at, allowWrite }: Pick<Extract<Action, { do: "check_writes" }>, "at" | "allowWrite">,
  drive: Drive,
): Promise<FoundWrites> {
  const { plan: { workdir }, signal } = drive;
  try {
    const changed = await changedFiles(await readSnapshot(at, drive), { workdir, signal });
    return { outside: changed.filter((name) => !mayWrite(name, allowWrite)) };
  } catch (error) {
    if (error instanceof UntoldError) return { outside: [], untold: error.message };
    throw error;
  }
}

/** Removes what was noted of the files before a step. */
export async function forgetFiles(at: StepPlace, drive: Drive): Promise<void> {
  await Deno.remove(snapshotPath(at, drive)).catch(() => {});
}

/** The agent can write to the folder of its run: only what has the hash of the journal counts. */
async function readSnapshot(at: StepPlace, drive: Drive): Promise<FileSnapshot> {
  const { baseline } = at.step;
  if (baseline === undefined) throw new UntoldError("it was not noted what the files were before the step");
  const text = readSnapshotText(snapshotPath(at, drive));
  if (await sha256Hex(text) !== baseline) {
    throw new UntoldError("the note of what the files were before the step is gone, or not the one that was made");
  }
  return JSON.parse(text);
}

function readSnapshotText(path: string): string {
  try {
    return readRegularText(path, { maxBytes: MAX_SNAPSHOT_BYTES });
  } catch {
    return "";
  }
}

function tellLook({ task, step }: StepPlace, moment: "before" | "after", { record }: Drive): void {
  record({ type: "files_look_started", task: task.number, step: step.number, moment, passable: true });
}

function snapshotPath(at: StepPlace, drive: Drive): string {
  return `${drive.folder.stepsDir}/${stepFolderOf(at, drive)}/files-before.json`;
}

function stepFolderOf({ task, step, plan }: StepPlace, { target }: Drive): string {
  return stepFolder({ target, task: task.number, step: step.number, name: plan.name });
}
