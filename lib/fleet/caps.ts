import { tokensIn } from "../base/usage.ts";
import { RuntimeError } from "../base/errors.ts";
import {
  type Fields,
  findWrongField,
  integer,
  isObject,
  listOf,
  object,
  optional,
  present,
  text,
  type ValuesOf,
} from "../base/schema.ts";
import type { Clock } from "../base/ports/clock.ts";
import { JOBS } from "../jobs/mod.ts";
import { createFactReader } from "../journal/fact_reader.ts";
import { initialProgress, type Progress } from "../journal/progress.ts";
import { usageOfAll } from "../journal/usage.ts";
import { readKey } from "./bucket.ts";
import type { Fleet } from "./connect.ts";
import type { Job } from "./job.ts";
import { BUCKETS, bucketSubject } from "./names.ts";
import { isOvertaken, whenReached } from "./reach.ts";

const CAP = {
  /** `team=shop`: the jobs that want this label. @default all jobs */
  label: optional(text),
  /** In a day of UTC, in and out. */
  tokensPerDay: integer,
};

/** How many tokens the jobs of a fleet may use in a day, together. */
export type FleetCap = ValuesOf<typeof CAP>;

const LIMITS = { caps: listOf(object(CAP)) };
const LIMITS_KEY = "limits";

type Asked = Pick<Fleet, "caps" | "seals">;

/** The caps as the admin has set them. */
export async function readCaps(fleet: Asked): Promise<readonly FleetCap[]> {
  const { value } = await readTheirs(fleet, LIMITS_KEY, { fields: LIMITS, rights: ["admin"] });
  return value?.caps ?? [];
}

/** Sets the cap of a label, or of all jobs; without a number it is taken away. What is not the admin's is written over. */
export async function setCap(
  fleet: Asked,
  { label, tokensPerDay }: { readonly label: string | undefined; readonly tokensPerDay: number | undefined },
): Promise<void> {
  const others = (await readCaps(fleet).catch(() => [])).filter((cap) => cap.label !== label);
  const own = tokensPerDay === undefined ? [] : [{ ...present({ label }), tokensPerDay }];
  const text = JSON.stringify({ caps: [...others, ...own] });
  await fleet.caps.put(LIMITS_KEY, await fleet.seals.seal(text, subjectOf(LIMITS_KEY)));
}

/** What the jobs under a cap have used today. */
export async function readSpent(fleet: Asked, { label }: FleetCap, { now }: { readonly now: Date }): Promise<number> {
  return (await readCount(fleet, keyOf(label, now))).tokens;
}

/** The first cap that a job is under and that is reached, in words. */
export async function reachedCap(
  fleet: Asked,
  { labels }: Pick<Job, "labels">,
  { now }: { readonly now: Date },
): Promise<string | undefined> {
  for (const cap of await readCaps(fleet)) {
    if (!isUnder(labels, cap) || await readSpent(fleet, cap, { now }) < cap.tokensPerDay) continue;
    const whose = cap.label === undefined ? "" : ` of ${cap.label}`;
    return `the fleet's cap${whose} of ${cap.tokensPerDay.toLocaleString("en-US")} tokens a day is reached`;
  }
  return undefined;
}

/** Adds to what is counted today for all jobs and for each label of this one: each token once, whoever counts beside it. */
export async function countTokens(
  fleet: Asked,
  { labels }: Pick<Job, "labels">,
  { tokens, now, clock, signal }: {
    readonly tokens: number;
    readonly now: Date;
    readonly clock: Clock;
    readonly signal: AbortSignal;
  },
): Promise<void> {
  const scopes = [undefined, ...Object.entries(labels).map(([name, value]) => `${name}=${value}`)];
  for (const label of scopes) {
    const key = keyOf(label, now);
    const add = async () => {
      for (;;) {
        const { revision, tokens: before } = await readCount(fleet, key);
        const sealed = await fleet.seals.seal(JSON.stringify({ tokens: before + tokens }), subjectOf(key));
        try {
          await (revision === 0 ? fleet.caps.create(key, sealed) : fleet.caps.update(key, sealed, revision));
          return;
        } catch (error) {
          if (!isOvertaken(error)) throw error;
          // Somebody else has counted meanwhile.
          signal.throwIfAborted();
        }
      }
    };
    await whenReached(add, { clock, signal });
  }
}

/** What a job uses, and whether it may go on: a cap that is reached is told in words. */
export function capsOf(
  fleet: Asked,
  { job, lines, clock, signal, wallClock = () => new Date() }: {
    readonly job: Job;
    /** Of its journal; they were counted before. */
    readonly lines: readonly string[];
    readonly clock: Clock;
    readonly signal: AbortSignal;
    readonly wallClock?: () => Date;
  },
) {
  const meter = createTokenMeter(lines);
  return {
    async count(line: string): Promise<void> {
      const tokens = meter(line);
      if (tokens > 0) await countTokens(fleet, job, { tokens, now: wallClock(), clock, signal });
    },
    reached: () => whenReached(() => reachedCap(fleet, job, { now: wallClock() }), { clock, signal }),
  };
}

/**
 * Tells what a run has used more with each line of its journal.
 *
 * @param earlier lines that were counted by the worker before
 */
export function createTokenMeter(earlier: readonly string[]): (line: string) => number {
  const reader = createFactReader({ path: "the log of the job", folder: "/run", jobs: JOBS, byteOf: () => 0 });
  let progress: Progress | undefined;
  const read = (line: string): number => {
    const { fact } = reader.read(line);
    const { job } = reader;
    if (fact === undefined || job === undefined) return 0;
    const before = progress ?? initialProgress(job.id);
    progress = job.progress(before, fact);
    return tokensIn(usageOfAll(progress.tokens)) - tokensIn(usageOfAll(before.tokens));
  };
  earlier.forEach(read);
  return read;
}

function isUnder(labels: Job["labels"], { label }: FleetCap): boolean {
  const [name = "", ...value] = (label ?? "").split("=");
  return label === undefined || labels[name] === value.join("=");
}

function keyOf(label: string | undefined, now: Date): string {
  return `spent.${now.toISOString().slice(0, 10)}.${label ?? "all"}`;
}

function subjectOf(key: string): string {
  return bucketSubject(BUCKETS.caps, key);
}

async function readCount(fleet: Asked, key: string): Promise<{ readonly tokens: number; readonly revision: number }> {
  const { revision, value } = await readTheirs(fleet, key, {
    fields: { tokens: integer },
    rights: ["worker", "admin"],
  });
  return { tokens: value?.tokens ?? 0, revision };
}

/** @throws {RuntimeError} when nobody of these rights has written what stands there: nothing goes on by it */
async function readTheirs<Of extends Fields>(
  fleet: Asked,
  key: string,
  { fields, rights }: { readonly fields: Of; readonly rights: readonly string[] },
): Promise<{ readonly value?: ValuesOf<Of>; readonly revision: number }> {
  const kept = await readKey(fleet.caps, key);
  if (kept === undefined) return { revision: 0 };
  const found = await fleet.seals.unseal(kept.text, subjectOf(key));
  const value: unknown = found !== undefined && rights.includes(found.rights) ? JSON.parse(found.text) : undefined;
  if (isObject(value) && findWrongField(value, fields) === undefined) {
    return { value: value as ValuesOf<Of>, revision: kept.revision };
  }
  throw new RuntimeError(`Cannot read the caps of the fleet: nobody who may has written "${key}"`, {
    hint: "The admin sets a cap anew with panewright fleet cap; what was counted begins anew with the next day (UTC).",
  });
}
