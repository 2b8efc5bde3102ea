import { addUsage, type ToldCost, type Usage, usageSince } from "../base/usage.ts";
import { type Check, mapOf, number, object, optional, text, type ValueOf } from "../base/schema.ts";

/** Checks tokens by model. */
export const usage: Check<Usage> = mapOf(
  object({
    inputTokens: number,
    cachedInputTokens: number,
    cacheWriteInputTokens: optional(number),
    outputTokens: number,
  }),
);

/** Checks what an agent says that it has cost. */
export const toldCost: Check<ToldCost> = object({ amount: number, currency: text });

/** What the roles or steps of a run have used. Plain data. */
export interface TokenCounts {
  /** By role, or by the name that a step's caps have. */
  readonly byWorker: Readonly<Record<string, Usage>>;
  /** What each source has told last, which it counts from its own beginning: the session of a CLI, or an attempt. */
  readonly bySource: Readonly<Record<string, Usage>>;
}

/** What a source of a worker has told: all that it has used so far. */
export interface TokenCount {
  readonly worker: string;
  readonly source: string;
  readonly usage: Usage;
}

/** Before the first count. */
export const NOTHING_COUNTED: TokenCounts = { byWorker: {}, bySource: {} };

/** The counts after one more. A count that was taken already changes nothing. */
export function takeCount(counts: TokenCounts, count: TokenCount): TokenCounts {
  const { worker, source, usage } = count;
  return {
    byWorker: { ...counts.byWorker, [worker]: addUsage(counts.byWorker[worker] ?? {}, newIn(counts, count)) },
    bySource: { ...counts.bySource, [source]: usage },
  };
}

/** What a count has more than its source has told before. */
export function newIn({ bySource }: TokenCounts, { source, usage }: Pick<TokenCount, "source" | "usage">): Usage {
  return usageSince(bySource[source] ?? {}, usage);
}

/** What all workers together have used. */
export function usageOfAll({ byWorker }: Pick<TokenCounts, "byWorker">): Usage {
  return Object.values(byWorker).reduce(addUsage, {});
}

/** Checks what a run has cost, as its last record has it. */
export const cost = object({
  total: number,
  /** By role, or by step as its caps are named. */
  byWorker: mapOf(number),
  /** The day of the prices. */
  pricesOf: text,
});

/** What a run has cost. */
export type Cost = ValueOf<typeof cost>;
