import { dirname } from "@std/path/posix";
import { UsageError } from "../base/errors.ts";
import { lstatOrUndefined } from "../base/ports/files.ts";
import { createFileOnce, replaceFile } from "../base/ports/own_files.ts";
import { readRegularText } from "../base/ports/regular_file.ts";
import { assertOwn } from "../base/ports/state_folder.ts";
import { runCommandLine } from "./command_line.ts";
import type { RunFolder } from "./run_folder.ts";

// A run that other machines execute, and that is only seen from here: what is said to it is brought to them by the process
// that follows it, and nobody resumes it here.

type Kept = Pick<RunFolder, "copyPath" | "journalPath">;

const MAX_NAME_BYTES = 4096;

/**
 * Notes that a run is that of a fleet's job.
 *
 * @param entry its folder in the state folder
 */
export async function noteElsewhere(entry: string, job: string): Promise<void> {
  await replaceFile(jobPath(entry), job);
}

/** The job whose run it is; undefined for a run of this machine. */
export function jobElsewhere(run: Kept): string | undefined {
  const entry = entryOf(run);
  if (entry === undefined || lstatOrUndefined(jobPath(entry)) === undefined) return undefined;
  assertOwn(jobPath(entry));
  return readRegularText(jobPath(entry), { maxBytes: MAX_NAME_BYTES });
}

/**
 * @param what what is to be done, after "Cannot"
 * @param command of `panewright fleet`, which does it there
 * @throws {UsageError} for a run of a fleet's job
 */
export function refuseElsewhere(run: Kept & Pick<RunFolder, "id">, what: string, command: readonly string[]): void {
  const job = jobElsewhere(run);
  if (job === undefined) return;
  throw new UsageError(`Cannot ${what}: run ${run.id} is that of job ${job}, which other machines execute`, {
    hint: `Do it there: ${runCommandLine(["fleet", command[0] ?? "", job, ...command.slice(1)])}`,
  });
}

/** Asks who follows a run to have it stopped there. */
export async function wishStop(run: Kept): Promise<void> {
  const entry = entryOf(run);
  if (entry !== undefined) await createFileOnce(stopPath(entry), "");
}

/** Whether that was asked for, and was not seen yet. */
export async function takeStopWish(run: Kept): Promise<boolean> {
  const entry = entryOf(run);
  if (entry === undefined || lstatOrUndefined(stopPath(entry)) === undefined) return false;
  await Deno.remove(stopPath(entry));
  return true;
}

/** Its folder in the state folder, where its journal is. */
function entryOf({ copyPath, journalPath }: Kept): string | undefined {
  return journalPath === copyPath ? undefined : dirname(journalPath);
}

function jobPath(entry: string): string {
  return `${entry}/job`;
}

function stopPath(entry: string): string {
  return `${entry}/stop`;
}
