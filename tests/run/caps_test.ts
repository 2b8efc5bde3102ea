import type { MeterEvent, RunCaps } from "../../lib/journal/meter_event.ts";
import { assertEquals, assertRejects, assertThrows } from "@std/assert";
import { UsageError } from "../../lib/base/errors.ts";
import { CapReachedError, parseRaise, requireRaise } from "../../lib/run/caps.ts";
import { openMeter } from "../../lib/run/meter.ts";
import { NOTHING_SPENT, settled, spend, type Spending, usedBy } from "../../lib/run/spending.ts";
import { createFakeClock } from "../support/fake_clock.ts";

const MINUTE_MS = 60_000;

/** What was used after events at these minutes. */
function spentBy(events: readonly (readonly [minute: number, event: MeterEvent | undefined])[]): Spending {
  return events.reduce((spent, [minute, event]) => spend(spent, event, minute * MINUTE_MS), NOTHING_SPENT);
}

Deno.test("spending: processes and turns add up, one that was killed up to its last fact; the time between does not", () => {
  const spent = spentBy([
    [0, { kind: "process_begins" }],
    [1, { kind: "turn_begins", worker: "tester" }],
    [3, undefined],
    // Killed; resumed an hour later.
    [63, { kind: "process_begins" }],
    [64, { kind: "turn_continues", worker: "tester" }],
    [66, { kind: "turn_ends", seconds: 120 }],
    [67, { kind: "process_ends", seconds: 240 }],
  ]);
  assertEquals(usedBy(spent, 1000 * MINUTE_MS), { maxTurns: 1, maxMinutes: 7, maxTokens: 0 });
  assertEquals(usedBy(spent, 1000 * MINUTE_MS, "tester"), { maxTurns: 1, maxMinutes: 4, maxTokens: 0 });
});

Deno.test("spending: a calendar that is set back takes nothing away from a process that was killed, or from a turn", () => {
  const begun = [
    [0, { kind: "process_begins" }],
    [1, { kind: "turn_begins", worker: "tester" }],
    [100, undefined],
    // Set back by an hour.
    [40, undefined],
    [45, undefined],
  ] as const;
  const killed = spentBy([...begun, [200, { kind: "process_begins" }]]);
  assertEquals([killed.seconds, usedBy(killed, 0, "tester").maxMinutes], [105 * 60, 104]);
  const ended = spentBy([...begun, [46, { kind: "process_ends", seconds: 106 * 60 }]]);
  assertEquals([usedBy(ended, 0).maxMinutes, usedBy(ended, 0, "tester").maxMinutes], [106, 105]);
});

Deno.test("spending: an end that counts less than the calendar, as a suspended machine's does, is what counts", () => {
  const spent = spentBy([
    [0, { kind: "process_begins" }],
    [0, { kind: "turn_begins", worker: "a" }],
    [600, { kind: "process_ends", seconds: 90 }],
  ]);
  assertEquals([usedBy(spent, 0).maxMinutes, usedBy(spent, 0, "a").maxMinutes], [1.5, 1.5]);
});

Deno.test("spending: a step that begins has used nothing, as in the next task of a folder; the run has", () => {
  const spent = spentBy([
    [0, { kind: "process_begins" }],
    [0, { kind: "worker_begins", worker: "main/a" }],
    [0, { kind: "turn_begins", worker: "main/a" }],
    [1, { kind: "turn_ends", seconds: 60 }],
    [1, { kind: "worker_begins", worker: "main/a" }],
  ]);
  assertEquals(usedBy(spent, MINUTE_MS, "main/a"), { maxTurns: 0, maxMinutes: 0, maxTokens: 0 });
  assertEquals(usedBy(spent, MINUTE_MS).maxTurns, 1);
});

Deno.test("spending: workers may have their turns side by side; each has its own minutes, and what it repeats", () => {
  const repeats = { kind: "command_repeats", worker: "programmer", command: "npm test", times: 7 } as const;
  const both = [
    [0, { kind: "process_begins" }],
    [1, { kind: "turn_begins", worker: "programmer" }],
    [2, repeats],
    [3, { kind: "turn_begins", worker: "tester" }],
  ] as const;
  assertEquals(spentBy(both).standstill.command.times, 7);
  const one = spentBy([...both, [5, { kind: "turn_ends", worker: "tester", seconds: 120 }]]);
  assertEquals(["programmer", "tester"].map((worker) => usedBy(one, 9 * MINUTE_MS, worker).maxMinutes), [8, 2]);
  // Killed at minute 6.
  const killed = settled(spentBy([...both, [6, undefined]]));
  assertEquals(["programmer", "tester"].map((worker) => usedBy(killed, 0, worker).maxMinutes), [5, 3]);
  assertEquals(usedBy(killed, 0).maxTurns, 2);
  // What nobody at work repeats any more is past.
  const next = [[6, { kind: "turn_ends", worker: "programmer", seconds: 300 }], [7, both[3][1]]] as const;
  assertEquals(spentBy([...both.slice(0, 3), ...next]).standstill.command.times, 0);
});

/** A usage of so many tokens. */
const some = (tokens: number) => ({ m: { inputTokens: tokens, cachedInputTokens: 0, outputTokens: 0 } });

Deno.test("spending: tokens count as they are told, of a turn that was broken off too, and beside turns", () => {
  const working = spentBy([
    [0, { kind: "process_begins" }],
    [0, { kind: "turn_begins", worker: "a" }],
    [1, { kind: "tokens_counted", worker: "a", usage: some(100) }],
    [2, { kind: "tokens_counted", worker: "a", usage: some(150) }],
    [2, { kind: "tokens_counted", worker: "b", usage: some(1) }],
  ]);
  assertEquals([usedBy(working, 0).maxTokens, usedBy(working, 0, "a").maxTokens], [251, 250]);
  const ended = spend(working, { kind: "turn_ends", seconds: 1, usage: some(10) }, 0);
  assertEquals([usedBy(ended, 0).maxTokens, usedBy(ended, 0, "a").maxTokens], [261, 260]);
  const killed = spend(working, { kind: "process_begins" }, 0);
  assertEquals([usedBy(killed, 0).maxTokens, usedBy(killed, 0, "a").maxTokens], [251, 250]);
});

Deno.test("--raise: only a cap that is there, to more than it is, as a whole number", () => {
  for (
    const word of ["max_turns", "max_turns=", "max_turns=0", "max_turns=1.5", "max_turns=-1", "=4", "max_turns=9e9"]
  ) {
    assertThrows(() => parseRaise([word]), UsageError, "Cannot raise");
  }
  assertEquals(parseRaise(["tester.max_cost=2.50", "max_cost=3"]), { "tester.max_cost": 2.5, max_cost: 3 });
  assertThrows(() => parseRaise(["max_tokens=2.5"]), UsageError, "Cannot raise");
  const caps = { max_turns: 4 };
  requireRaise({ max_turns: 5 }, caps);
  assertThrows(() => requireRaise({ max_turns: 4 }, caps), UsageError, "Cannot raise max_turns to 4: it is 4");
  assertThrows(() => requireRaise({ toString: 4 }, caps), UsageError, "the run has no such cap");
});

/** A meter of a run whose process has begun. */
function meterOf(clock: Parameters<typeof openMeter>[0]["clock"], caps: RunCaps, earlier = NOTHING_SPENT) {
  const meter = openMeter({ caps, earlier, clock });
  const begin = (event: MeterEvent) => {
    meter.admit(event);
    meter.take(event);
  };
  return { meter, begin };
}

Deno.test("a turn beyond the cap of the run, or of its role, may not begin", () => {
  using clock = createFakeClock();
  const { meter, begin } = meterOf(clock, { max_turns: 3, "tester.max_turns": 1 });
  using _ = meter;
  begin({ kind: "process_begins" });
  begin({ kind: "turn_begins", worker: "tester" });
  meter.take({ kind: "turn_ends", seconds: 1 });
  assertThrows(() => begin({ kind: "turn_begins", worker: "tester" }), CapReachedError, "tester.max_turns (1)");
  // A turn that an earlier process began does not count as another one.
  begin({ kind: "turn_continues", worker: "tester" });
  begin({ kind: "turn_begins", worker: "analyst" });
  begin({ kind: "turn_begins", worker: "programmer" });
  assertThrows(() => begin({ kind: "turn_begins", worker: "analyst" }), CapReachedError, "max_turns (3)");
});

/** When a meter stops what is under way, in minutes; undefined for never within a day. */
async function stopsAfter(caps: RunCaps, act: (take: (event: MeterEvent) => void) => void, earlier = NOTHING_SPENT) {
  using clock = createFakeClock();
  const { meter, begin } = meterOf(clock, caps, earlier);
  using _ = meter;
  begin({ kind: "process_begins" });
  act(begin);
  await clock.runUntilSettled(clock.sleep(24 * 60 * MINUTE_MS, meter.signal).catch(() => {}), {
    limitSeconds: 2 * 24 * 3600,
  });
  return meter.signal.aborted ? clock.elapsedSeconds() / 60 : undefined;
}

Deno.test("minutes stop what is under way: those of the run, and those of a role in its turns", async () => {
  const work = (take: (event: MeterEvent) => void) => take({ kind: "turn_begins", worker: "tester" });
  const earlier = settled(spentBy([[0, { kind: "process_begins" }], [4, undefined]]));
  assertEquals(await stopsAfter({ max_minutes: 10 }, work), 10);
  assertEquals(await stopsAfter({ max_minutes: 10 }, work, earlier), 6);
  assertEquals(await stopsAfter({ max_minutes: 10, "tester.max_minutes": 3 }, work), 3);
  assertEquals(await stopsAfter({ "analyst.max_minutes": 3 }, work), undefined);
  const workedBefore = (take: (event: MeterEvent) => void) => {
    work(take);
    take({ kind: "turn_ends", seconds: 1 });
  };
  assertEquals(await stopsAfter({ "tester.max_minutes": 3 }, workedBefore), undefined);
});

Deno.test("a reply far beyond a cap: what is proposed lets the run continue", () => {
  using clock = createFakeClock();
  const { meter, begin } = meterOf(clock, { max_tokens: 100, max_turns: 9 });
  using _ = meter;
  begin({ kind: "process_begins" });
  begin({ kind: "turn_begins", worker: "tester" });
  meter.take({ kind: "tokens_counted", worker: "tester", usage: some(80_000) });
  const { raise } = meter.signal.reason as CapReachedError;
  assertEquals(raise, "max_tokens=160000");
  assertThrows(() => begin({ kind: "process_begins", raised: { max_tokens: 200 } }), CapReachedError, "(200)");
  begin({ kind: "process_begins", raised: parseRaise([raise]) });
});

Deno.test("a run that has used its minutes does not begin again, unless they are raised", async () => {
  using clock = createFakeClock();
  const earlier = settled(spentBy([[0, { kind: "process_begins" }], [10, undefined]]));
  const { meter, begin } = meterOf(clock, { max_minutes: 10 }, earlier);
  using _ = meter;
  assertThrows(() => begin({ kind: "process_begins" }), CapReachedError, "max_minutes (10)");
  begin({ kind: "process_begins", raised: { max_minutes: 12 } });
  const stopped = clock.sleep(60 * MINUTE_MS, meter.signal);
  const error = await assertRejects(() => clock.runUntilSettled(stopped), CapReachedError);
  assertEquals(error.raise, "max_minutes=24");
  assertEquals([error.exitCode, clock.elapsedSeconds()], [3, 120]);
});
