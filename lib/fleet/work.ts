import { UsageError } from "../base/errors.ts";
import { errorText } from "../base/text/error_text.ts";
import { present } from "../base/schema.ts";
import type { Job, JobState } from "./job.ts";
import { FencedError, type JobLog, type NewEvent } from "./job_log.ts";
import { isAtRest, keepWork, runOf } from "./keep_work.ts";
import type { Lease } from "./lease.ts";
import { type JobName, jobText } from "./names.ts";
import { commandOf, configOf } from "./job_command.ts";
import { type End, endBefore, endOf } from "./outcome.ts";
import { isFinish, typeOf } from "./record_line.ts";
import { playRun } from "./play_run.ts";
import { capsOf } from "./caps.ts";
import { hear, type Heard } from "./said.ts";
import { give } from "./give.ts";
import { preparePlace, removePlace } from "./place.ts";
import { endRunAt } from "./take_over.ts";
import type { JobPlace } from "./tree.ts";
import type { WorkerRules } from "./worker_rules.ts";
import type { WorkerContext } from "./worker_context.ts";

/** A job that this worker has claimed. */
export interface Claimed {
  readonly name: JobName;
  readonly job: Job;
  readonly epoch: number;
  readonly state: JobState;
  readonly log: JobLog;
  readonly lease: Lease;
  readonly rule: WorkerRules["accept"][number];
  /** What was said to it that nobody has heard yet. */
  readonly said: readonly Heard[];
}

/**
 * Works on a claimed job until it has ended, waits for a person, or is to be given back; what came of it is in the log when
 * this returns.
 *
 * @throws {FencedError} when another worker has the job: its agents have ended here
 */
export async function workOn(claimed: Claimed, worker: WorkerContext): Promise<End> {
  const { epoch, lease, log, name } = claimed;
  const root = `${worker.folder}/${jobText(name)}/${epoch}`;
  const { lost } = lease;
  let end: End;
  let run: string | undefined;
  try {
    if (claimed.said.at(-1)?.said.what === "stop") {
      const told: End = { type: "released", why: "stopped", reason: "it was told to stop" };
      await log.append({ ...told, epoch } as NewEvent, { signal: lost });
      return told;
    }
    const over = endBefore(claimed.state.lines.at(-1) ?? "", claimed.state.run);
    if (over !== undefined) {
      await log.append({ ...over, epoch } as NewEvent, { signal: lost });
      return over;
    }
    const place = await preparePlace(claimed, { root, worker, signal: lost });
    run = claimed.state.run;
    end = await play(claimed, { place, worker, lost, onRun: (id) => run = id });
    await removePlace(place, run);
  } catch (error) {
    // The folder of a job that was lost is left: what of it nobody else has is there.
    if (lost.aborted || error instanceof FencedError) throw lost.aborted ? lost.reason : error;
    end = error instanceof UsageError
      ? { type: "ended", outcome: "error", reason: error.message, ...present({ run }) }
      : { type: "released", why: "broken", reason: errorText(error) };
  }
  await log.append({ ...end, epoch } as NewEvent, { signal: lost });
  return end;
}

async function play(
  claimed: Claimed,
  { place, worker, lost, onRun }: {
    readonly place: JobPlace;
    readonly worker: WorkerContext;
    readonly lost: AbortSignal;
    readonly onRun: (run: string) => void;
  },
): Promise<End> {
  const { epoch, job, lease, log, name, rule, said, state } = claimed;
  const { clock, fleet } = worker;
  const refused = await worker.refuses({ config: configOf(job, place), rule });
  // Others may have been told to trust it.
  if (refused !== undefined) return { type: "released", why: "broken", reason: refused };
  const keeper = keepWork(fleet, { clock, place, state, signal: lost });
  const stop = new AbortController();
  let stopped: "stopped" | "drained" | undefined;
  let last = "";
  let capped: string | undefined;
  const caps = capsOf(fleet, { job, lines: state.lines, clock, signal: lost });
  const tell = async (heard: Heard) => {
    if (heard.said.epoch < epoch - 1) return;
    if (heard.said.what === "stop") {
      stopped = "stopped";
      stop.abort();
    }
    if (heard.said.what === "answer") await give(heard, { place, run: keeper.run(), worker });
  };
  for (const heard of said) {
    if (heard.said.what === "answer") await give(heard, { place, run: state.run, worker });
  }
  const hearing = new AbortController();
  const after = said.at(-1)?.sequence ?? state.heard;
  const heard = hear(fleet, name, { after, clock, signal: hearing.signal, onSaid: tell }).catch((error) =>
    worker.log(`${jobText(name)}: ${errorText(error)}`)
  );
  const handOver = () => {
    stopped ??= "drained";
    stop.abort();
  };
  const onRecord = async (line: string) => {
    requireOne(line);
    const saved = await keeper.changed(line);
    if (saved !== undefined) await log.append({ ...saved, epoch }, { signal: lost });
    await caps.count(line);
    const isRest = isAtRest(line);
    await log.append({ type: "record", epoch, line, ...(isRest ? { isRest } : {}) }, { signal: lost });
    last = line;
    const run = runOf(line);
    if (run !== undefined) {
      onRun(run);
      await lease.note({ run });
    }
    if (isRest && worker.draining.aborted) handOver();
    if (isRest) capped = await caps.reached();
    if (capped !== undefined) handOver();
  };
  const args = state.run === undefined ? commandOf(job, place) : ["resume", state.run, "--trust", "--no-input"];
  const env = worker.environment(rule.secrets ?? []);
  try {
    const played = await playRun(
      { panewright: worker.panewright, args, cwd: place.workdir, env },
      { onRecord, stop: stop.signal, lost, clock },
    );
    const run = keeper.run();
    if (run !== undefined && !isFinish(last)) {
      await endRunAt({ workdir: place.workdir, run }, { clock, signal: new AbortController().signal });
    }
    lost.throwIfAborted();
    const end = await endOf(played, { last, run, place, stopped });
    return capped !== undefined && "why" in end && end.why === "drained" ? { ...end, reason: capped } : end;
  } finally {
    hearing.abort();
    await heard;
  }
}

/** @throws {UsageError} for a run that opens lanes */
function requireOne(line: string): void {
  if (typeOf(line) !== "lanes_opened") return;
  throw new UsageError("Cannot work on tasks side by side as one job of a fleet", {
    hint:
      "Submit each task as a job of its own: panewright submit TASK TASK. The config's attempts and parallel are for one machine.",
  });
}
