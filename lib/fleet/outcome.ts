import { RuntimeError } from "../base/errors.ts";
import { isObject, present } from "../base/schema.ts";
import { JOBS } from "../jobs/mod.ts";
import { allWaiting } from "../journal/waiting.ts";
import { readRun } from "../run/overview.ts";
import { runFolderAt } from "../run/run_folder.ts";
import type { NewEvent } from "./job_log.ts";
import type { PlayedRun } from "./play_run.ts";
import { isFinish } from "./record_line.ts";
import type { JobPlace } from "./tree.ts";

/** What comes of a worker's part in a job. */
export type End = Extract<NewEvent, { type: "released" | "ended" }> extends infer Event
  ? Event extends { type: string } ? Omit<Event, "epoch"> : never
  : never;

/**
 * What came of a run that has ended, where its worker was lost before it could say so.
 *
 * @param last the last record that is known of it
 */
export function endBefore(last: string, run: string | undefined): End | undefined {
  if (!isFinish(last)) return undefined;
  const { outcome, reason } = JSON.parse(last) as { readonly outcome: string; readonly reason: string };
  return outcome === "pass" || outcome === "fail" ? { type: "ended", outcome, reason, ...present({ run }) } : undefined;
}

/** What came of a run by the last record of its process. */
export async function endOf(
  { code, refusal, untaken }: PlayedRun,
  { last, run, place, stopped }: {
    readonly last: string;
    readonly run: string | undefined;
    readonly place: JobPlace;
    readonly stopped: "stopped" | "drained" | undefined;
  },
): Promise<End> {
  if (untaken !== undefined) throw untaken;
  if (run === undefined) {
    const reason = refusal?.message ?? `its process ended with code ${code} before it began`;
    // What this machine lacks, another one may have.
    return { type: "released", why: stopped ?? "broken", reason };
  }
  const finish: unknown = isFinish(last) ? JSON.parse(last) : undefined;
  if (!isObject(finish)) {
    if (refusal?.isBusy === true) return { type: "released", why: "broken", reason: refusal.message };
    if (refusal !== undefined) return { type: "ended", outcome: "error", reason: refusal.message, run };
    return { type: "released", why: "broken", reason: `its process ended with code ${code} in the middle of its run` };
  }
  const { outcome, reason } = finish as { readonly outcome: string; readonly reason: string };
  switch (outcome) {
    case "pass":
    case "fail":
    case "error":
      return { type: "ended", outcome, reason, run };
    case "waiting":
    case "needs_human":
      return { type: "released", why: "waiting", reason, questions: await openQuestions(place, run) };
    case "interrupted":
      return stopped === undefined
        ? { type: "released", why: "broken", reason: `${reason}, although nobody has said so` }
        : { type: "released", why: stopped, reason };
    default:
      throw new RuntimeError(`Cannot tell what came of run ${run}: its outcome is "${outcome}"`);
  }
}

async function openQuestions(
  { workdir }: JobPlace,
  run: string,
): Promise<readonly { readonly id: string; readonly text: string }[]> {
  const { progress } = await readRun(runFolderAt(workdir, run), JOBS);
  if (progress === undefined) return [];
  return allWaiting(progress).flatMap(({ id, text }) => id === undefined ? [] : [{ id, text }]);
}
