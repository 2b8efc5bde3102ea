import type { Clock } from "../base/ports/clock.ts";
import type { Fleet } from "./connect.ts";
import { FencedError } from "./job_log.ts";
import { findEntry, sealEntry } from "./entries.ts";
import type { JobEntry } from "./job.ts";
import { type JobName, jobText } from "./names.ts";

/** How much time has passed, as a clock that counts sleep tells it. */
export interface LeaseClock {
  /** Milliseconds since any moment in the past. */
  now(): number;
}

/**
 * Time since the machine began, which goes on while it sleeps; in whole seconds, so that the finer clock, which may stand
 * still meanwhile, counts where it says more.
 */
export function systemLeaseClock(): LeaseClock {
  const startMs = Deno.osUptime() * 1000 - performance.now();
  return { now: () => Math.max(performance.now() + startMs, Deno.osUptime() * 1000) };
}

type EntryChanges = { readonly [Field in keyof JobEntry]?: JobEntry[Field] | undefined };

/** A job that a worker has, as long as it proves so. */
export interface Lease extends Disposable {
  /** Aborted once the worker may not have the job any more: at half of the lease without proof, or when another has it. */
  readonly lost: AbortSignal;
  /** Writes what lists tell of the job. */
  note(changes: EntryChanges): Promise<void>;
  /**
   * Writes it, however long the server is away.
   *
   * @throws the reason of `lost` when the job is lost meanwhile
   */
  settle(changes: EntryChanges): Promise<void>;
}

const RETRY_MS = 250;

/** How often a lease is renewed while it lasts. */
const RENEWALS = 6;

/**
 * Keeps the lease of a job. What proves it is a change of the job's entry that nobody else has changed; `working()` alone
 * would be taken from a worker that has lost its job, too.
 */
export function keepLease(
  fleet: Pick<Fleet, "jobs" | "seals">,
  { job, entry, revision, leaseMs, working, clock, leaseClock, wallClock = () => new Date() }: {
    readonly job: JobName;
    readonly entry: JobEntry;
    readonly revision: number;
    readonly leaseMs: number;
    /** Tells the queue that the job is still worked on. */
    readonly working: () => void;
    readonly clock: Clock;
    readonly leaseClock: LeaseClock;
    readonly wallClock?: () => Date;
  },
): Lease {
  const lost = new AbortController();
  const over = new AbortController();
  const key = jobText(job);
  let at = revision;
  let now = entry;
  let proven = leaseClock.now();
  const update = async (): Promise<boolean> => {
    const begun = leaseClock.now();
    try {
      const text = await sealEntry(fleet, job, { ...now, at: wallClock().toISOString() });
      at = await fleet.jobs.update(key, text, at);
    } catch (error) {
      // The answer to an earlier change may have been lost.
      const found = await findEntry(fleet, job).catch(() => {
        throw error;
      });
      if ((found.entry?.epoch ?? 0) > entry.epoch) {
        throw new FencedError(`Cannot continue job ${key}: another worker has taken it`);
      }
      // What nobody may have written there is written over with the next change, which proves the lease.
      at = found.revision;
      return false;
    }
    proven = begun;
    working();
    return true;
  };
  let queue: Promise<boolean> = Promise.resolve(true);
  /** Whether the entry is as it is to be. */
  const renew = () =>
    queue = queue.then(update).catch((error) => {
      if (error instanceof FencedError) lost.abort(error);
      return false;
    });
  const watch = async () => {
    for (;;) {
      await clock.sleep(leaseMs / RENEWALS, over.signal);
      const silent = leaseClock.now() - proven;
      if (silent >= leaseMs / 2) {
        const seconds = Math.round(silent / 1000);
        lost.abort(new FencedError(`Cannot continue job ${key}: the fleet has not been reached for ${seconds} s`));
      }
      if (lost.signal.aborted) return;
      void renew();
    }
  };
  watch().catch(() => {});
  return {
    lost: lost.signal,
    async note(changes) {
      now = { ...now, ...changes } as JobEntry;
      await renew();
    },
    async settle(changes) {
      now = { ...now, ...changes } as JobEntry;
      while (!await renew()) {
        lost.signal.throwIfAborted();
        await clock.sleep(RETRY_MS, lost.signal);
      }
    },
    [Symbol.dispose]: () => over.abort(),
  };
}
