import { UsageError } from "../base/errors.ts";
import { lstatOrUndefined } from "../base/ports/files.ts";
import { runCommandLine } from "./command_line.ts";
import { entryOf, jobElsewhere, jobPath, type KeptRun, type RunPlace } from "./run_entry.ts";

// A run that other machines execute, and that is only seen from here: what is said to it is brought to them by the process
// that follows it, and nobody resumes it here.

/**
 * Notes that a run is that of a fleet's job.
 *
 * @param entry its folder in the state folder
 */
export async function noteElsewhere(entry: string, job: string): Promise<void> {
  await Deno.writeTextFile(jobPath(entry), job, { mode: 0o600 });
}

/**
 * @param what what is to be done, after "Cannot"
 * @param command of `panewright fleet`, which does it there. @default nothing does
 * @throws {UsageError} for a run of a fleet's job
 */
export function refuseElsewhere(run: KeptRun & Pick<RunPlace, "id">, what: string, command?: readonly string[]): void {
  const job = jobElsewhere(run);
  if (job === undefined) return;
  throw new UsageError(`Cannot ${what}: run ${run.id} is that of job ${job}, which other machines execute`, {
    hint: command === undefined
      ? `What can be done with it tells: ${runCommandLine(["fleet", "status", job])}`
      : `Do it there: ${runCommandLine(["fleet", command[0] ?? "", job, ...command.slice(1)])}`,
  });
}

/** Asks who follows a run to have it stopped there. */
export async function wishStop(run: KeptRun): Promise<void> {
  const entry = entryOf(run);
  if (entry !== undefined) await Deno.writeTextFile(stopPath(entry), "", { mode: 0o600 });
}

/** Whether that was asked for, and was not seen yet. */
export async function takeStopWish(run: KeptRun): Promise<boolean> {
  const entry = entryOf(run);
  if (entry === undefined || lstatOrUndefined(stopPath(entry)) === undefined) return false;
  await Deno.remove(stopPath(entry));
  return true;
}

function stopPath(entry: string): string {
  return `${entry}/stop`;
}
