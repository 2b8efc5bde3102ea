interface Rate {
  /** Counts one, if it is allowed; otherwise tells in how many milliseconds it will be. */
  take(client: string, nowMs: number): number;
}

interface RateOptions {
  readonly perSecond: number;
  readonly burst: number;
}

/** More clients than are ever allowed to be connected; the one that was quiet for the longest is forgotten. */
const MAX_CLIENTS = 1024;

export function createRate({ perSecond, burst }: RateOptions): Rate {
  const buckets = new Map<string, { readonly left: number; readonly atMs: number }>();
  return {
    take(client, nowMs) {
      const { left: before, atMs } = buckets.get(client) ?? { left: burst, atMs: nowMs };
      const left = Math.min(burst, before + Math.max(0, nowMs - atMs) / 1000 * perSecond);
      const waitMs = left >= 1 ? 0 : Math.ceil((1 - left) / perSecond * 1000);
      buckets.delete(client);
      buckets.set(client, { left: waitMs === 0 ? left - 1 : left, atMs: nowMs });
      if (buckets.size > MAX_CLIENTS) buckets.delete(buckets.keys().next().value!);
      return waitMs;
    },
  };
}
