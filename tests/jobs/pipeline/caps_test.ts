import { assertEquals, assertRejects, assertStringIncludes } from "@std/assert";
import { HumanInterventionRequiredError, UsageError } from "../../../lib/base/errors.ts";
import { CapReachedError } from "../../../lib/run/caps.ts";
import { readRecords } from "../../support/journal_records.ts";
import { type TempDir, tempDir } from "../../support/temp_dir.ts";
import { type Act, asks, cast, fails, only, resumeIn, runIn, says, step } from "./support.ts";

/** The only run of a directory, and how it ended. */
async function endOf(dir: TempDir) {
  const [run] = [...Deno.readDirSync(`${dir.path}/.panewright/runs`)];
  const id = run?.name ?? "";
  const end = (await readRecords(`${dir.path}/.panewright/runs/${id}/journal.ndjson`)).at(-1);
  return { id, end };
}

Deno.test("max_turns: the attempt beyond it is not started, the run ends for a person, and a raised cap continues it", async () => {
  await using dir = await tempDir();
  await dir.write({ "task.md": "Build it." });
  const steps = [step("a"), step("b"), step("c")];
  const agents = cast(says(), says());
  const error = await assertRejects(() => runIn(dir, steps, { ...agents, caps: { maxTurns: 2 } }), CapReachedError);
  assertEquals([error.exitCode, agents.requests.length], [3, 2]);
  const { id, end } = await endOf(dir);
  assertEquals(end?.["outcome"], "needs_human");
  assertStringIncludes(String(end?.["resumeCommand"]), `resume ${id} --raise 'max_turns=4'`);

  const idle = cast();
  await assertRejects(() => resumeIn(dir, steps, { ...idle, run: id, caps: { maxTurns: 2 } }), CapReachedError);
  const more = { run: id, caps: { maxTurns: 2 } };
  await assertRejects(
    () => resumeIn(dir, steps, { ...idle, ...more, raise: { max_turns: 2 } }),
    UsageError,
    "Cannot raise max_turns to 2: it is 2",
  );
  await assertRejects(
    () => resumeIn(dir, steps, { ...idle, ...more, raise: { max_minutes: 2 } }),
    UsageError,
    "the run has no such cap",
  );
  assertEquals(idle.requests.length, 0);
  const last = cast(says());
  const { report, events } = await resumeIn(dir, steps, { ...last, ...more, raise: { max_turns: 3 } });
  assertEquals([report.outcome, only(events, "attempt_started").map(({ step }) => step)], ["pass", [3]]);
});

Deno.test("a cap that was raised stays raised for the processes after it", async () => {
  await using dir = await tempDir();
  await dir.write({ "task.md": "Build it." });
  const steps = [step("a"), step("b"), step("c")];
  const caps = { maxTurns: 1 };
  await assertRejects(() => runIn(dir, steps, { ...cast(says()), caps }), CapReachedError);
  const { id } = await endOf(dir);
  const controller = new AbortController();
  const dies: Act = () => {
    controller.abort(new Error("crash"));
    throw controller.signal.reason;
  };
  const crashing = { ...cast(dies), run: id, caps, raise: { max_turns: 4 }, signal: controller.signal };
  await assertRejects(() => resumeIn(dir, steps, crashing), Error, "crash");
  const { report } = await resumeIn(dir, steps, { ...cast(says(), says()), run: id, caps });
  assertEquals(report.outcome, "pass");
});

Deno.test("a step's cap counts its attempts: retries, and those after an answer", async () => {
  await using dir = await tempDir();
  await dir.write({ "task.md": "Build it." });
  const steps = [step("a"), step("b", { retry: 9, caps: { maxTurns: 3 } })];
  const agents = cast(says(), fails("no"), asks("Which?"), fails("no"));
  const person = () => Promise.resolve("That one.");
  const error = await assertRejects(() => runIn(dir, steps, { ...agents, person }), CapReachedError);
  assertStringIncludes(error.message, "main/b.max_turns (3)");
  const { id } = await endOf(dir);
  const more = cast(says());
  const { report } = await resumeIn(dir, steps, { ...more, run: id, raise: { "main/b.max_turns": 4 } });
  assertEquals(report.outcome, "pass");
  assertStringIncludes(more.requests[0]?.prompt ?? "", "That one.");
});

Deno.test("a step's cap counts anew in each task of a folder", async () => {
  await using dir = await tempDir();
  await dir.write({ "tasks/1.md": "One.", "tasks/2.md": "Two." });
  const steps = [step("a", { caps: { maxTurns: 1 } })];
  const { report } = await runIn(dir, steps, { ...cast(says(), says()), task: "tasks/" });
  assertEquals(report.outcome, "pass");
});

/** A clock that moves when it is told to, and wakes who sleeps until then. */
function handClock() {
  let nowMs = 0;
  const sleepers = new Set<{ readonly atMs: number; readonly wake: () => void }>();
  return {
    now: () => nowMs,
    sleep(ms: number, signal?: AbortSignal): Promise<void> {
      const { promise, resolve, reject } = Promise.withResolvers<void>();
      const sleeper = { atMs: nowMs + ms, wake: resolve };
      sleepers.add(sleeper);
      signal?.addEventListener("abort", () => reject(signal.reason), { once: true });
      if (signal?.aborted) reject(signal.reason);
      return promise.finally(() => sleepers.delete(sleeper));
    },
    advance(ms: number) {
      nowMs += ms;
      for (const { atMs, wake } of sleepers) if (atMs <= nowMs) wake();
    },
  };
}

for (
  const [what, caps, ofStep, name] of [
    ["the run's", { maxMinutes: 5 }, {}, "max_minutes"],
    ["the step's", {}, { maxMinutes: 5 }, "main/a.max_minutes"],
  ] as const
) {
  Deno.test(`${what} max_minutes stops an attempt under way; the next process takes the step up again`, async () => {
    await using dir = await tempDir();
    await dir.write({ "task.md": "Build it." });
    const clock = handClock();
    const steps = [step("a", { caps: ofStep })];
    /** Works until it is stopped. */
    const works: Act = async ({ signal }) => {
      const stopped = Promise.withResolvers<never>();
      signal.addEventListener("abort", () => stopped.reject(signal.reason), { once: true });
      clock.advance(299_000);
      await Promise.resolve();
      signal.throwIfAborted();
      clock.advance(1000);
      return await stopped.promise;
    };
    const error = await assertRejects(() => runIn(dir, steps, { ...cast(works), caps, clock }), CapReachedError);
    assertStringIncludes(error.message, `the cap ${name} (5) is reached`);
    const { id } = await endOf(dir);
    const resumed = { run: id, caps, clock };
    if (name === "max_minutes") {
      const idle = cast();
      await assertRejects(() => resumeIn(dir, steps, { ...idle, ...resumed }), CapReachedError);
      assertEquals(idle.requests, []);
    }
    const { report, events } = await resumeIn(dir, steps, { ...cast(says()), ...resumed, raise: { [name]: 6 } });
    assertEquals([report.outcome, only(events, "attempt_started")[0]?.reason], ["pass", "interrupted"]);
  });
}

for (
  const [what, caps, ofStep, name] of [
    ["the run's", { maxTokens: 250 }, {}, "max_tokens"],
    ["the step's", {}, { maxTokens: 250 }, "main/a.max_tokens"],
  ] as const
) {
  Deno.test(`${what} max_tokens stops an attempt at the reply that reaches it; what it used counts, and once`, async () => {
    await using dir = await tempDir();
    await dir.write({ "task.md": "Build it." });
    const steps = [step("a", { caps: ofStep })];
    /** A model that spins: a reply follows the other. */
    let replies = 0;
    const spins: Act = ({ signal, onProgress }) => {
      for (;; replies++) {
        signal.throwIfAborted();
        const tokens = { inputTokens: 90 * (replies + 1), cachedInputTokens: 0, outputTokens: 10 * (replies + 1) };
        onProgress?.({ type: "usage", usage: { m: tokens } });
      }
    };
    const error = await assertRejects(() => runIn(dir, steps, { ...cast(spins), caps }), CapReachedError);
    assertStringIncludes(error.message, `the cap ${name} (250) is reached`);
    assertEquals(replies, 3);
    const { id, end } = await endOf(dir);
    assertEquals(end?.["usage"], { m: { inputTokens: 270, cachedInputTokens: 0, outputTokens: 30 } });
    const idle = cast();
    await assertRejects(() => resumeIn(dir, steps, { ...idle, run: id, caps }), CapReachedError);
    assertEquals(idle.requests, []);
    const { report } = await resumeIn(dir, steps, { ...cast(says()), run: id, caps, raise: { [name]: 500 } });
    const ofTheEnd = { "test-model": { inputTokens: 100, cachedInputTokens: 10, outputTokens: 5 } };
    const all = { m: { inputTokens: 270, cachedInputTokens: 0, outputTokens: 30 }, ...ofTheEnd };
    assertEquals(report.state.tokens.byWorker, { "main/a": all });
    const passed = (await endOf(dir)).end;
    assertEquals([passed?.["usage"], passed?.["usageByStep"]], [all, { "main/a": all }]);
  });
}

Deno.test("max_cost stops an attempt at the reply that reaches it; a model without a price is named once, and costs nothing", async () => {
  await using dir = await tempDir();
  await dir.write({ "task.md": "Build it." });
  const prices = { date: "2026-11-01", models: { dear: { input: 10_000, output: 0 } } };
  let replies = 0;
  const spins: Act = ({ signal, onProgress }) => {
    for (;; replies++) {
      signal.throwIfAborted();
      const tokens = { inputTokens: 10 * (replies + 1), cachedInputTokens: 0, outputTokens: 5 };
      onProgress?.({ type: "usage", usage: { dear: tokens, deer: tokens } });
    }
  };
  const caps = { maxCost: 0.25 };
  const steps = [step("a")];
  const error = await assertRejects(() => runIn(dir, steps, { ...cast(spins), caps, prices }), CapReachedError);
  assertStringIncludes(error.message, "the cap max_cost (0.25) is reached");
  assertEquals([replies, error.raise], [3, "max_cost=0.5"]);
  const { id, end } = await endOf(dir);
  assertEquals(end?.["cost"], { total: 0.3, byWorker: { "main/a": 0.3 }, pricesOf: "2026-11-01" });
  const warned = async () => {
    const records = await Deno.readTextFile(`${dir.path}/.panewright/runs/${id}/journal.ndjson`);
    return records.trim().split("\n").map((line) => JSON.parse(line)).filter(({ type }) => type === "warning")
      .map(({ message }) => message);
  };
  const unpriced =
    'there is no price for the model deer: its tokens are counted, and cost nothing (did you mean "dear"?)';
  assertEquals(await warned(), [unpriced]);
  const again = { run: id, caps, prices };
  const idle = cast();
  await assertRejects(() => resumeIn(dir, steps, { ...idle, ...again }), CapReachedError);
  assertEquals(idle.requests, []);
  const ends: Act = async (request) => {
    return { ...await says()(request), usage: { deer: { inputTokens: 1, cachedInputTokens: 0, outputTokens: 0 } } };
  };
  const { report } = await resumeIn(dir, steps, { ...cast(ends), ...again, raise: { max_cost: 1 } });
  // The scripted agent of these tests keeps no record of its session.
  const unknown =
    'what the interrupted attempt of step "a" used at its end is not known: its session\'s record is not found';
  assertEquals([report.outcome, await warned()], ["pass", [unpriced, unknown]]);
});

Deno.test("max_tokens where a CLI tells no tokens: the run stops, since the cap cannot be checked", async () => {
  await using dir = await tempDir();
  await dir.write({ "task.md": "Build it." });
  const silent: Act = async (request) => ({ ...await says()(request), usage: {} });
  const agents = cast(silent);
  await assertRejects(
    () => runIn(dir, [step("a"), step("b")], { ...agents, caps: { maxTokens: 9 } }),
    HumanInterventionRequiredError,
    'the cap max_tokens cannot be checked: the agent of step "a" reported none',
  );
  assertEquals(agents.requests.length, 1);
  await using other = await tempDir();
  await other.write({ "task.md": "Build it." });
  assertEquals((await runIn(other, [step("a")], cast(silent))).report.outcome, "pass");
});
