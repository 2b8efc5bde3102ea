import { assert, assertEquals, assertGreaterOrEqual, assertLess, assertRejects } from "@std/assert";
import { createAwakeClock, systemClock } from "../../../lib/base/ports/clock.ts";

/** A monotonic clock that goes on while this process is stopped: `stop` is how long it stands still from now on. */
function machine() {
  let nowMs = 1000;
  const timers: { readonly atMs: number; readonly ring: () => void }[] = [];
  return {
    monotonicNow: () => nowMs,
    wait(ms: number, signal?: AbortSignal): Promise<void> {
      return new Promise((resolve, reject) => {
        if (signal?.aborted) return reject(signal.reason);
        const timer = { atMs: nowMs + ms, ring: resolve };
        timers.push(timer);
        signal?.addEventListener("abort", () => {
          timers.splice(timers.indexOf(timer), 1);
          reject(signal.reason);
        });
      });
    },
    timers: () => timers.length,
    /** Lets time pass, timer by timer, as an event loop that is awake does. */
    async pass(ms: number): Promise<void> {
      const untilMs = nowMs + ms;
      for (;;) {
        timers.sort((one, other) => one.atMs - other.atMs);
        const [next] = timers;
        if (next === undefined || next.atMs > untilMs) break;
        nowMs = Math.max(nowMs, next.atMs);
        timers.shift()?.ring();
        await settled();
      }
      nowMs = untilMs;
      await settled();
    },
    /** What is due rings only afterwards, and what has arrived meanwhile may be told before that. */
    stop(ms: number): void {
      nowMs += ms;
    },
  };
}

async function settled(): Promise<void> {
  for (let turn = 0; turn < 20; turn++) await Promise.resolve();
}

const HOUR_MS = 3_600_000;

Deno.test("suspended: a sleep goes on after an hour in which the process stood still", async () => {
  const { pass, stop, ...parts } = machine();
  const clock = createAwakeClock(parts);
  let awake = false;
  const startedMs = clock.now();
  const sleep = clock.sleep(30_000).then(() => awake = true);
  await pass(10_000);
  stop(HOUR_MS);
  await pass(0);
  assert(!awake);
  await pass(17_000);
  assert(!awake);
  await pass(3500);
  assert(awake);
  await sleep;
  assertGreaterOrEqual(clock.now() - startedMs, 30_000);
  assertLess(clock.now() - startedMs, 33_000);
  assertEquals(parts.timers(), 0);
});

Deno.test("suspended: what looks at the time before any timer rings does not see the hour either", async () => {
  const { pass, stop, ...parts } = machine();
  const clock = createAwakeClock(parts);
  const abort = new AbortController();
  const sleep = clock.sleep(60_000, abort.signal).catch(() => {});
  await pass(5000);
  const beforeMs = clock.now();
  stop(HOUR_MS);
  assertLess(clock.now() - beforeMs, 2001);
  abort.abort();
  await sleep;
  assertEquals(parts.timers(), 0);
});

Deno.test("suspended: several sleepers count the hour once", async () => {
  const { pass, stop, ...parts } = machine();
  const clock = createAwakeClock(parts);
  const beforeMs = clock.now();
  const sleeps = [1000, 20_000, 20_000, 50_000].map((ms) => clock.sleep(ms));
  await pass(500);
  stop(HOUR_MS);
  await pass(60_000);
  await Promise.all(sleeps);
  const countedMs = clock.now() - beforeMs;
  assert(countedMs >= 60_000 && countedMs <= 63_000, String(countedMs));
});

Deno.test("a machine that is busy for some seconds is not taken for one that stood still", async () => {
  const { pass, stop, ...parts } = machine();
  const clock = createAwakeClock(parts);
  const beforeMs = clock.now();
  const sleep = clock.sleep(3000);
  stop(6000);
  await pass(0);
  await sleep;
  assertEquals(clock.now() - beforeMs, 6000);
});

Deno.test("an hour of work without a sleep is counted", () => {
  const { stop, ...parts } = machine();
  const clock = createAwakeClock(parts);
  const beforeMs = clock.now();
  stop(HOUR_MS);
  assertEquals(clock.now() - beforeMs, HOUR_MS);
});

Deno.test("the real clock sleeps as long as it should, and stops when it is told to", async () => {
  const startedMs = performance.now();
  await systemClock.sleep(30);
  assertGreaterOrEqual(performance.now() - startedMs, 29);
  await assertRejects(() => systemClock.sleep(60_000, AbortSignal.abort(new Error("stop"))), Error, "stop");
  const abort = new AbortController();
  const sleep = systemClock.sleep(60_000, abort.signal);
  abort.abort(new Error("stop"));
  await assertRejects(() => sleep, Error, "stop");
});

Deno.test("a sleep that is longer than timers can be waits in parts", async () => {
  const days = new AbortController();
  const waits: number[] = [];
  const wait = (ms: number, signal?: AbortSignal) =>
    new Promise<void>((_resolve, reject) => {
      waits.push(ms);
      signal?.addEventListener("abort", () => reject(signal.reason), { once: true });
    });
  const sleep = createAwakeClock({ monotonicNow: () => 0, wait }).sleep(60 * 24 * HOUR_MS, days.signal);
  days.abort(new Error("enough"));
  await assertRejects(() => sleep, Error, "enough");
  assertEquals(Math.max(...waits), 2 ** 31 - 1);
});
