import { assertEquals } from "@std/assert";
import { planRetry, type Tried } from "../../lib/turn/ladder.ts";
import type { FailureClass } from "../../lib/base/terms.ts";

const NOW = new Date("2026-11-20T22:00:00Z");
const HOUR_MS = 3_600_000;

interface Case {
  readonly failure: FailureClass;
  readonly tried?: Tried;
  readonly resetsInHours?: number;
  readonly isTurnOver?: boolean;
  readonly mayReplace?: boolean;
  readonly maxErrorRetries?: number;
  readonly isStalled?: boolean;
  /** In how many hours each agent that may take its place can, if ever. */
  readonly others?: readonly (number | undefined)[];
}

/** What is done, and after how many seconds. */
function plan(
  { failure, tried = {}, resetsInHours, isTurnOver = true, mayReplace = true, ...one }: Case,
): readonly [string, number, number] | undefined {
  const { maxErrorRetries = 8, isStalled = false, others = [] } = one;
  const first = Math.min(...others.map((hours) => hours ?? Infinity));
  const at = Number.isFinite(first) ? { at: new Date(NOW.getTime() + first * HOUR_MS) } : {};
  const resetsAt = resetsInHours === undefined ? undefined : new Date(NOW.getTime() + resetsInHours * HOUR_MS);
  const retry = planRetry({ class: failure, isTurnOver, isStalled, ...(resetsAt === undefined ? {} : { resetsAt }) }, {
    settings: { maxErrorRetries, errorRetrySeconds: 30, waitForUsageLimitReset: true },
    ...{ now: NOW, tried, mayReplace, fallbacks: { count: others.length, ...at } },
  });
  return retry && [retry.recovery, retry.number, (retry.at.getTime() - NOW.getTime()) / 1000];
}

Deno.test("each class of failure has its ladder, each rung its limit", () => {
  const cases: readonly [Case, ReturnType<typeof plan>][] = [
    [{ failure: "overloaded" }, ["pause", 1, 30]],
    [{ failure: "network", tried: { pause: 7 } }, ["pause", 8, 900]],
    [{ failure: "program", tried: { pause: 7 } }, ["pause", 8, 900]],
    [{ failure: "rate_limit", tried: { pause: 8 } }, undefined],
    [{ failure: "context" }, ["fresh_session", 1, 0]],
    [{ failure: "context", tried: { fresh_session: 2, pause: 3 } }, undefined],
    [{ failure: "other" }, ["continue", 1, 30]],
    [{ failure: "other", tried: { continue: 1 } }, ["fresh_session", 1, 0]],
    [{ failure: "other", tried: { continue: 1, fresh_session: 1 } }, undefined],
    [{ failure: "auth" }, undefined],
    [{ failure: "model" }, undefined],
  ];
  for (const [one, expected] of cases) assertEquals(plan(one), expected, JSON.stringify(one));
});

Deno.test("where the end of a turn is not proved its program is ended first, and nothing is sent into it", () => {
  assertEquals(plan({ failure: "overloaded", isTurnOver: false }), ["restart", 1, 0]);
  const again = { failure: "overloaded", isTurnOver: false } as const;
  assertEquals(plan({ ...again, tried: { restart: 1 } }), ["fresh_session", 1, 0]);
  assertEquals(plan({ ...again, tried: { restart: 1, fresh_session: 1 } }), undefined);
  assertEquals(plan({ failure: "overloaded", isTurnOver: false, mayReplace: false }), undefined);
  assertEquals(plan({ failure: "auth", isTurnOver: false }), undefined);
  const stalled = { failure: "other", isTurnOver: false, isStalled: true } as const;
  assertEquals(plan(stalled), ["interrupt", 1, 0]);
  assertEquals(plan({ ...stalled, tried: { interrupt: 1 } }), ["restart", 1, 0]);
  assertEquals(plan({ ...stalled, tried: { interrupt: 1, restart: 1 } }), ["fresh_session", 1, 0]);
});

Deno.test("an agent that cannot be replaced is not given up, and without retries nothing is tried", () => {
  assertEquals(plan({ failure: "context", mayReplace: false }), undefined);
  assertEquals(plan({ failure: "other", mayReplace: false, tried: { continue: 1 } }), undefined);
  for (const failure of ["overloaded", "context", "other"] as const) {
    assertEquals(plan({ failure, maxErrorRetries: 0 }), undefined, failure);
  }
});

Deno.test("a told reset is waited for: one in the past is tried three times; one that is not told, or in a year, is not", () => {
  const limited = { failure: "usage_limit" } as const;
  assertEquals(plan({ ...limited, resetsInHours: 5 }), ["reset", 0, 5 * 3600 + 30]);
  assertEquals(plan({ ...limited, resetsInHours: 24 * 7, tried: { reset: 30 } }), ["reset", 0, 24 * 7 * 3600 + 30]);
  assertEquals(plan({ ...limited, resetsInHours: 24 * 365 }), undefined);
  assertEquals(plan({ ...limited, resetsInHours: -3 }), ["reset", 0, 30]);
  assertEquals(plan({ ...limited, resetsInHours: -3, tried: { reset: 2 } }), ["reset", 0, 30]);
  assertEquals(plan({ ...limited, resetsInHours: -3, tried: { reset: 3 } }), undefined);
  assertEquals(plan({ ...limited, resetsInHours: NaN }), undefined);
  assertEquals(plan(limited), undefined);
});

Deno.test("another agent takes the place of one whose account is used up at once, of others once nothing else helps", () => {
  const others = [0];
  assertEquals(plan({ failure: "usage_limit", resetsInHours: 5, others }), ["fallback", 1, 0]);
  assertEquals(plan({ failure: "usage_limit", others, tried: { fallback: 7 } }), ["fallback", 8, 0]);
  for (const failure of ["auth", "model"] as const) {
    assertEquals(plan({ failure, others, isTurnOver: false, maxErrorRetries: 0 }), ["fallback", 1, 0]);
  }
  assertEquals(plan({ failure: "overloaded", others }), ["pause", 1, 30]);
  assertEquals(plan({ failure: "overloaded", others, tried: { pause: 8 } }), ["fallback", 1, 0]);
  assertEquals(plan({ failure: "overloaded", others, tried: { pause: 8, fallback: 1 } }), undefined);
  assertEquals(plan({ failure: "context", others, tried: { fresh_session: 2 } }), ["fallback", 1, 0]);
  assertEquals(plan({ failure: "usage_limit", others, mayReplace: false }), undefined);
});

Deno.test("where all accounts are used up, the first reset is waited for, whoever's that is; nothing else of another agent is", () => {
  const limited = { failure: "usage_limit", resetsInHours: 5 } as const;
  assertEquals(plan({ ...limited, others: [2, 7] }), ["fallback", 1, 2 * 3600 + 30]);
  assertEquals(plan({ ...limited, others: [7] }), ["reset", 0, 5 * 3600 + 30]);
  assertEquals(plan({ failure: "usage_limit", others: [7] }), ["fallback", 1, 7 * 3600 + 30]);
  assertEquals(plan({ failure: "usage_limit", others: [24 * 365] }), undefined);
  assertEquals(plan({ failure: "usage_limit", others: [undefined] }), undefined);
  assertEquals(plan({ failure: "auth", others: [2] }), undefined);
});
