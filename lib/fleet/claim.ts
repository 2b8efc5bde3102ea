import type { JsMsg } from "@nats-io/jetstream";
import { VERSION } from "../base/version.ts";
import { sha256Hex } from "../base/text/digest.ts";
import { errorText } from "../base/text/error_text.ts";
import { fits, type Job, type JobState, jobState, LaterVersionError, type Queued, readQueued } from "./job.ts";
import { reachedCap } from "./caps.ts";
import { readNeeds } from "./needs.ts";
import { openJobLog } from "./job_log.ts";
import { findEntry, sealEntry } from "./entries.ts";
import { present } from "../base/schema.ts";
import type { Fleet } from "./connect.ts";
import { keepLease, type Lease } from "./lease.ts";
import type { End } from "./outcome.ts";
import { type JobName, jobOfQueueSubject, jobText } from "./names.ts";
import { type Heard, maySay, readSaid } from "./said.ts";
import { workOn } from "./work.ts";
import type { WorkerContext } from "./worker_context.ts";
import { ruleFor, type WorkerRules } from "./worker_rules.ts";

/** How often it is looked whether the jobs that a job needs have ended. */
const NEEDS_MS = 5000;

/** How often it is looked whether a cap lets a job go on: tomorrow, or since it was raised. */
const CAP_MS = 30_000;

/** So many workers in a row may be lost with a job before it is set aside. */
const MOST_LOST = 5;

/**
 * Does what a message of the queue asks for: claims its job, works on it, and acknowledges the message once that is in the
 * job's log.
 *
 * @throws {FencedError} when another worker has taken the job
 */
export async function claim(message: JsMsg, worker: WorkerContext): Promise<void> {
  const { clock, fleet, log: tell, name: workerName } = worker;
  const of = jobOfQueueSubject(message.subject);
  if (of === undefined) return message.term(`no job has the subject ${message.subject}`);
  const { by, job: name } = of;
  const said = await understood(message, of, worker);
  if (said === undefined) return;
  const jobHash = await sha256Hex(JSON.stringify(said.job));
  const writer = `${jobText(name)}.${workerName}.${crypto.randomUUID()}`;
  const log = await openJobLog(fleet, {
    ...{ job: name, writer, clock },
    onWait: (reason) => tell(`${jobText(name)}: waits for the fleet's server: ${reason}`),
  });
  const before = jobState(log.events);
  // Somebody else may have it taken up again, to answer it, say: what is to be done stays its author's word.
  if (before.job === undefined ? by !== name.author : jobHash !== before.job) {
    tell(`${jobText(name)}: dropped: ${by} has changed what it is`);
    return message.term("it is not the job that its author has submitted");
  }
  const all = await readSaid(fleet, name, { after: before.heard });
  const heard = all.filter(({ said: { epoch } }) => epoch >= before.epoch);
  if (!isDue(before, { heard, message: message.info.streamSequence })) {
    await tellState(name, before, worker);
    return await acknowledge(message);
  }
  const rule = taken({ author: name.author, job: said.job, lines: before.lines }, worker);
  if (typeof rule === "string") {
    tell(`${jobText(name)}: leaves it to others: ${rule}`);
    return message.nak(worker.leaseMs);
  }
  const needs = await readNeeds(fleet, said.job);
  const isStopped = heard.at(-1)?.said.what === "stop";
  if (needs.stand === "waiting" && !isStopped) return message.nak(NEEDS_MS);
  const capped = isStopped ? undefined : await reachedCap(fleet, said.job, { now: new Date() });
  if (capped !== undefined) return message.nak(CAP_MS);
  const { entry, revision } = await findEntry(fleet, name);
  const epoch = before.epoch + 1;
  const claimed = {
    type: "claimed",
    ...{ epoch, worker: workerName, job: jobHash, message: message.info.streamSequence },
    heard: all.at(-1)?.sequence ?? before.heard,
    ...(isBegun(before) || needs.stand !== "ready" ? {} : { works: needs.works }),
  } as const;
  await log.append(claimed, { signal: AbortSignal.timeout(worker.leaseMs / 2) });
  const state = jobState(log.events);
  const { lost } = state;
  using lease = keepLease(fleet, {
    ...{ job: name, leaseMs: worker.leaseMs, clock, leaseClock: worker.leaseClock, revision },
    entry: { ...entry ?? { job: said.job, hash: "", at: "" }, state: "running", epoch, worker: workerName },
    working: () => message.working(),
  });
  await lease.note({});
  if (lost >= MOST_LOST && !heard.some((one) => one.said.what === "retry")) {
    const reason = before.reason === undefined
      ? `${lost} workers were lost with it, one after another`
      : `${lost} workers got nowhere with it, one after another; the last one: ${before.reason}`;
    await log.append({ type: "parked", epoch, reason }, { signal: lease.lost });
    await lease.settle({ state: "parked", reason });
    tell(`${jobText(name)}: set aside: ${reason}`);
    return await acknowledge(message);
  }
  if (needs.stand === "failed" && !isStopped && !isBegun(before)) {
    const { reason } = needs;
    await log.append({ type: "ended", epoch, outcome: "fail", reason }, { signal: lease.lost });
    await lease.settle({ state: "ended", outcome: "fail", reason });
    return await acknowledge(message);
  }
  tell(`${jobText(name)}: begins${state.run === undefined ? "" : ` again with run ${state.run}`}`);
  const job: Job = said.job;
  const end = await workOn({ name, job, epoch, state, log, lease, rule, said: heard }, worker);
  tell(`${jobText(name)}: ${end.type === "ended" ? end.outcome : end.why}: ${end.reason}`);
  await settle(end, { fleet, lease, message, heard: claimed.heard, name, leaseMs: worker.leaseMs });
}

/** Tells what came of a job, once its log has it, and leaves its message to nobody, or to the next one. */
async function settle(end: End, { fleet, heard, lease, leaseMs, message, name }: {
  readonly fleet: Fleet;
  readonly lease: Lease;
  readonly message: JsMsg;
  readonly name: JobName;
  /** Up to where its worker has heard what was said. */
  readonly heard: number;
  readonly leaseMs: number;
}): Promise<void> {
  if (end.type === "ended") {
    const { outcome, reason } = end;
    await lease.settle({ state: "ended", outcome, reason, questions: undefined });
    return await acknowledge(message);
  }
  const { why, reason } = end;
  if (why === "drained" || why === "broken") {
    await lease.settle({ state: "queued", reason });
    return message.nak(why === "broken" ? leaseMs : undefined);
  }
  const { questions } = end;
  await lease.settle({ state: why === "waiting" ? "waiting" : "stopped", reason, questions });
  // What was said while it came to rest: nobody else would hear it.
  const since = await readSaid(fleet, name, { after: heard });
  if (since.some((one) => one.said.what !== "stop")) return message.nak();
  await acknowledge(message);
}

/** Whether a run that is to go on has begun with what the needed jobs had come to. */
function isBegun({ outcome, run }: JobState): boolean {
  return run !== undefined && outcome !== "pass" && outcome !== "fail";
}

/** What the queue has of a job; what nobody can read, or nobody has said, is gone from the queue. */
async function understood(
  message: JsMsg,
  { by, job: name }: { readonly by: string; readonly job: JobName },
  { fleet, leaseMs, log }: WorkerContext,
): Promise<Queued | undefined> {
  const found = await fleet.seals.unseal(message.string(), message.subject);
  const drop = (why: string) => {
    log(`${jobText(name)}: dropped: ${why}`);
    message.term(why);
  };
  if (found === undefined || !maySay(found.rights) || found.by !== by) {
    return void drop(`${by} has not put it there`);
  }
  try {
    return readQueued(found.text);
  } catch (error) {
    if (error instanceof LaterVersionError) {
      log(`${jobText(name)}: leaves it to others: ${error.message}`);
      message.nak(leaseMs);
    } else drop(errorText(error));
    return undefined;
  }
}

/** Has lists tell what the log says of a job that has come to rest, where its worker was lost before it could. */
async function tellState(name: JobName, log: JobState, { fleet }: WorkerContext): Promise<void> {
  const { entry, revision } = await findEntry(fleet, name);
  if (log.state === "running" || entry === undefined || entry.state === log.state) return;
  const { epoch, outcome, questions, reason, run, state } = log;
  const told = { ...entry, state, epoch, questions, ...present({ outcome, reason, run }) };
  await fleet.jobs.update(jobText(name), await sealEntry(fleet, name, told), revision).catch(() => {});
}

/** Whether there is something to do for whoever takes this message. */
function isDue(
  { state, message: claimedBy }: JobState,
  { heard, message }: { readonly heard: readonly Heard[]; readonly message: number },
): boolean {
  switch (state) {
    case "queued":
      return true;
    // The message that its worker has not acknowledged in time, and not another one.
    case "running":
      return claimedBy === message;
    case "waiting":
    case "stopped":
      return heard.some(({ said }) => said.what === "answer" || said.what === "retry");
    case "ended":
    case "parked":
      return heard.some(({ said }) => said.what === "retry");
  }
}

/** The rule by which this worker takes a job, or why it does not. */
function taken(
  { author, job, lines }: { readonly author: string; readonly job: Job; readonly lines: readonly string[] },
  { labels, rules }: Pick<WorkerContext, "labels" | "rules">,
): WorkerRules["accept"][number] | string {
  const begunBy = versionIn(lines);
  if (isNewer(begunBy, VERSION)) return `panewright ${begunBy} has begun it, and this is ${VERSION}`;
  // The name of a queue is nobody's word: the job says what it wants.
  if (!fits(job.labels, labels)) return "it wants other labels";
  return ruleFor({ author, job }, rules) ?? "no rule of this worker accepts it";
}

/** The newest version that has written records of a run. */
function versionIn(lines: readonly string[]): string {
  const found = lines.flatMap((line) =>
    /"type":"run_(?:started|resumed)".*"panewright":"([\d.]+)"/.exec(line)?.[1] ?? []
  );
  return found.reduce((newest, one) => isNewer(one, newest) ? one : newest, "0");
}

function isNewer(one: string, other: string): boolean {
  const [ours = [], theirs = []] = [one, other].map((text) => text.split(".").map(Number));
  for (const [at, part] of ours.entries()) {
    const difference = part - (theirs[at] ?? 0);
    if (difference !== 0) return difference > 0;
  }
  return false;
}

/** Waits until the server has taken the acknowledgement: else the message would be there again. */
async function acknowledge(message: JsMsg): Promise<void> {
  await message.ackAck();
}
