import { addUsage, type Usage, usageSince } from "../base/usage.ts";
import { mapOf, number, object, text, type ValueOf } from "../base/schema.ts";

export interface TokenCounts {
  readonly byWorker: Readonly<Record<string, Usage>>;
  /** What each source has told last, which it counts from its own beginning: the session of a CLI, or an attempt. */
  readonly bySource: Readonly<Record<string, Usage>>;
}

export interface TokenCount {
  readonly worker: string;
  readonly source: string;
  readonly usage: Usage;
}

/** Before the first count. */
export const NOTHING_COUNTED: TokenCounts = { byWorker: {}, bySource: {} };

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

export function usageOfAll({ byWorker }: Pick<TokenCounts, "byWorker">): Usage {
  return Object.values(byWorker).reduce(addUsage, {});
}

export const cost = object({
  total: number,
  byWorker: mapOf(number),
  pricesOf: text,
});

export type Cost = ValueOf<typeof cost>;
