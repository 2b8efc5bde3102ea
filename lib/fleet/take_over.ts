import { basename } from "@std/path/posix";
import { readRegularText } from "../base/ports/regular_file.ts";
import { runOf } from "./keep_work.ts";
import { noteIn } from "./tree.ts";
import { lstatOrUndefined } from "../base/ports/files.ts";
import type { Clock } from "../base/ports/clock.ts";
import { isObject } from "../base/schema.ts";
import { stopRun } from "../jobs/stop_run.ts";
import { runFolderAt } from "../run/run_folder.ts";
import { workdirOf } from "../journal/paths.ts";

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
 * Where a job was worked on before, by its records: a folder of this machine makes the run known as a copy of the one there.
 * What is left of it there is ended, and the folder gets another name.
 *
 * @param isOurs whether a folder is one of a job's earlier workers
 */
export async function clearEarlier(
  lines: readonly string[],
  { isOurs, clock, signal }: Ending & { readonly isOurs: (folder: string) => boolean },
): Promise<void> {
  for (const [run, folder] of foldersIn(lines)) {
    const workdir = workdirOf(folder);
    const root = workdir === undefined ? undefined : rootOf(workdir);
    if (workdir === undefined || root === undefined || !isOurs(root)) continue;
    if (lstatOrUndefined(root) === undefined) continue;
    await endRunAt({ workdir, run }, { clock, signal });
    await Deno.rename(root, `${root}.fenced-${crypto.randomUUID().slice(0, 8)}`);
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
      const workdir = readNote(root);
      const runs = workdir === undefined ? [] : foldersBelow(`${workdir}/.panewright/runs`);
      for (const run of runs) await endRunAt({ workdir: workdir ?? "", run: basename(run) }, ending);
      await Deno.remove(root, { recursive: true });
    }
    await Deno.remove(job);
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

function foldersIn(lines: readonly string[]): ReadonlyMap<string, string> {
  const found = lines.flatMap((line): [string, string][] => {
    if (runOf(line) === undefined) return [];
    const value: unknown = JSON.parse(line);
    const [run, folder] = isObject(value) ? [value["runId"], value["folder"]] : [];
    return typeof run === "string" && typeof folder === "string" ? [[run, folder]] : [];
  });
  return new Map(found);
}

/** A job's folder, by the checkout in it, or a folder of that. */
function rootOf(workdir: string): string | undefined {
  const at = workdir.lastIndexOf("/checkout");
  return at < 0 ? undefined : workdir.slice(0, at);
}
