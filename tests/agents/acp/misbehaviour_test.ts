// A program that misbehaves in each way that is known, and what is made of it.

import { assertEquals, assertMatch, assertRejects } from "@std/assert";
import type { AgentEvent } from "../../../lib/agents/agent.ts";
import type { AcpAgent } from "../../../lib/agents/acp/acp_agent.ts";
import type { AcpActivity } from "../../../lib/agents/acp/activity.ts";
import { startAcpAgent } from "../../../lib/agents/acp/agent.ts";
import { RuntimeError, UsageError } from "../../../lib/base/errors.ts";
import type { FakeAgentScript, FakeStep } from "../../lab/acp_fake_agent.ts";
import { fakeAcpAgent } from "../../support/acp_fake.ts";
import { patientClock } from "../../support/patient_clock.ts";
import { tempDir } from "../../support/temp_dir.ts";
import { until } from "../../support/until.ts";
import { testProvider } from "./support.ts";

const UNJUDGED = { askMode: { id: "default", asksBefore: [], asksBeforeChanges: [] } };

/** Starts the fake agent; its clock is moved by hand for whatever takes 5 s or longer. */
async function startFake(
  { script = {}, steps, resume, provider = testProvider() }: {
    readonly script?: FakeAgentScript;
    readonly steps?: readonly FakeStep[];
    readonly resume?: string;
    readonly provider?: ReturnType<typeof testProvider>;
  },
) {
  const dir = await tempDir();
  const fake = await fakeAcpAgent(dir.path, { ...(steps ? { turns: [{ steps }] } : {}), ...script });
  const clock = patientClock({ pace: 10, byHandFromMs: 5000 });
  const activities: AcpActivity[] = [];
  const start = (more: { readonly resume?: string } = {}) =>
    startAcpAgent({
      provider,
      name: "tester",
      launch: { workdir: dir.path, command: [fake.path] },
      mark: { name: "PANEWRIGHT_TEST_MARK", value: crypto.randomUUID() },
      clock,
      signal: new AbortController().signal,
      onActivity: (activity) => activities.push(activity),
      ...more,
    });
  try {
    const agent = await start(resume === undefined ? {} : { resume });
    return {
      ...{ agent, activities, clock, start, folder: dir.path },
      notes: () => activities.flatMap((one) => one.type === "note" ? [one.text] : []),
      async [Symbol.asyncDispose]() {
        await agent[Symbol.asyncDispose]();
        await dir[Symbol.asyncDispose]();
      },
    };
  } catch (error) {
    await dir[Symbol.asyncDispose]();
    throw error;
  }
}

async function becomes(agent: AcpAgent, state: ReturnType<AcpAgent["view"]>["state"]): Promise<void> {
  await until(() => agent.view(), (view) => view.state === state);
}

Deno.test("a whole turn: words, thoughts, a plan, a permission, a question, usage and its end", async () => {
  await using fake = await startFake({
    steps: [
      { think: "Hm" },
      { plan: [{ content: "One" }] },
      { permission: "Run", command: "echo hi", allowed: [{ write: "out.txt", text: "hi" }] },
      { elicit: "Why?" },
      { usage: { used: 10, size: 100, cost: { amount: 0.1, currency: "USD" } } },
      { say: "Done." },
    ],
  });
  const { agent, activities } = fake;
  await agent.send("Go");
  await becomes(agent, "waiting");
  assertEquals(agent.requests()[0]?.request.subject, "echo hi");
  await agent.requests()[0]?.answer("allow");
  await until(() => agent.requests()[0]?.request.kind === "question");
  await agent.requests()[0]?.answer({ replies: [{ choices: [], text: "Because" }] });
  await becomes(agent, "idle");
  assertMatch(agent.view().lastMessage, /"answer":"Because".*Done\.$/);
  assertEquals(agent.usage()?.cost, { amount: 0.1, currency: "USD" });
  assertEquals(await Deno.readTextFile(`${fake.folder}/out.txt`), "hi");
  const kinds = new Set(activities.map(({ type }) => type));
  const told = [
    "session",
    "turn_begun",
    "thought",
    "plan",
    "permission_asked",
    "permission_answered",
    "usage",
    "message",
  ];
  assertEquals(told.filter((kind) => !kinds.has(kind as AcpActivity["type"])), []);
});

Deno.test("a late end", async () => {
  await using fake = await startFake({ steps: [{ say: "Done." }, { await: "go" }] });
  const { agent, folder } = fake;
  await agent.send("Go");
  await until(() => agent.view().lastMessage === "Done.");
  assertEquals(agent.view().state, "working");
  await Deno.writeTextFile(`${folder}/go`, "");
  await becomes(agent, "idle");
  assertEquals(agent.view().stopReason, "end_turn");
});

Deno.test("no end: silence shows that the turn may be over, and the next prompt cancels it", async () => {
  await using fake = await startFake({
    script: {
      onCancel: "ignored",
      turns: [{ when: "One", steps: [{ say: "1" }, { never: true }] }, { steps: [{ say: "2" }] }],
    },
  });
  const { agent, clock } = fake;
  await agent.send("One");
  await until(() => agent.view().lastMessage === "1");
  assertEquals([agent.view().state, agent.view().mayBeOver], ["working", false]);
  clock.advance(20_000);
  assertEquals(agent.view().mayBeOver, true);
  let isSent = false;
  const sent = agent.send("Two").then(() => isSent = true);
  // The cancel has no effect.
  await until(() => {
    clock.advance(5000);
    return isSent;
  });
  await sent;
  await becomes(agent, "idle");
  assertEquals([agent.view().lastMessage, agent.view().turns], ["2", 2]);
});

Deno.test("a stream that stops: the turn is cancelled, and an agent that stays silent is ended", async () => {
  await using fake = await startFake({ script: { onCancel: "ignored" }, steps: [{ say: "I beg" }, { never: true }] });
  const { agent, clock } = fake;
  await agent.send("Go");
  await until(() => agent.view().lastMessage === "I beg");
  clock.advance(900_000);
  await until(() => fake.notes().some((note) => note.includes("has been silent for 900 s")));
  await until(() => {
    clock.advance(30_000);
    return agent.describeEnd();
  });
  assertMatch(agent.describeEnd() ?? "", /^it was silent for 900 s/);
  assertEquals(agent.view().state, "ended");
});

Deno.test("an agent that does not read its prompt is ended, and whoever waits for that is told", async () => {
  await using dir = await tempDir();
  const clock = patientClock({ pace: 10, byHandFromMs: 5000 });
  const modes = { currentModeId: "default", availableModes: [{ id: "default", name: "Default" }] };
  const say = (id: number, result: unknown) => `read line; echo '${JSON.stringify({ jsonrpc: "2.0", id, result })}'`;
  const script = [say(0, { protocolVersion: 1 }), say(1, { sessionId: "s", modes }), "exec sleep 1000"].join("\n");
  await using agent = await startAcpAgent({
    provider: testProvider(),
    name: "tester",
    launch: { workdir: dir.path, command: ["sh", "-c", script] },
    mark: { name: "PANEWRIGHT_TEST_MARK", value: crypto.randomUUID() },
    clock,
    signal: new AbortController().signal,
  });
  // More than the system takes for a program that does not read.
  const failed = assertRejects(() => agent.send("x".repeat(1_000_000)), RuntimeError);
  clock.advance(900_000);
  await until(() => {
    clock.advance(30_000);
    return agent.describeEnd();
  });
  assertMatch(agent.describeEnd() ?? "", /^it was silent for 900 s/);
  await failed;
});

Deno.test("two ends", async () => {
  await using fake = await startFake({ steps: [{ say: "Done." }, { end: "end_turn" }, { end: "refusal" }] });
  const { agent } = fake;
  await agent.send("Go");
  await until(() => fake.notes().some((note) => note.includes("replied to one request twice")));
  assertEquals([agent.view().state, agent.view().stopReason, agent.failure()], ["idle", "end_turn", undefined]);
});

Deno.test("a permission after the end is waited for like any other", async () => {
  await using fake = await startFake({
    steps: [{ say: "Done." }, { later: [{ permission: "Run", command: "ls", rejected: [{ say: "No?" }] }] }],
  });
  const { agent } = fake;
  await agent.send("Go");
  await becomes(agent, "waiting");
  assertMatch(agent.view().evidence, /after the end of turn 1$/);
  await agent.requests()[0]?.answer("reject");
  await until(() => agent.view().lastMessage.endsWith("No?"));
});

Deno.test("unknown updates, garbage and a line of 100 MB are told once, and change nothing", async () => {
  await using fake = await startFake({
    steps: [
      { update: { sessionUpdate: "from_the_future" } },
      { line: "Warning: \x1b[2Jgarbage" },
      { longLine: 100_000_000 },
      { say: "Done." },
    ],
  });
  const { agent } = fake;
  await agent.send("Go");
  await becomes(agent, "idle");
  assertEquals(agent.view().lastMessage, "Done.");
  const notes = fake.notes();
  assertEquals(notes.length, 3);
  assertEquals(notes.some((note) => note.includes("\x1b")), false);
});

Deno.test("updates and requests of another session do not count", async () => {
  const call = { toolCallId: "x", kind: "execute", rawInput: { command: "ls" } };
  const options = [{ optionId: "yes", name: "Yes", kind: "allow_once" }];
  await using fake = await startFake({
    steps: [
      { update: { sessionUpdate: "agent_message_chunk", content: { type: "text", text: "evil" } }, sessionId: "other" },
      { request: "session/request_permission", params: { sessionId: "other", toolCall: call, options } },
    ],
  });
  const { agent } = fake;
  await agent.send("Go");
  await becomes(agent, "idle");
  assertEquals(agent.view().lastMessage, '{"outcome":{"outcome":"cancelled"}}');
});

Deno.test("an agent that dies in the middle of its turn", async () => {
  await using fake = await startFake({ steps: [{ stderr: "I am hit" }, { say: "Ar" }, { kill: "SIGKILL" }] });
  const { agent } = fake;
  await agent.send("Go");
  await agent.ended;
  assertEquals([agent.view().state, agent.describeEnd(), agent.exitCode()], ["ended", "killed by signal 9", 137]);
  assertMatch(agent.stderrTail(), /I am hit/);
});

Deno.test("an agent that acts without asking is killed", async () => {
  const fields = { title: "Run", kind: "execute", rawInput: { command: "touch x" } };
  await using fake = await startFake({
    steps: [{ call: "t1", fields }, { call: "t1", status: "completed" }, { never: true }],
  });
  const { agent } = fake;
  await agent.send("Go");
  await agent.ended;
  assertMatch(agent.violation() ?? "", /without asking.*: touch x\.$/);
  await using honest = await startFake({
    provider: testProvider(UNJUDGED),
    steps: [{ call: "t1", fields }, { call: "t1", status: "completed" }],
  });
  await honest.agent.send("Go");
  await becomes(honest.agent, "idle");
  assertEquals(honest.agent.violation(), undefined);
});

Deno.test("security: an agent that acts without asking is killed, also where what it tells of that cannot be read", async () => {
  const about = { toolCallId: "t1", kind: "execute", status: "completed" };
  const params = { update: { sessionUpdate: "tool_call_update", ...about, rawInput: "DEEP" } };
  const deep = JSON.stringify({ jsonrpc: "2.0", method: "session/update", params })
    .replace('"DEEP"', `${"[".repeat(300)}${"]".repeat(300)}`);
  const steps: readonly FakeStep[] = [
    { update: { sessionUpdate: "tool_call_update", ...about, locations: [{ path: null }] } },
    { update: { sessionUpdate: "tool_call", ...about } },
    { update: { sessionUpdate: "tool_call", ...about, toolCallId: 7, title: "Run" } },
    { line: deep },
    { update: { sessionUpdate: "current_mode_update", currentModeId: ["yolo"] } },
  ];
  for (const step of steps) {
    await using fake = await startFake({ steps: [step, { never: true }] });
    await fake.agent.send("Go");
    await fake.agent.ended;
    assertMatch(fake.agent.violation() ?? "", /without asking|cannot be read/, JSON.stringify(step).slice(0, 200));
  }
});

Deno.test("an agent that changes its mode is killed; one that only says that it has changed it does not start", async () => {
  await using fake = await startFake({
    steps: [{ update: { sessionUpdate: "current_mode_update", currentModeId: "plan" } }, { never: true }],
  });
  await fake.agent.send("Go");
  await fake.agent.ended;
  assertEquals(fake.agent.describeEnd(), 'The agent has changed its mode from "default" to "plan".');
  const script: FakeAgentScript = { modes: ["plan", "default"] };
  await using set = await startFake({ script });
  assertEquals(set.agent.mode, "default");
  const failing: readonly FakeAgentScript[] = [
    { ...script, setMode: "ignored" },
    { ...script, tellsMode: false },
    { ...script, setMode: { error: { code: -32603, message: "no" } } },
    { modes: ["plan"] },
  ];
  for (const one of failing) await assertRejects(() => startFake({ script: one }), UsageError, "ask before it acts");
});

Deno.test("a session of an earlier process is continued, and what it plays once more is not new", async () => {
  const turns = [
    { when: "One", steps: [{ say: "an old answer" }, { permission: "Run", command: "ls" }] },
    { steps: [{ say: "new" }] },
  ];
  for (const script of [{ turns, cannotResume: true }, { turns, cannotLoad: true }] as const) {
    await using fake = await startFake({ script });
    await fake.agent.send("One");
    await becomes(fake.agent, "waiting");
    await fake.agent.requests()[0]?.answer("allow");
    await becomes(fake.agent, "idle");
    await fake.agent[Symbol.asyncDispose]();
    const next = await fake.start({ resume: fake.agent.sessionId });
    assertEquals([next.resumed, next.sessionId, next.view().lastMessage], [true, fake.agent.sessionId, ""]);
    const told: AgentEvent[] = [];
    next.listen((events) => told.push(...events));
    assertEquals([told, next.violation()], [[], undefined]);
    await next.send("Two");
    await becomes(next, "idle");
    assertEquals(next.view().lastMessage, "new");
    await next[Symbol.asyncDispose]();
  }
});

Deno.test("a session that is missing, also one that is told to be there: a new one", async () => {
  for (const missingSession of ["error", "new"] as const) {
    await using fake = await startFake({ script: { missingSession, cannotResume: true }, resume: "s-gone" });
    const { agent } = fake;
    assertEquals([agent.resumed, agent.sessionId === "s-gone"], [false, false]);
    assertMatch(agent.notResumedBecause ?? "", missingSession === "error" ? /does not have/ : /has sent nothing/);
  }
});

Deno.test("an agent that ends, or says nothing, at its start: its last lines", async () => {
  const error = await assertRejects(
    () => startFake({ script: { stderr: ["Error: no licence"], exitAtStart: 3 } }),
    RuntimeError,
  );
  assertMatch(error.message, /^Cannot start Toy: its process has ended \(exit code 3\)\n {2}Error: no licence$/);
  await assertRejects(
    () => startFake({ script: { initialize: { protocolVersion: 2 } } }),
    UsageError,
    "it speaks version 2 of the Agent Client Protocol, and not 1",
  );
});
