import type { RunRecords } from "../../../lib/journal/loop/state.ts";
import { countOf } from "../../../lib/journal/loop/state.ts";
import type { RunState } from "../../../lib/jobs/review_loop/state.ts";
import { assertEquals, assertRejects, assertThrows } from "@std/assert";
import { REVIEW_FOLDS, type ReviewFact } from "../../../lib/journal/loop/facts.ts";
import { createTokenCounter, whileCounting } from "../../../lib/jobs/review_loop/token_counter.ts";
import type { SessionUsage } from "../../../lib/agents/pane/status_source.ts";
import type { BuiltInRole } from "../../../lib/base/roles.ts";
import { CapReachedError, TokensUnknownError } from "../../../lib/run/caps.ts";
import { openMeter } from "../../../lib/run/meter.ts";
import { NOTHING_SPENT } from "../../../lib/run/spending.ts";
import { NOTHING_COUNTED, takeCount, type TokenCounts } from "../../../lib/journal/usage.ts";
import type { Clock } from "../../../lib/base/ports/clock.ts";

/** A clock on which every sleep is over at once. */
function hastyClock(): Clock {
  let nowMs = 0;
  return {
    now: () => nowMs,
    async sleep(ms, signal) {
      signal?.throwIfAborted();
      await Promise.resolve();
      nowMs += ms;
    },
  };
}

/** What a session has used that took so many tokens. */
function used(inputTokens: number, sessionId = "s1"): SessionUsage {
  return { sessionId, usage: { m: { inputTokens, cachedInputTokens: 0, outputTokens: 0 } } };
}

/** A counter of agents whose records are looked at in turn; the last look lasts. */
function counterOf(
  looks: Partial<Record<BuiltInRole, (SessionUsage | undefined)[]>>,
  { cap }: { readonly cap?: string } = {},
) {
  const clock = hastyClock();
  const records: Extract<ReviewFact, { type: "tokens_counted" }>[] = [];
  let tokens: TokenCounts = NOTHING_COUNTED;
  const sent = { role: "tester", message: { step: "sent" } } as RunState["turn"];
  const counter = createTokenCounter({
    agents: () =>
      Object.entries(looks).map(([role, all]) => {
        const usage = () => Promise.resolve(all.length > 1 ? all.shift() : all[0]);
        return [role as BuiltInRole, { usage }] as const;
      }),
    state: () => ({ tokens, turn: sent, messages: [] }),
    capOf: () => cap,
    record(fact) {
      if (fact.type !== "tokens_counted") return;
      records.push(fact);
      tokens = takeCount(tokens, countOf(fact));
    },
    clock,
  });
  return { counter, clock, records, counts: () => tokens };
}

Deno.test("what a session has used is written down when it is more; a session after another adds to it", async () => {
  const { counter, records, counts } = counterOf({
    tester: [undefined, used(5), used(5), used(8), used(1), used(2, "s2"), used(8)],
    analyst: [used(1)],
  });
  for (let look = 0; look < 7; look++) await counter.countAll();
  assertEquals(records.map(({ role, session, usage }) => [role, session, usage["m"]?.inputTokens]), [
    ["analyst", "s1", 1],
    ["tester", "s1", 5],
    ["tester", "s1", 8],
    ["tester", "s2", 2],
  ]);
  assertEquals(counts().byWorker["tester"]?.["m"]?.inputTokens, 10);
});

Deno.test("what a session has cost is written down when it is more, also where its tokens were told before, or never are", async () => {
  const costing = (amount: number, inputTokens?: number) => ({
    ...(inputTokens === undefined ? { sessionId: "s1", usage: {} } : used(inputTokens)),
    cost: { amount, currency: "USD" },
  });
  const { counter, records } = counterOf({
    tester: [used(5), costing(0.25, 5), costing(0.25, 5)],
    analyst: [costing(0), costing(0.5), costing(0.5)],
  });
  for (let look = 0; look < 3; look++) await counter.countAll();
  assertEquals(records.map(({ role, cost }) => [role, cost?.amount]), [
    ["tester", undefined],
    ["tester", 0.25],
    ["analyst", 0.5],
  ]);
});

Deno.test("a count that reaches a cap ends the turn, whoever's it is; the next look is not waited for", async () => {
  for (
    const [caps, name] of [[{ max_tokens: 8 }, "max_tokens"], [
      { "tester.max_tokens": 5 },
      "tester.max_tokens",
    ]] as const
  ) {
    const clock = hastyClock();
    using meter = openMeter({ caps, earlier: NOTHING_SPENT, clock });
    meter.take({ kind: "process_begins" });
    meter.take({ kind: "turn_begins", worker: "tester" });
    let tokens = takeCount(NOTHING_COUNTED, { worker: "analyst", source: "analyst s", usage: used(3).usage });
    meter.take({ kind: "tokens_counted", worker: "analyst", usage: used(3).usage });
    let replies = 0;
    const counter = createTokenCounter({
      agents: () => [["tester", { usage: () => Promise.resolve(used(++replies)) }]],
      state: () => ({ tokens, turn: undefined, messages: [] }),
      capOf: () => name,
      record(fact) {
        meter.take(REVIEW_FOLDS.meter(fact, { tokens } as RunRecords));
        if (fact.type === "tokens_counted") tokens = takeCount(tokens, countOf(fact));
      },
      clock,
    });
    const turn = (signal: AbortSignal) =>
      new Promise<never>((_resolve, reject) => signal.addEventListener("abort", () => reject(signal.reason)));
    const error = await assertRejects(
      () => whileCounting({ counter, role: "tester", signal: meter.signal }, turn),
      CapReachedError,
    );
    assertEquals([error.raise, replies], [`${name}=${2 * Object.values(caps)[0]!}`, 5]);
  }
});

Deno.test("a record that is not found a minute after the prompt stops the turn of a capped role, and of no other", async () => {
  const lost = { tester: [undefined] };
  const { counter, clock } = counterOf(lost, { cap: "max_tokens" });
  const never = (signal: AbortSignal) =>
    new Promise<never>((_resolve, reject) => signal.addEventListener("abort", () => reject(signal.reason)));
  const signal = new AbortController().signal;
  await assertRejects(
    () => whileCounting({ counter, role: "tester", signal }, never),
    TokensUnknownError,
    "the cap max_tokens cannot be checked: the record of tester's CLI is not found",
  );
  assertEquals(clock.now() >= 60_000, true);
  const free = counterOf(lost);
  const turn = async () => {
    while (free.clock.now() < 600_000) await free.clock.sleep(1000);
    return "response";
  };
  assertEquals(await whileCounting({ counter: free.counter, role: "tester", signal }, turn), "response");
});

Deno.test("a turn that ends without a count cannot be checked; a count that comes a moment later is waited for", async () => {
  const signal = new AbortController().signal;
  const silent = counterOf({ tester: [used(5)] }, { cap: "tester.max_tokens" });
  await silent.counter.countAll();
  await assertRejects(
    () => silent.counter.requireCount("tester", 5, signal),
    TokensUnknownError,
    "the CLI of tester has recorded no tokens in its turn",
  );
  const late = counterOf({ tester: [used(5), used(5), used(5), used(9)] }, { cap: "max_tokens" });
  await late.counter.countAll();
  await late.counter.requireCount("tester", 5, signal);
  assertEquals(late.counts().byWorker["tester"]?.["m"]?.inputTokens, 9);
  const free = counterOf({ tester: [undefined] });
  await free.counter.requireCount("tester", 0, signal);
});

Deno.test("a count that reaches a cap beside any turn ends nothing: the next turn does not begin", () => {
  using meter = openMeter({ caps: { max_tokens: 5 }, earlier: NOTHING_SPENT, clock: hastyClock() });
  meter.take({ kind: "process_begins" });
  meter.take({ kind: "tokens_counted", worker: "tester", usage: used(5).usage });
  assertEquals(meter.signal.aborted, false);
  assertThrows(() => meter.admit({ kind: "turn_begins", worker: "analyst" }), CapReachedError);
});
