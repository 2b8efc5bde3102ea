// deno-lint-ignore-file no-console -- a script for people
/**
 * Measures what a fleet costs its nats-server: workers that rest, and workers that take jobs, write each record of a run
 * into its log and tell what came of it, by the code of real workers but without agents. All of them are in this process.
 *
 * `deno run -P=tests tests/bench/fleet_scale.ts [WORKERS] [JOBS] [RECORDS]`
 */
import { AckPolicy, type Consumer } from "@nats-io/jetstream";
import { systemClock } from "../../lib/base/ports/clock.ts";
import {
  connectFleet,
  type Fleet,
  listJobs,
  readCredentials,
  submitJob,
  systemLeaseClock,
} from "../../lib/fleet/mod.ts";
import { findEntry } from "../../lib/fleet/entries.ts";
import { openJobLog } from "../../lib/fleet/job_log.ts";
import { keepLease } from "../../lib/fleet/lease.ts";
import { consumerName, jobOfQueueSubject, queueFilter, STREAMS } from "../../lib/fleet/names.ts";
import { fleetServer } from "../fleet/fleet_server.ts";
import { createSandbox } from "../support/sandbox.ts";

const [workers = 500, jobs = 1000, records = 115] = Deno.args.map(Number);
const LEASE_MS = 30_000;
/** What a record of a run of a demo has, without its chain. */
const LINE = JSON.stringify({ type: "simulated", text: "x".repeat(250) });

await using sandbox = await createSandbox();
await using server = await fleetServer(sandbox, { leaseSeconds: LEASE_MS / 1000 });
const { pid } = server.process();
const never = new AbortController().signal;

/** Seconds of processor time and MiB of memory that the server has used, as `ps` tells them. */
async function costs(): Promise<{ readonly seconds: number; readonly mib: number }> {
  const { stdout } = await new Deno.Command("ps", { args: ["-o", "cputimes=,rss=", "-p", `${pid}`] }).output();
  const [seconds = 0, kib = 0] = new TextDecoder().decode(stdout).trim().split(/\s+/).map(Number);
  return { seconds, mib: kib / 1024 };
}

async function stored(fleet: Fleet): Promise<{ readonly messages: number; readonly bytes: number }> {
  const all = await Promise.all(
    [STREAMS.log, STREAMS.queue, "KV_pw_jobs"].map((name) => fleet.manager.streams.info(name)),
  );
  return {
    messages: all.reduce((sum, { state }) => sum + state.messages, 0),
    bytes: all.reduce((sum, { state }) => sum + state.bytes, 0),
  };
}

async function measured(what: string, act: () => Promise<string>): Promise<void> {
  const [before, beganMs] = [await costs(), performance.now()];
  const said = await act();
  const [after, seconds] = [await costs(), (performance.now() - beganMs) / 1000];
  const share = ((after.seconds - before.seconds) / seconds * 100).toFixed(1);
  console.log(`${what}: ${seconds.toFixed(1)} s, server ${share} % of a core, ${after.mib.toFixed(0)} MiB; ${said}`);
}

async function connectWorker(): Promise<Fleet> {
  return await connectFleet(readCredentials(server.credentials["machine"]));
}

async function consumerOf(fleet: Fleet): Promise<Consumer> {
  const name = consumerName("any", "normal");
  await fleet.manager.consumers.add(STREAMS.queue, {
    durable_name: name,
    filter_subject: queueFilter("any", "normal"),
    ack_policy: AckPolicy.Explicit,
    ack_wait: LEASE_MS * 1e6,
    max_ack_pending: -1,
  });
  return await fleet.streams.consumers.get(STREAMS.queue, name);
}

/** Takes jobs until none is left: what a worker does, but for its agents. */
async function work(fleet: Fleet, tell: { appendMs: number; appends: number }): Promise<void> {
  const consumer = await consumerOf(fleet);
  for (;;) {
    const message = await consumer.next({ expires: 5000 });
    if (message === null) return;
    const { job } = jobOfQueueSubject(message.subject)!;
    const log = await openJobLog(fleet, { job, writer: crypto.randomUUID(), clock: systemClock });
    const { entry, revision } = await findEntry(fleet, job);
    await log.append({ type: "claimed", epoch: 1, worker: "w", job: "x", message: message.seq, heard: 0 }, {
      signal: never,
    });
    using lease = keepLease(fleet, {
      ...{ job, revision, leaseMs: LEASE_MS, clock: systemClock, leaseClock: systemLeaseClock() },
      entry: { ...entry!, state: "running", epoch: 1, worker: "w" },
      working: () => message.working(),
    });
    for (let number = 0; number < records; number++) {
      const beganMs = performance.now();
      await log.append({ type: "record", epoch: 1, line: LINE }, { signal: never });
      tell.appendMs += performance.now() - beganMs;
      tell.appends++;
    }
    await log.append({ type: "ended", epoch: 1, outcome: "pass", reason: "simulated" }, { signal: never });
    await lease.settle({ state: "ended", outcome: "pass", reason: "simulated" });
    await message.ackAck();
  }
}

const all: Fleet[] = [];
for (let number = 0; number < workers; number++) all.push(await connectWorker());
await measured(`${workers} workers rest`, async () => {
  const consumers = await Promise.all(all.map(consumerOf));
  const until = performance.now() + 30_000;
  await Promise.all(consumers.map(async (consumer) => {
    while (performance.now() < until) await consumer.next({ expires: 5000 });
  }));
  return "each pulls every 5 s";
});
await measured(`${jobs} jobs are submitted`, async () => {
  for (let number = 0; number < jobs; number++) {
    await submitJob(server.fleet, {
      id: `job-${number}`,
      job: {
        ...{ title: "Simulated", command: "exec", task: "x".repeat(200), source: { url: "https://example.org/x" } },
        ...{ commit: "0".repeat(40), folder: "", labels: {}, priority: "normal" },
      },
    }, { now: new Date() });
  }
  return `${((await stored(server.fleet)).bytes / jobs / 1024).toFixed(1)} KiB a job`;
});
const tell = { appendMs: 0, appends: 0 };
const before = await stored(server.fleet);
await measured(`${workers} workers do ${jobs} jobs of ${records} records`, async () => {
  await Promise.all(all.map((fleet) => work(fleet, tell)));
  const { bytes } = await stored(server.fleet);
  return `${(tell.appendMs / tell.appends).toFixed(1)} ms a record, ${
    ((bytes - before.bytes) / jobs / 1024).toFixed(1)
  } KiB a job`;
});
const beganMs = performance.now();
const listed = await listJobs(server.fleet);
const passed = listed.filter(({ entry }) => entry.outcome === "pass").length;
console.log(
  `fleet ls of ${listed.length} jobs, ${passed} of them passed: ${Math.round(performance.now() - beganMs)} ms`,
);
await Promise.all(all.map((fleet) => fleet.connection.close()));
Deno.exit(0);
