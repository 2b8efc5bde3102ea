import type { JsMsg } from "@nats-io/jetstream";
import { VERSION } from "../base/version.ts";
import { errorText } from "../base/text/error_text.ts";
import { type Job, type JobState, jobState, LaterVersionError, type Queued, readQueued } from "./job.ts";
import { openJobLog } from "./job_log.ts";
import { findEntry, keepLease } from "./lease.ts";
import { type JobName, jobOfQueueSubject, jobText } from "./names.ts";
import { type Heard, readSaid } from "./said.ts";
import { workOn } from "./work.ts";
import type { WorkerContext } from "./worker_context.ts";
import { ruleFor } from "./worker_rules.ts";

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
  const name = jobOfQueueSubject(message.subject);
  if (name === undefined) return message.term(`no job has the subject ${message.subject}`);
  const said = await understood(message, name, worker);
  if (said === undefined) return;
  const writer = `${jobText(name)}.${workerName}.${crypto.randomUUID()}`;
  const log = await openJobLog(fleet, { job: name, writer, clock });
  const before = jobState(log.events);
  const heard = await readSaid(fleet, name, { after: before.heard });
  if (!isDue(before, { heard, message: message.info.streamSequence })) return await acknowledge(message);
  const begunBy = versionIn(before.lines);
  if (isNewer(begunBy, VERSION)) {
    tell(`${jobText(name)}: leaves it to others: panewright ${begunBy} has begun it, and this is ${VERSION}`);
    return message.nak(worker.leaseMs);
  }
  const rule = ruleFor({ author: name.author, job: said.job }, worker.rules);
  if (rule === undefined) {
    tell(`${jobText(name)}: leaves it to others: no rule of this worker accepts it`);
    return message.nak(worker.leaseMs);
  }
  const found = await findEntry(fleet, name);
  if (found === undefined) return message.nak(worker.leaseMs);
  const epoch = before.epoch + 1;
  const claimed = {
    type: "claimed",
    ...{ epoch, worker: workerName, message: message.info.streamSequence },
    heard: heard.at(-1)?.sequence ?? before.heard,
  } as const;
  await log.append(claimed, { signal: AbortSignal.timeout(worker.leaseMs / 2) });
  const state = jobState(log.events);
  const { lost } = state;
  using lease = keepLease(fleet, {
    ...{ job: name, leaseMs: worker.leaseMs, clock, leaseClock: worker.leaseClock, revision: found.revision },
    entry: { ...found.entry, state: "running", epoch, worker: workerName },
    working: () => message.working(),
  });
  await lease.note({});
  if (lost >= MOST_LOST && !heard.some((one) => one.said.what === "retry")) {
    const reason = `${lost} workers were lost with it, one after another; retry it when you know why`;
    await log.append({ type: "parked", epoch, reason }, { signal: lease.lost });
    await lease.note({ state: "parked", reason });
    tell(`${jobText(name)}: set aside: ${reason}`);
    return await acknowledge(message);
  }
  tell(`${jobText(name)}: begins${state.run === undefined ? "" : ` again with run ${state.run}`}`);
  const job: Job = said.job;
  const end = await workOn({ name, job, epoch, state, log, lease, rule, said: heard }, worker);
  tell(`${jobText(name)}: ${end.type === "ended" ? end.outcome : end.why}: ${end.reason}`);
  if (end.type === "ended") {
    const { outcome, reason } = end;
    await lease.note({ state: "ended", outcome, reason, questions: undefined });
    return await acknowledge(message);
  }
  const { why, reason } = end;
  if (why === "drained" || why === "broken") {
    await lease.note({ state: "queued", reason });
    return message.nak(why === "broken" ? worker.leaseMs : undefined);
  }
  const { questions } = end;
  await lease.note({ state: why === "waiting" ? "waiting" : "stopped", reason, questions });
  // What was said while it came to rest: nobody else would hear it.
  const since = await readSaid(fleet, name, { after: claimed.heard });
  if (since.some((one) => one.said.what !== "stop")) return message.nak();
  await acknowledge(message);
}

/** What the queue has of a job; one that nobody can read is gone from the queue, and its entry says so. */
async function understood(
  message: JsMsg,
  name: JobName,
  { fleet, leaseMs, log }: WorkerContext,
): Promise<Queued | undefined> {
  try {
    return readQueued(message.string());
  } catch (error) {
    const reason = `its message cannot be read: ${errorText(error)}`;
    log(`${jobText(name)}: ${reason}`);
    if (error instanceof LaterVersionError) {
      message.nak(leaseMs);
      return undefined;
    }
    const found = await findEntry(fleet, name);
    if (found !== undefined) {
      await fleet.jobs.update(
        jobText(name),
        JSON.stringify({ ...found.entry, state: "parked", reason }),
        found.revision,
      );
    }
    message.term(reason);
    return undefined;
  }
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
