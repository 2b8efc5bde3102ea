import { assertEquals } from "@std/assert";
import type { ReviewFact } from "../../lib/journal/loop/facts.ts";
import {
  mayRecover,
  type Recovered,
  recoveredText,
  recoveredWith,
  type Recovering,
} from "../../lib/journal/recovery.ts";
import { recorded, runStarted } from "../jobs/review_loop/scripted_agents.ts";
import { foldEvents } from "../support/fold_events.ts";

const AT = "2026-11-20T22:00:00.000Z";

const fold = (...all: readonly Recovering[]) =>
  all.reduce((recovered: readonly Recovered[], one) => recoveredWith({ recovered }, one, AT), []);

Deno.test("what a run was helped out of is counted by kind, with the time that was waited", () => {
  const half = "2026-11-20T22:00:30.000Z";
  const recovered = fold(
    { recovery: "pause", class: "overloaded", until: half },
    { recovery: "fresh_session", class: "context", until: AT },
    { recovery: "pause", class: "overloaded", until: "2026-11-20T22:13:30.000Z" },
    { recovery: "restart" },
    { recovery: "restart" },
    { recovery: "ground" },
    { recovery: "reset", class: "usage_limit", until: "2026-11-21T00:05:00.000Z" },
  );
  assertEquals(
    recoveredText(recovered),
    "overloaded 2 times, 14m 00s; context full once, a new session; a program that had ended: started again 2 times; " +
      "tmux or the sandbox: opened anew once; usage limit once, 2h 05m",
  );
});

Deno.test("a reset in the past, or one that cannot be read, adds no time", () => {
  const recovered = fold(
    { recovery: "reset", class: "usage_limit", until: "2026-11-20T21:00:00.000Z" },
    { recovery: "reset", class: "usage_limit", until: "soon" },
    { recovery: "reset", class: "usage_limit" },
  );
  assertEquals(recovered, [{ recovery: "reset", class: "usage_limit", times: 3, seconds: 0 }]);
  assertEquals(recoveredText([]), "");
});

Deno.test("tokens that a turn uses between one failure and the next count as used in vain; those of a retry that works do not", () => {
  const turn = { turnId: "r1-tester", role: "tester" } as const;
  let used = 0;
  const uses = (tokens: number): ReviewFact => {
    used += tokens;
    const usage = { m: { inputTokens: used, cachedInputTokens: 0, outputTokens: 0 } };
    return { type: "tokens_counted", role: "tester", session: "s", usage, passable: true };
  };
  const failed: ReviewFact = {
    ...{ type: "agent_failed", ...turn, class: "overloaded", message: "529", evidence: "its screen" },
    ...{ retryAt: "2026-11-20T12:01:00.000Z", retry: 1, recovery: "pause" },
  };
  const begun: ReviewFact = { type: "turn_started", ...turn, round: 1, cycle: 0, promptBytes: 1 };
  const ended: ReviewFact = { type: "response_received", ...turn, bytes: 1, archivedAs: "/a", sha256: "", seconds: 1 };
  const facts = [begun, uses(70_000), failed, uses(20_000), failed, uses(5000), ended, uses(9000)];
  const after = (count: number, all: readonly ReviewFact[] = facts) =>
    foldEvents([runStarted(), ...all.slice(0, count).map((fact) => recorded(fact, "RESULT: PASS"))])!.recovery;
  assertEquals(after(2), undefined);
  assertEquals(after(3), { inVain: 0, underWay: 0 });
  assertEquals(after(4), { inVain: 0, underWay: 20_000 });
  assertEquals(after(5), { inVain: 20_000, underWay: 0 });
  assertEquals(after(6), { inVain: 20_000, underWay: 5000 });
  assertEquals(after(8), { inVain: 20_000 });
  // An account's limit that is reached, and waited for, is no failure of what was tried.
  const limited = { ...failed, class: "usage_limit", retry: 0, recovery: "reset" } as const;
  used = 0;
  assertEquals(after(4, [begun, uses(70_000), limited, uses(50_000)]), { inVain: 0 });
});

Deno.test("the share is that of the cap, or of what the job has used, and a small job is not held to it", () => {
  const tokens = (inputTokens: number) => ({
    byWorker: { tester: { m: { inputTokens, cachedInputTokens: 0, outputTokens: 0 } } },
    bySource: {},
  });
  const recovery = (inVain: number) => ({ inVain });
  assertEquals(mayRecover({ tokens: tokens(50_000), recovery: recovery(200_000) }, {}), true);
  assertEquals(mayRecover({ tokens: tokens(50_000), recovery: recovery(200_001) }, {}), false);
  assertEquals(mayRecover({ tokens: tokens(2_000_000), recovery: recovery(400_000) }, {}), true);
  assertEquals(mayRecover({ tokens: tokens(2_000_000), recovery: recovery(400_000) }, { maxTokens: 1_000_000 }), false);
});
