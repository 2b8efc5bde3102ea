import { relative } from "@std/path/posix";
import { digestsOf, surveyObeyed } from "../agents/obeyed_files.ts";
import { PROVIDERS } from "../agents/mod.ts";
import { UsageError } from "../base/errors.ts";
import { git, inStore } from "../workspace/git.ts";
import { changedPaths } from "../workspace/result.ts";
import { commitTree, mergeOf } from "../workspace/target.ts";
import type { Fleet } from "./connect.ts";
import { findEntry } from "./entries.ts";
import { type Job, jobState, type NeededWork } from "./job.ts";
import { readLog } from "./job_log.ts";
import { type JobName, jobText, parseJob } from "./names.ts";
import { getObject } from "./objects.ts";
import { fetchSource } from "./source.ts";
import { takeBundle } from "./tree.ts";

/** How the jobs stand that another one needs. */
export type Needs =
  | { readonly stand: "ready"; readonly works: readonly NeededWork[] }
  | { readonly stand: "waiting" }
  | { readonly stand: "failed"; readonly reason: string };

/** Looks how the jobs stand that a job needs, and what has come of them, in their order. */
export async function readNeeds(fleet: Fleet, { needs = [] }: Pick<Job, "needs">): Promise<Needs> {
  const works: NeededWork[] = [];
  for (const text of needs) {
    const name = parseJob(text);
    const { entry } = name === undefined ? { entry: undefined } : await findEntry(fleet, name);
    if (name === undefined || entry === undefined) {
      return { stand: "failed", reason: `it needs ${text}, which is gone` };
    }
    if (entry.state !== "ended") return { stand: "waiting" };
    const { outcome, reason = "", state, work } = jobState(await readLog(fleet, name));
    if (state !== "ended") return { stand: "waiting" };
    if (outcome !== "pass") {
      return { stand: "failed", reason: `it needs ${text}, which has ended with ${outcome}: ${reason}` };
    }
    if (work !== undefined) works.push({ job: text, commit: work.commit, bundle: work.bundle });
  }
  return { stand: "ready", works };
}

/**
 * Makes the commit that a job begins with of its own and of what has come of the jobs that it needs; the same works are the
 * same commit, on whatever machine.
 *
 * @throws {UsageError} when they have changed the same place
 */
export async function joinWorks(
  fleet: Fleet,
  { job, name, works, store, signal }: {
    readonly job: Job;
    readonly name: JobName;
    readonly works: readonly NeededWork[];
    readonly store: string;
    readonly signal: AbortSignal;
  },
): Promise<string> {
  let base = job.commit;
  for (const { job: text, commit, bundle } of works) {
    const needed = parseJob(text);
    const { entry } = needed === undefined ? { entry: undefined } : await findEntry(fleet, needed);
    if (entry !== undefined) await fetchSource(fleet, { job: entry.job, store, signal });
    await takeBundle(await getObject(fleet, bundle), { commit, store, signal });
    const { conflicts, tree } = await mergeOf([base, commit], { store, signal });
    if (conflicts.length > 0) {
      throw new UsageError(
        `Cannot begin job ${jobText(name)}: ${text} and what it begins with have both changed ${conflicts.join(", ")}`,
        { hint: "Bring them together in a checkout, and submit the job from there." },
      );
    }
    base = await commitTree(tree, { onto: base, message: `${text}\n`, store, signal, date: job.submittedAt });
  }
  await git(["update-ref", `refs/kept/${base}`, base], inStore(store, signal));
  return base;
}

/** What of the work of needed jobs is what agents obey: this job's would, and no person has seen it. */
export async function obeyedOfWorks(
  [from, to]: readonly [string, string],
  { checkout, workdir, store, signal }: {
    readonly checkout: string;
    readonly workdir: string;
    readonly store: string;
    readonly signal: AbortSignal;
  },
): Promise<readonly string[]> {
  if (from === to) return [];
  const known = digestsOf(await surveyObeyed(PROVIDERS, { workdir, home: Deno.env.get("HOME") }));
  const changed = await changedPaths([from, to], { store, signal });
  return changed.filter((path) => relative(workdir, `${checkout}/${path}`) in known);
}
