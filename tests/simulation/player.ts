import { type Night, planOf, playNight } from "./night.ts";
import { shrink } from "./shrink.ts";

/** What the nights of one thread came to, one message each. */
export interface NightReport {
  readonly seed: number;
  readonly job: string;
  readonly troubles: number;
  readonly ends: readonly string[];
  readonly ms: number;
  readonly calls: number;
  readonly hours: number;
  readonly violations: readonly string[];
  /** Which troubles it takes, and the story, where something does not hold. */
  readonly failed?: { readonly kept: readonly number[]; readonly story: readonly string[] };
  /** Whether it played otherwise when it was played again. */
  readonly differs: boolean;
}

/** How many nights are played twice. */
const TWICE_EVERY = 25;

export async function reportOf(seed: number, { shrinks = true, inPanes = false } = {}): Promise<NightReport> {
  const plan = planOf(seed, { inPanes });
  const beganMs = performance.now();
  const night = await playNight(plan);
  const ms = performance.now() - beganMs;
  const differs = seed % TWICE_EVERY === 0 && !isSamePlay(night, await playNight(plan));
  const [violation] = night.violations;
  const shrunk = violation === undefined || !shrinks ? undefined : await shrink(plan, violation);
  return {
    ...{ seed, ms, differs, job: plan.job, troubles: plan.troubles.length, calls: night.calls, hours: night.hours },
    ends: night.ends.map(({ outcome }) => outcome),
    violations: night.violations,
    ...(shrunk === undefined ? {} : { failed: { kept: shrunk.kept, story: shrunk.night.story } }),
  };
}

export function isSamePlay(one: Night, other: Night): boolean {
  return one.trace === other.trace && JSON.stringify(one.story) === JSON.stringify(other.story);
}
