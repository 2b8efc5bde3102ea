import { assertEquals } from "@std/assert";
import { openCodexSessionLog } from "../../../lib/agents/codex/session_log_source.ts";
import type { SessionLogQuery } from "../../../lib/agents/codex/find_log.ts";
import { stillClock } from "../../support/still_clock.ts";
import { tempDir } from "../../support/temp_dir.ts";

/** A source that finds what the test puts before it, and how often it has looked. */
function open(startMs = 1_000_000) {
  const clock = stillClock(startMs);
  const queries: SessionLogQuery[] = [];
  const found: { path: string | undefined } = { path: undefined };
  const source = openCodexSessionLog({
    pane: { paneId: "%1", pid: 4711 },
    workdir: "/work",
    env: { HOME: "/home/dev" },
    startedAt: Date.now(),
    clock,
  }, {
    find(query) {
      queries.push({ ...query, prompts: [...query.prompts] });
      return Promise.resolve(found.path);
    },
  });
  return { source, clock, queries, found };
}

function event(type: string, { id = "t1", agoMs = 0 } = {}): string {
  const timestamp = new Date(Date.now() - agoMs).toISOString();
  return `${JSON.stringify({ timestamp, type: "event_msg", payload: { type, turn_id: id } })}\n`;
}

async function stateOf(source: ReturnType<typeof open>["source"]): Promise<string> {
  return (await source.read())?.state ?? "nothing";
}

Deno.test("nothing is looked for before a prompt, and then ever more rarely", async () => {
  const { source, clock, queries } = open();
  for (let poll = 0; poll < 10; poll++) assertEquals(await stateOf(source), "nothing");
  assertEquals(queries.length, 0);
  source.expectPrompt("Fix the bug");
  for (let poll = 0; poll < 100; poll++) {
    await source.read();
    clock.advance(100);
  }
  assertEquals(queries.length, 7);
  assertEquals(queries[0]?.prompts, ["Fix the bug"]);
  assertEquals([queries[0]?.panePid, queries[0]?.codexHome], [4711, "/home/dev/.codex"]);
});

Deno.test("a log that was found is followed without looking any further", async () => {
  await using temp = await tempDir();
  const { source, clock, queries, found } = open();
  using _source = source;
  found.path = `${temp.path}/log`;
  source.expectPrompt("Fix the bug");
  await temp.write({ log: event("task_started") });
  assertEquals(await stateOf(source), "working");
  for (const [type, state] of [["task_complete", "at_rest"], ["task_started", "working"]] as const) {
    await Deno.writeTextFile(found.path, event(type), { append: true });
    clock.advance(60_000);
    assertEquals(await stateOf(source), state);
  }
  assertEquals(queries.length, 1);
});

Deno.test("a prompt after which the known log does not go on makes it look again, for another log", async () => {
  await using temp = await tempDir();
  const { source, clock, queries, found } = open();
  using _source = source;
  found.path = `${temp.path}/old`;
  await temp.write({ old: event("task_complete"), new: event("task_started") });
  source.expectPrompt("One");
  assertEquals(await stateOf(source), "at_rest");
  found.path = `${temp.path}/new`;
  source.expectPrompt("Two");
  assertEquals(await stateOf(source), "at_rest");
  assertEquals(queries.length, 1);
  clock.advance(1000);
  assertEquals(await stateOf(source), "working");
  assertEquals(queries.at(-1)?.prompts, ["One", "Two"]);
});

Deno.test("what was recorded long before it was found is that old", async () => {
  await using temp = await tempDir();
  const { source, found } = open();
  using _source = source;
  found.path = `${temp.path}/log`;
  await temp.write({ log: event("task_complete", { agoMs: 60_000 }) });
  source.expectPrompt("Go on");
  const report = await source.read();
  assertEquals(report?.state, "at_rest");
  const ageMs = 1_000_000 - (report?.sinceMs ?? 0);
  assertEquals(ageMs >= 60_000 && ageMs < 65_000, true, `${ageMs}`);
  assertEquals(report?.newsMs, 1_000_000);
});

Deno.test("a turn that a process before this one was killed in is under way no more", async () => {
  await using temp = await tempDir();
  const { source, found } = open();
  using _source = source;
  found.path = `${temp.path}/log`;
  await temp.write({ log: event("task_started", { agoMs: 2000 }) });
  // So an agent is adopted whose session was gone on with.
  source.doubt();
  assertEquals(await stateOf(source), "nothing");
  await Deno.writeTextFile(found.path, event("task_started", { id: "t2", agoMs: -1 }), { append: true });
  assertEquals((await source.read())?.evidence, "task_started of turn t2");
});

Deno.test("a log that is replaced is read anew, and one that vanishes says what it said", async () => {
  await using temp = await tempDir();
  const { source, found } = open();
  using _source = source;
  found.path = `${temp.path}/log`;
  await temp.write({ log: event("task_started") + event("task_complete"), other: event("task_started", { id: "t2" }) });
  source.expectPrompt("Go on");
  assertEquals(await stateOf(source), "at_rest");
  await Deno.rename(`${temp.path}/other`, found.path);
  assertEquals((await source.read())?.evidence, "task_started of turn t2");
  await Deno.remove(found.path);
  assertEquals(await stateOf(source), "working");
});

Deno.test("usage: of the session and its helpers by model, each reply once; other sessions' logs do not count", async () => {
  await using temp = await tempDir();
  const { source, found } = open();
  using _source = source;
  const line = (type: string, payload: Record<string, unknown>) => `${JSON.stringify({ type, payload })}\n`;
  const log = (id: string, session: string, more: string) =>
    line("session_meta", { id, session_id: session, cwd: "/work", timestamp: new Date().toISOString() }) +
    line("turn_context", { model: `model-${id}` }) + more;
  const reply = (thread: string, id: string, tokens: number) => {
    const usage = { input_tokens: tokens, cached_input_tokens: 1, cache_write_input_tokens: 2, output_tokens: 3 };
    return line("token_usage_record", { thread_id: thread, response_id: id, usage });
  };
  const path = (id: string) => `2026/11/22/rollout-2026-11-22T07-09-22-${id}.jsonl`;
  const counted = (inputTokens: number, times = 1) => ({
    inputTokens,
    cachedInputTokens: times,
    cacheWriteInputTokens: 2 * times,
    outputTokens: 3 * times,
  });
  assertEquals(await source.usage?.(), undefined);
  await temp.write({
    [path("main")]: log("main", "main", reply("main", "r1", 10) + reply("main", "r1", 10) + reply("main", "r2", 20)),
    // A helper's log may begin with a copy of the conversation that it was forked from.
    [path("helper")]: log("helper", "main", reply("main", "r1", 10) + reply("helper", "r3", 5)),
    [path("other")]: log("other", "other", reply("other", "r9", 1000)),
  });
  found.path = `${temp.path}/${path("main")}`;
  source.expectPrompt("Fix the bug");
  await source.read();
  const usage = { "model-main": counted(30, 2), "model-helper": counted(5) };
  assertEquals(await source.usage?.(), { sessionId: "main", usage });
  await Deno.writeTextFile(`${temp.path}/${path("helper")}`, reply("helper", "r4", 7), { append: true });
  assertEquals((await source.usage?.())?.usage["model-helper"], counted(12, 2));
});

Deno.test("usage: a log without a record of each reply is counted by its sums, which are told again and again", async () => {
  await using temp = await tempDir();
  const { source, found } = open();
  using _source = source;
  const tokens = (input_tokens: number) => ({ input_tokens, cached_input_tokens: 0, output_tokens: 1 });
  const sum = (total: number, last: number) => {
    const info = { total_token_usage: tokens(total), last_token_usage: tokens(last) };
    return `${JSON.stringify({ type: "event_msg", payload: { type: "token_count", info } })}\n`;
  };
  const meta = { id: "s", cwd: "/work", timestamp: new Date().toISOString() };
  const lines = `${JSON.stringify({ type: "session_meta", payload: meta })}\n${sum(10, 10)}${sum(10, 10)}${
    sum(25, 15)
  }`;
  await temp.write({ "rollout-1-s.jsonl": lines });
  found.path = `${temp.path}/rollout-1-s.jsonl`;
  source.expectPrompt("Fix the bug");
  await source.read();
  assertEquals((await source.usage?.())?.usage["unknown"]?.inputTokens, 25);
  // A full context sets the sum to nothing: what was used before was used.
  await Deno.writeTextFile(found.path, sum(0, 0) + sum(4, 4), { append: true });
  assertEquals((await source.usage?.())?.usage["unknown"]?.inputTokens, 29);
});

Deno.test("what the agent has run is told once, with its outputs; a turn that begins makes what came before past", async () => {
  await using temp = await tempDir();
  const { source, clock, found } = open();
  using _source = source;
  found.path = `${temp.path}/log`;
  const item = (payload: Readonly<Record<string, unknown>>) =>
    `${JSON.stringify({ type: "response_item", payload })}\n`;
  const call = (id: string, cmd: string) =>
    item({ type: "function_call", name: "exec_command", call_id: id, arguments: JSON.stringify({ cmd }) }) +
    item({ type: "function_call_output", call_id: id, output: "Process exited with code 1\nOutput:\nno\n" });
  const add = async (text: string) => {
    await Deno.writeTextFile(found.path!, text, { append: true });
    clock.advance(1000);
    await source.read();
  };
  source.expectPrompt("Fix the bug");
  await add(event("task_started", { id: "t0" }) + call("c0", "ls") + event("task_complete", { id: "t0" }));
  await add(event("task_started") + call("c1", "npm test"));
  const output = "Process exited with code 1\nOutput:\nno\n";
  assertEquals(await source.takeWork?.(), [
    { type: "ran", id: "c1", command: "npm test" },
    { type: "saw", id: "c1", command: "npm test", exitCode: 1, output },
  ]);
  assertEquals(await source.takeWork?.(), []);
  await add(call("c2", "pwd"));
  assertEquals((await source.takeWork?.())?.map(({ type }) => type), ["ran", "saw"]);
});
