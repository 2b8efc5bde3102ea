import { JOBS } from "../jobs/mod.ts";
import { RuntimeError } from "../base/errors.ts";
import type { Clock } from "../base/ports/clock.ts";
import type { Fleet } from "./connect.ts";
import { whenReached } from "./reach.ts";
import type { JobState } from "./job.ts";
import type { NewEvent } from "./job_log.ts";
import { contentsOf, getObject, putObject } from "./objects.ts";
import { isFinish, typeOf } from "./record_line.ts";
import { noteRestored } from "../jobs/evidence/noted.ts";
import { runFolderAt } from "../run/run_folder.ts";
import { filesOfRun, readRunFile, restoreRun } from "./run_files.ts";
import { bundleOf, commitNow, type JobPlace, restoreFiles, takeBundle } from "./tree.ts";

/** Whether an agent has just ended its work by this record: what it has done is kept with it. */
export function isAtRest(line: string): boolean {
  const type = typeOf(line) ?? "";
  return JOBS.some(({ restTypes }) => restTypes.has(type));
}

/** The id of the run that a journal's record begins or resumes. */
export function runOf(line: string): string | undefined {
  const type = typeOf(line);
  if (type !== "run_started" && type !== "run_resumed") return undefined;
  const { runId } = JSON.parse(line) as { readonly runId?: unknown };
  return typeof runId === "string" ? runId : undefined;
}

/** Keeps what a job's next worker needs, besides the records. */
export interface WorkKeeper {
  /**
   * What has changed of the run's files, and of the work where the record says that an agent has ended its turn; it is among
   * the objects then.
   *
   * @returns undefined where nothing has changed
   */
  changed(line: string): Promise<Omit<Extract<NewEvent, { type: "saved" }>, "epoch"> | undefined>;
  /** The run, once its first record is known. */
  run(): string | undefined;
}

export function keepWork(
  fleet: Pick<Fleet, "manager" | "objects">,
  { clock, place, state, signal }: {
    readonly clock: Clock;
    readonly place: JobPlace;
    readonly state: JobState;
    readonly signal: AbortSignal;
  },
): WorkKeeper {
  const versions = new Map<string, string>();
  let files = state.files;
  let commit = state.work?.commit ?? place.origin;
  let run = state.run;
  return {
    run: () => run,
    async changed(line) {
      run = runOf(line) ?? run;
      if (run === undefined) return undefined;
      const isResting = isAtRest(line) || isFinish(line);
      const seen = await filesOfRun({ id: run, workdir: place.workdir }, { whole: isResting });
      const fresh = seen.filter(({ path, version }) => versions.get(path) !== version);
      const kept = { ...files };
      for (const file of fresh) {
        kept[file.path] = await put(readRunFile(file));
        versions.set(file.path, file.version);
      }
      const now = isResting ? await commitNow(place, { signal }) : commit;
      const work = now === commit ? {} : { commit: now, work: await bundled(now) };
      const isSame = Object.keys(work).length === 0 && fresh.every(({ path }) => files[path] === kept[path]);
      if (isSame) return undefined;
      files = kept;
      commit = now;
      return { type: "saved", run, files, ...work };
    },
  };

  async function bundled(now: string): Promise<string> {
    const { origin, store } = place;
    return await put(await bundleOf(now, { store, signal, without: origin }));
  }

  async function put(bytes: Uint8Array<ArrayBuffer>): Promise<string> {
    return await whenReached(() => putObject(fleet, bytes), { clock, signal });
  }
}

/**
 * Makes a worker's folder what the one before has left.
 *
 * @throws {RuntimeError} where an object is not there, or not what it was
 */
export async function restoreWork(
  fleet: Pick<Fleet, "manager" | "objects">,
  { place, state: { files, lines, run, work }, signal }: {
    readonly place: JobPlace;
    readonly state: JobState;
    readonly signal: AbortSignal;
  },
): Promise<void> {
  if (work !== undefined && work.commit !== place.base) {
    const { bundle, commit } = work;
    await takeBundle(await getObject(fleet, bundle), { commit, store: place.store, signal });
    await restoreFiles(place, { commit, signal });
  }
  if (run === undefined) return;
  if (lines.length === 0) throw new RuntimeError(`Cannot restore run ${run}: its journal is empty`);
  const { workdir } = place;
  await restoreRun({ id: run, workdir }, { lines, files: contentsOf(fleet, files) });
  await noteRestored(runFolderAt(workdir, run), { workdir, signal });
}
