import { basename, dirname } from "@std/path/posix";
import { readRegularText } from "../base/ports/regular_file.ts";
import { noteIn, removeRoot } from "./tree.ts";
import { lstatOrUndefined } from "../base/ports/files.ts";
import type { Clock } from "../base/ports/clock.ts";
import { stopRun } from "../jobs/stop_run.ts";
import { runFolderAt } from "../run/run_folder.ts";
import { dropStoreOf } from "../workspace/checkout.ts";

interface Ending {
  readonly clock: Clock;
  readonly signal: AbortSignal;
}

/**
 * Ends what is left of a run that its worker can do nothing more with.
 *
 * @param workdir where the job was worked on
 */
export async function endRunAt(
  { workdir, run }: { readonly workdir: string; readonly run: string },
  { clock, signal }: Ending,
): Promise<void> {
  const folder = runFolderAt(workdir, run);
  if (lstatOrUndefined(folder.path) === undefined) return;
  await stopRun(folder, { force: true, resumeCommand: `panewright resume ${run}`, clock, signal });
}

/**
 * Where workers of this machine have worked on a job before, in folders named by the job and the epoch: the state folder
 * knows the run as the one there, and would take another for its copy. What is left of it is ended, and each folder gets
 * another name.
 *
 * @param folder of one of the workers
 */
export async function clearEarlier(
  { folder, job, epoch }: { readonly folder: string; readonly job: string; readonly epoch: number },
  ending: Ending,
): Promise<void> {
  for (const worker of foldersBelow(dirname(folder))) {
    for (const root of foldersBelow(`${worker}/${job}`)) {
      if (!/^\d+$/.test(basename(root)) || Number(basename(root)) >= epoch) continue;
      await endRunsIn(root, ending);
      await dropStoreOf(`${root}/checkout`);
      await Deno.rename(root, `${root}.fenced-${crypto.randomUUID().slice(0, 8)}`);
    }
  }
}

/**
 * Ends what an earlier process of this worker, or the machine's last life, has left of jobs: the fleet has given them to
 * others by now, or gives them to this one anew.
 *
 * @param folder the worker's own
 */
export async function sweep(folder: string, ending: Ending): Promise<void> {
  for (const job of foldersBelow(folder)) {
    for (const root of foldersBelow(job)) {
      await endRunsIn(root, ending);
      await removeRoot(root);
    }
    await Deno.remove(job);
  }
}

async function endRunsIn(root: string, ending: Ending): Promise<void> {
  const workdir = readNote(root);
  if (workdir === undefined) return;
  for (const run of foldersBelow(`${workdir}/.panewright/runs`)) {
    await endRunAt({ workdir, run: basename(run) }, ending);
  }
}

function foldersBelow(folder: string): readonly string[] {
  if (lstatOrUndefined(folder)?.isDirectory !== true) return [];
  return [...Deno.readDirSync(folder)].filter(({ isDirectory }) => isDirectory).map(({ name }) => `${folder}/${name}`);
}

function readNote(root: string): string | undefined {
  try {
    return readRegularText(noteIn(root), { maxBytes: 4096 });
  } catch {
    return undefined;
  }
}
