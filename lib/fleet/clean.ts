import { UsageError } from "../base/errors.ts";
import type { Fleet } from "./connect.ts";
import { listJobs } from "./control.ts";
import { type Job, type JobEntry, jobState } from "./job.ts";
import { readLog } from "./job_log.ts";
import { BUCKETS, bucketSubject, type JobName, jobText, logSubject, OBJECTS, saidSubject, STREAMS } from "./names.ts";
import { SAFE_OBJECT_MS } from "./objects.ts";

/** What was removed of a fleet. */
export interface Cleaned {
  readonly jobs: readonly string[];
  readonly objects: number;
  readonly bytes: number;
}

interface Known {
  readonly name: JobName;
  readonly entry: JobEntry;
}

/**
 * Removes jobs with their logs and what was said to them, and then what of the objects no other job has.
 *
 * @param fleet an admin's
 * @param options.isOld which of the jobs that have ended, and that no other one waits for
 * @param options.named jobs that are removed however they stand, but for those that are worked on or waited for
 * @throws {UsageError} when one that is named cannot be removed
 */
export async function cleanFleet(
  fleet: Fleet,
  { isOld, named, now }: {
    readonly isOld: (endedAtMs: number) => boolean;
    readonly named: readonly JobName[];
    readonly now: Date;
  },
): Promise<Cleaned> {
  const all = await listJobs(fleet);
  const names = named.map(jobText);
  const removed = all.filter((one) => names.includes(jobText(one.name)) || isOver(one, { all, isOld }));
  for (const one of removed) requireRemovable(one, all);
  for (const { name } of removed) {
    await fleet.manager.streams.purge(STREAMS.said, { filter: saidSubject(name, "*") });
    await fleet.manager.streams.purge(STREAMS.log, { filter: logSubject(name) });
    // Its entry last: what was broken off is found again.
    await fleet.manager.streams.purge(`KV_${BUCKETS.jobs}`, { filter: bucketSubject(BUCKETS.jobs, jobText(name)) });
  }
  const left = all.filter((one) => !removed.includes(one));
  return { jobs: removed.map(({ name }) => jobText(name)), ...await removeObjects(fleet, { left, now }) };
}

function isOver(
  one: Known,
  { all, isOld }: { readonly all: readonly Known[]; readonly isOld: (endedAtMs: number) => boolean },
): boolean {
  const { entry: { at, state } } = one;
  return state === "ended" && isOld(Date.parse(at)) && waitingFor(one, all) === undefined;
}

/** A job that has not ended and needs this one. */
function waitingFor({ name }: Known, all: readonly Known[]): Known | undefined {
  return all.find(({ entry: { job: { needs = [] }, state } }) => state !== "ended" && needs.includes(jobText(name)));
}

function requireRemovable(one: Known, all: readonly Known[]): void {
  const { name, entry: { state } } = one;
  const problem = (why: string, hint: string) => new UsageError(`Cannot remove job ${jobText(name)}: ${why}`, { hint });
  if (state === "queued" || state === "running") {
    throw problem(`it is ${state}`, `Stop it before: panewright fleet stop ${jobText(name)}`);
  }
  const other = waitingFor(one, all);
  if (other !== undefined) {
    throw problem(`job ${jobText(other.name)} needs it`, "Remove that one as well, or wait for it.");
  }
}

/** Removes what no job has, but for what somebody may just be about to name. */
async function removeObjects(
  fleet: Fleet,
  { left, now }: { readonly left: readonly Known[]; readonly now: Date },
): Promise<Pick<Cleaned, "objects" | "bytes">> {
  const { manager, objects } = fleet;
  const used = new Set<string>();
  for (const { name, entry: { job } } of left) for (const hash of await hashesOf(fleet, name, job)) used.add(hash);
  let [count, bytes] = [0, 0];
  for (const { name: hash, mtime, size, deleted } of await objects.list()) {
    if (used.has(hash) || now.getTime() - Date.parse(mtime) < SAFE_OBJECT_MS) continue;
    if (!deleted) {
      await objects.delete(hash);
      [count, bytes] = [count + 1, bytes + size];
    }
    await manager.streams.purge(`OBJ_${OBJECTS}`, { filter: metaSubject(hash) });
  }
  return { objects: count, bytes };
}

async function hashesOf(fleet: Fleet, name: JobName, { source: { bundle } }: Job): Promise<readonly string[]> {
  const { files, work, works = [] } = jobState(await readLog(fleet, name));
  return [...Object.values(files), bundle ?? [], work?.bundle ?? [], ...works.map((one) => one.bundle)].flat();
}

/** Where the object store keeps what it knows of an object. */
function metaSubject(hash: string): string {
  return `$O.${OBJECTS}.M.${btoa(hash).replaceAll("+", "-").replaceAll("/", "_")}`;
}
