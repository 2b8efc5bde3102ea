import { AckPolicy, type Consumer, type JsMsg } from "@nats-io/jetstream";
import { makeOwnFolder } from "../base/ports/state_folder.ts";
import { tryLockFile } from "../base/ports/lock_file.ts";
import { UsageError } from "../base/errors.ts";
import { errorText } from "../base/text/error_text.ts";
import { isObject } from "../base/schema.ts";
import { VERSION } from "../base/version.ts";
import { claim } from "./claim.ts";
import type { Fleet } from "./connect.ts";
import { fits } from "./job.ts";
import { FencedError } from "./job_log.ts";
import { readBucket } from "./bucket.ts";
import {
  BUCKETS,
  bucketSubject,
  consumerName,
  isToken,
  PRIORITIES,
  type Priority,
  queueFilter,
  STREAMS,
  WAKE,
} from "./names.ts";
import { whenReached } from "./reach.ts";
import { hear } from "./said.ts";
import { sweep } from "./take_over.ts";
import type { WorkerContext, WorkerOptions } from "./worker_context.ts";

/** How long a pull waits at the server before it is made anew: one that a lost server had is over by then. */
const PULL_MS = 10_000;
/** How often a worker looks for new queues, and tells of itself. */
const LOOK_MS = 10_000;
const RETRY_MS = 1000;

/**
 * Works on the jobs of a fleet that fit this worker, so many at a time, until it is drained.
 *
 * @throws {UsageError} when another process is a worker of this name on this machine
 */
export async function startWorker(options: WorkerOptions): Promise<void> {
  const { clock, draining, fleet, folder, log, name } = options;
  if (!isToken(name)) {
    throw new UsageError(`Cannot be the worker "${name}": a name has letters, digits, - and _, 64 at most`);
  }
  makeOwnFolder(folder);
  using _held = await holdName(folder, name);
  await sweep(folder, { clock, signal: draining });
  const leaseMs = await whenReached(() => leaseOf(fleet), { clock, signal: draining });
  // What was said to a worker of this name before is not for this one.
  const spoken = await whenReached(() => fleet.manager.streams.info(STREAMS.said), { clock, signal: draining });
  const over = new AbortController();
  const drainedHere = new AbortController();
  const drained = AbortSignal.any([draining, drainedHere.signal]);
  const worker: WorkerContext = { ...options, draining: drained, leaseMs };
  const slots = openSlots(options.slots);
  const working = new Map<string, Promise<void>>();
  const entry = openEntry(worker, () => [...working.keys()]);
  const heard = hear(fleet, { worker: name }, {
    after: spoken.state.last_seq,
    clock,
    signal: over.signal,
    onSaid: ({ by, said }) => {
      if (said.what === "drain") {
        log(`drained by ${by}`);
        drainedHere.abort();
      }
      return Promise.resolve();
    },
  }).catch((error) => log(errorText(error)));
  const woken = openBell(worker, over.signal);
  const pulled = new Map<string, Promise<void>>();
  const take = (message: JsMsg, release: () => void) => {
    const key = message.subject;
    // What is left of it here, since it was lost, comes to its end before it is taken again.
    const work = (working.get(key) ?? Promise.resolve()).then(() => workOnMessage(message, worker)).finally(() => {
      if (working.get(key) === work) working.delete(key);
      release();
      return entry.tell(drained.aborted ? "draining" : "ready").catch(() => {});
    });
    working.set(key, work);
    void entry.tell(drained.aborted ? "draining" : "ready").catch(() => {});
  };
  try {
    while (!drained.aborted) {
      try {
        for (const { queue, priority, consumer } of await consumersFor(worker)) {
          const key = consumerName(queue, priority);
          if (!pulled.has(key)) {
            pulled.set(
              key,
              pull(consumer, { worker, slots, take }).finally(() => pulled.delete(key)),
            );
          }
        }
        await entry.tell("ready");
      } catch (error) {
        log(errorText(error));
      }
      await Promise.race([clock.sleep(LOOK_MS, drained).catch(() => {}), woken()]);
    }
    log(working.size === 0 ? "drained" : `draining: ${working.size} at work`);
    await entry.tell("draining").catch(() => {});
    while (working.size > 0) await Promise.race(working.values());
  } finally {
    over.abort();
    await entry.leave().catch(() => {});
    await heard;
  }
}

async function holdName(folder: string, name: string): Promise<Disposable> {
  const held = await tryLockFile(`${folder}/worker.lock`, `process ${Deno.pid}`);
  if (held !== undefined) return held;
  throw new UsageError(`Cannot be the worker "${name}": another process of this machine is`, {
    hint: "Name another one with --name.",
  });
}

/** How long a job is a worker's without a sign of life: what the fleet was made with. */
async function leaseOf({ manager }: Fleet): Promise<number> {
  const { config } = await manager.streams.info(STREAMS.queue);
  return Number(/lease (\d+(?:\.\d+)?) s/.exec(config.description ?? "")?.[1] ?? 30) * 1000;
}

/** Resolves when something is put into a queue that this worker may not know of yet. */
function openBell({ fleet: { connection } }: WorkerContext, over: AbortSignal): () => Promise<void> {
  let ring = () => {};
  const subscription = connection.subscribe(WAKE, { callback: () => ring() });
  over.addEventListener("abort", () => subscription.unsubscribe(), { once: true });
  return () => new Promise((resolve) => ring = resolve);
}

interface Slots {
  /** Resolves to what frees the slot again. */
  free(signal: AbortSignal): Promise<void>;
  /** @returns undefined where none is free */
  take(): (() => void) | undefined;
}

function openSlots(count: number): Slots {
  let left = count;
  let waiting: (() => void)[] = [];
  return {
    async free(signal) {
      while (left === 0 && !signal.aborted) {
        await new Promise<void>((resolve) => {
          waiting.push(resolve);
          signal.addEventListener("abort", () => resolve(), { once: true });
        });
      }
    },
    take() {
      if (left === 0) return undefined;
      left--;
      return () => {
        left++;
        const all = waiting;
        waiting = [];
        all.forEach((resolve) => resolve());
      };
    },
  };
}

interface Queue {
  readonly queue: string;
  readonly priority: Priority;
  readonly consumer: Consumer;
}

/** The queues of jobs that this worker's labels fit, the most urgent first. */
async function consumersFor({ fleet, labels, leaseMs }: WorkerContext): Promise<readonly Queue[]> {
  const found = (await readBucket(fleet, fleet.labels, BUCKETS.labels)).flatMap(({ key, text }) => {
    const wanted: unknown = JSON.parse(text);
    return isObject(wanted) && fits(wanted as Readonly<Record<string, string>>, labels) ? [key] : [];
  });
  return await Promise.all(PRIORITIES.flatMap((priority) =>
    found.map(async (queue) => {
      const name = consumerName(queue, priority);
      await fleet.manager.consumers.add(STREAMS.queue, {
        durable_name: name,
        filter_subject: queueFilter(queue, priority),
        ack_policy: AckPolicy.Explicit,
        ack_wait: leaseMs * 1e6,
        max_ack_pending: -1,
      });
      return { queue, priority, consumer: await fleet.streams.consumers.get(STREAMS.queue, name) };
    })
  ));
}

/** Takes messages of one queue while there are slots, until the worker is drained or the queue cannot be asked. */
async function pull(
  consumer: Consumer,
  { worker, slots, take }: {
    readonly worker: WorkerContext;
    readonly slots: Slots;
    readonly take: (message: JsMsg, release: () => void) => void;
  },
): Promise<void> {
  const { clock, draining, log } = worker;
  while (!draining.aborted) {
    await slots.free(draining);
    const full = draining.aborted ? undefined : await worker.isFull();
    if (full !== undefined) {
      log(`takes no job: ${full}`);
      await clock.sleep(LOOK_MS, draining).catch(() => {});
      continue;
    }
    if (draining.aborted) return;
    try {
      const message = await consumer.next({ expires: PULL_MS });
      if (message === null) continue;
      const release = draining.aborted ? undefined : slots.take();
      // Another queue has had the slot meanwhile: somebody else may have one.
      if (release === undefined) message.nak();
      else take(message, release);
    } catch (error) {
      log(errorText(error));
      await clock.sleep(RETRY_MS, draining).catch(() => {});
      return;
    }
  }
}

/** A message is acknowledged once what came of its job is in the log; else it is there again after its lease. */
async function workOnMessage(message: JsMsg, worker: WorkerContext): Promise<void> {
  try {
    await claim(message, worker);
  } catch (error) {
    worker.log(errorText(error));
    if (error instanceof FencedError) return;
    message.nak(worker.leaseMs);
  }
}

/** What lists tell of this worker; it is gone when the worker is. */
function openEntry({ fleet, labels, name, slots }: WorkerContext, jobs: () => readonly string[]) {
  const key = `${fleet.credentials.name}.${name}`;
  return {
    async tell(state: "ready" | "draining") {
      const named = jobs().map((subject) => subject.split(".").slice(-2).join("."));
      const entry = { labels, slots, jobs: named, state, version: VERSION, at: new Date().toISOString() };
      await fleet.workers.put(key, await fleet.seals.seal(JSON.stringify(entry), bucketSubject(BUCKETS.workers, key)));
    },
    leave: () => fleet.workers.delete(key),
  };
}
