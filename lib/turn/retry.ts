import type { AgentFailure } from "../agents/failure.ts";
import { retryTime } from "../agents/reset_time.ts";

/** When a turn that failed in passing is tried again. */
export interface Retry {
  /** When. */
  readonly at: Date;
  /** Which retry of the turn this is, from 1; 0 for a wait until the account's limit is reset, which is none. */
  readonly number: number;
}

const LONGEST_PAUSE_MS = 15 * 60_000;

/**
 * When a turn that failed is tried again; `undefined` where it is not: its end is not proved, so that a prompt might be
 * sent into a turn; a person has to put it right; or it was tried often enough.
 */
export function planRetry(
  failure: Pick<AgentFailure, "class" | "isTurnOver" | "resetsAt">,
  { settings, now, retries }: {
    readonly settings: {
      readonly maxErrorRetries: number;
      /** How long the first retry is waited for; each later one is after twice as long as the one before. */
      readonly errorRetrySeconds: number;
      readonly waitForUsageLimitReset: boolean;
    };
    readonly now: Date;
    readonly retries: number;
  },
): Retry | undefined {
  if (!failure.isTurnOver) return undefined;
  switch (failure.class) {
    case "usage_limit":
      return settings.waitForUsageLimitReset ? { at: retryTime(failure.resetsAt, now), number: 0 } : undefined;
    case "rate_limit":
    case "overloaded":
    case "network": {
      if (retries >= settings.maxErrorRetries) return undefined;
      const pauseMs = Math.min(settings.errorRetrySeconds * 1000 * 2 ** retries, LONGEST_PAUSE_MS);
      return { at: new Date(now.getTime() + pauseMs), number: retries + 1 };
    }
    case "auth":
    case "context":
    case "model":
    case "other":
      return undefined;
  }
}
