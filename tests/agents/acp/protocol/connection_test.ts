import { assertEquals, assertMatch, assertRejects } from "@std/assert";
import { AcpEndedError, AcpReplyError } from "../../../../lib/agents/acp/protocol/errors.ts";
import { listProcesses, processTree } from "../../../../lib/base/ports/process_table.ts";
import { ACP_QUESTIONS } from "../../../../lib/agents/acp/protocol/questions.ts";
import { patientClock } from "../../../support/patient_clock.ts";
import { until } from "../../../support/until.ts";
import { ask, openFake, seen, startTurn } from "./support.ts";

Deno.test("a whole turn: updates, a permission and the reply come in the order in which they were sent", async () => {
  await using fake = await openFake({
    steps: [
      { say: "one" },
      { plan: [{ content: "look" }] },
      { permission: "rm -rf x", command: "rm -rf x", allowed: [{ say: "allowed" }], rejected: [{ say: "rejected" }] },
      { usage: { used: 10, size: 100 } },
      { say: "two" },
    ],
  });
  const { connection, events } = fake;
  assertEquals(connection.initialized.agentInfo, { name: "fake", version: "1.0.0" });
  assertEquals(connection.initialized.resumes, { load: true, resume: true });
  const turn = await startTurn(fake);
  await turn.written;
  await turn.reply;
  assertEquals(events, [
    ...["say one", "plan", "call", "ask rm -rf x", "call", "say allowed", "call"],
    ...["usage", "say two", "end end_turn"],
  ]);
  assertEquals(connection.troubles(), {});
});

Deno.test("a late end: what comes after the reply is handed over after it, in the same chunk or later", async () => {
  await using fake = await openFake({
    steps: [{ say: "before" }, { end: "end_turn" }, { say: "after" }, { later: [{ await: "go" }, { say: "late" }] }],
  });
  await startTurn(fake);
  await seen(fake, "say after");
  await Deno.writeTextFile(`${fake.folder}/go`, "");
  await seen(fake, "say late");
  assertEquals(fake.events, ["say before", "end end_turn", "say after", "say late"]);
});

Deno.test("no end: the turn waits for ever, and the signal ends the waiting only", async () => {
  await using fake = await openFake({ steps: [{ say: "before" }, { never: true }] });
  const { sessionId } = await ask(fake.connection, ACP_QUESTIONS.newSession(fake.folder));
  const waiting = new AbortController();
  const turn = fake.connection.call(ACP_QUESTIONS.prompt(sessionId, "Do it."), { signal: waiting.signal });
  await turn.written;
  await seen(fake, "say before");
  waiting.abort(new Error("enough"));
  await assertRejects(() => turn.result, Error, "enough");
  await ask(fake.connection, ACP_QUESTIONS.setMode({ sessionId, modeId: "plan" }));
  assertEquals(fake.connection.troubles(), {});
});

Deno.test("two ends: the second reply is dropped and told once", async () => {
  await using fake = await openFake({
    steps: [{ end: "end_turn" }, { end: "refusal" }, { end: "refusal" }, { say: "after" }],
  });
  const { reply } = await startTurn(fake);
  assertEquals((await reply).stopReason, "end_turn");
  await seen(fake, "say after");
  assertEquals(fake.connection.troubles(), { second_reply: 2 });
  assertEquals(fake.troubles, ["replied to one request twice; the second reply was dropped: 2"]);
});

Deno.test("a reply to nothing is dropped and told once", async () => {
  await using fake = await openFake({
    steps: [
      { line: '{"jsonrpc":"2.0","id":77,"result":{}}' },
      { line: '{"jsonrpc":"2.0","id":"what","error":{"code":1,"message":"no"}}' },
      { line: '{"jsonrpc":"2.0","id":null,"error":{"code":-32700,"message":"Parse error"}}' },
    ],
  });
  await (await startTurn(fake)).reply;
  assertEquals(fake.connection.troubles(), { stray_reply: 2, refused_message: 1 });
});

Deno.test("a permission after the end is handed over, and its answer is sent", async () => {
  await using fake = await openFake({
    steps: [{ end: "end_turn" }, { permission: "ls", command: "ls", allowed: [{ say: "allowed" }] }],
  });
  await startTurn(fake);
  await seen(fake, "say allowed");
  assertEquals(fake.events.slice(0, 4), ["end end_turn", "call", "ask ls", "call"]);
});

Deno.test("unknown and malformed updates are counted, told once each, and passed over", async () => {
  const heard: string[] = [];
  await using fake = await openFake({
    steps: [
      { update: { sessionUpdate: "from_the_future", x: 1 } },
      { update: { sessionUpdate: "from_the_future", x: 2 } },
      { update: { sessionUpdate: "agent_message_chunk", content: null } },
      { update: "nonsense" },
      { notify: "_vendor/thing", params: { x: 1 } },
      { notify: "vendor/thing", params: { x: 1 } },
      { say: "after" },
    ],
    with: { extension: (method) => void heard.push(method) },
  });
  await (await startTurn(fake)).reply;
  assertEquals(fake.events, ["say after", "end end_turn"]);
  assertEquals(fake.connection.troubles(), { unknown_update: 2, malformed_update: 2, unknown_notification: 1 });
  assertEquals(heard, ["_vendor/thing", "vendor/thing"]);
  assertEquals(fake.troubles[0], "sent an update of an unknown kind: from_the_future");
  assertEquals(fake.troubles.length, 3);
});

Deno.test("garbage between lines is counted, and told once without acting on a terminal", async () => {
  await using fake = await openFake({
    steps: [
      { line: "Warning: \x1b[2Jsomething" },
      { line: "" },
      { line: "[1,2]" },
      { line: "17" },
      { line: '{"jsonrpc":"2.0"}' },
      { line: '{"unfinished": ' },
      { bytes: btoa('{"jsonrpc":"2.0","method":"x\xff"}\n') },
      { say: "after" },
    ],
  });
  await (await startTurn(fake)).reply;
  assertEquals(fake.connection.troubles(), { garbage: 2, not_a_message: 3, not_utf8: 1, unknown_notification: 1 });
  assertEquals(fake.troubles[0], "prints text between its messages: Warning: \\x1b[2Jsomething");
  assertEquals(fake.events, ["say after", "end end_turn"]);
});

Deno.test("text before the first JSON is counted, and the agent is understood nevertheless", async () => {
  await using fake = await openFake({ script: { preamble: ["Welcome!", "", "  \x1b[1mFake\x1b[0m", "{}x"] } });
  assertEquals(fake.connection.troubles(), { preamble: 3 });
  assertEquals(fake.troubles, ["prints text before its first message: Welcome!"]);
  assertEquals((await (await startTurn(fake)).reply).stopReason, "end_turn");
});

Deno.test("a line of 100 MB is dropped and told, and the turn goes on", async () => {
  await using fake = await openFake({ steps: [{ longLine: 100_000_000 }, { say: "after" }] });
  await (await startTurn(fake)).reply;
  assertEquals(fake.events, ["say after", "end end_turn"]);
  assertEquals(fake.connection.troubles(), { too_long: 1 });
  assertMatch(fake.troubles[0]!, /^sent a line that is too long, which was dropped: 100000000 bytes: \{"jsonrpc"/);
});

Deno.test("who waits for a message that was too long is told so: we for a reply, the agent for an answer", async () => {
  const long = "x".repeat(5000);
  await using fake = await openFake({
    maxLineBytes: 4096,
    steps: [
      { request: "session/request_permission", params: { long } },
      { end: "end_turn", fields: { _meta: { long } } },
    ],
  });
  const { reply } = await startTurn(fake);
  const error = await assertRejects(() => reply, AcpReplyError);
  assertMatch(error.message, /^Cannot prompt Fake: it says "a message of 5\d{3} bytes is too long" \(error -32603\)$/);
  assertEquals(fake.connection.troubles(), { too_long: 2 });
  assertMatch(fake.events[0]!, /^say .*a message of 5\d{3} bytes is too long/);
});

Deno.test("updates of another session are handed over as what they are", async () => {
  const sessions: string[] = [];
  await using fake = await openFake({
    steps: [{ update: { sessionUpdate: "plan", entries: [] }, sessionId: "another" }],
    with: { update: ({ sessionId }) => void sessions.push(sessionId!) },
  });
  await (await startTurn(fake)).reply;
  assertEquals(sessions, ["another"]);
});

Deno.test("an agent that dies in the middle: what it sent before is handed over, then the turn ends with its exit code", async () => {
  await using fake = await openFake({ steps: [{ say: "before" }, { stderr: "out of \x1b[31mmemory" }, { exit: 3 }] });
  const { reply } = await startTurn(fake);
  const error = await assertRejects(() => reply, AcpEndedError);
  assertEquals(error.message, "Cannot talk to Fake: its process has ended (exit code 3)");
  assertEquals(await fake.connection.ended, { kind: "exited", code: 3 });
  assertEquals(fake.events, ["say before", "AcpEndedError"]);
  assertEquals(fake.connection.stderrTail(), ["out of memory"]);
  await assertRejects(() => ask(fake.connection, ACP_QUESTIONS.newSession("/")), AcpEndedError);
});

Deno.test("an agent that is killed in the middle ends with the signal's exit code", async () => {
  await using fake = await openFake({ steps: [{ kill: "SIGKILL" }] });
  const { reply } = await startTurn(fake);
  await assertRejects(() => reply, AcpEndedError, "exit code 137");
});

Deno.test("an agent that closes its output and stays is ended", async () => {
  const hello = '{"jsonrpc":"2.0","id":0,"result":{"protocolVersion":1}}';
  await using fake = await openFake({ program: `read line; echo '${hello}'; exec >&-; while read line; do :; done` });
  await assertRejects(
    () => ask(fake.connection, ACP_QUESTIONS.newSession("/")),
    AcpEndedError,
    "it has closed its standard output",
  );
  assertEquals(await fake.connection.listPids(), []);
});

Deno.test("files and terminals are refused with the protocol's own error", async () => {
  await using fake = await openFake({
    steps: [{ request: "fs/read_text_file", params: { path: "/etc/passwd" } }, { request: "terminal/create" }],
  });
  await (await startTurn(fake)).reply;
  assertEquals(fake.events.slice(0, 2).map((said) => JSON.parse(said.slice(4)).code), [-32601, -32601]);
  assertEquals(fake.connection.troubles(), { refused_request: 2 });
  const [hello] = await fake.agent.received() as [{ params: { clientCapabilities: unknown } }];
  assertEquals(hello.params.clientCapabilities, { fs: { readTextFile: false, writeTextFile: false }, terminal: false });
});

Deno.test("a question to a person is answered, and offered only where somebody can", async () => {
  await using fake = await openFake({
    steps: [{ elicit: "Which port?" }],
    with: { elicitation: ({ message }) => Promise.resolve({ action: "accept", content: { answer: `${message} 80` } }) },
  });
  await (await startTurn(fake)).reply;
  assertEquals(fake.events[0], 'say {"action":"accept","content":{"answer":"Which port? 80"}}');
  const [hello] = await fake.agent.received() as [{ params: { clientCapabilities: { elicitation?: unknown } } }];
  assertEquals(hello.params.clientCapabilities.elicitation, { form: {} });
});

Deno.test("a question that names no session is taken back with the turn that is cancelled", async () => {
  const asked = Promise.withResolvers<AbortSignal>();
  await using fake = await openFake({
    script: { onCancel: "ignored" },
    steps: [{ elicit: "Which port?", fields: { sessionId: undefined } }],
    with: {
      elicitation: (_, signal) => {
        asked.resolve(signal);
        return new Promise(() => {});
      },
    },
  });
  const { sessionId, reply } = await startTurn(fake);
  const signal = await asked.promise;
  await fake.connection.cancel(sessionId);
  assertEquals(signal.aborted, true);
  await reply;
  assertEquals(fake.events[0], 'say {"action":"cancel"}');
});

Deno.test("a cancelled turn answers what waits with cancelled, and ends by its reply", async () => {
  const asked = Promise.withResolvers<AbortSignal>();
  await using fake = await openFake({
    script: { onCancel: "ignored" },
    steps: [{ permission: "ls", command: "ls" }, { say: "not reached" }],
    with: {
      permission: (_, signal) => {
        asked.resolve(signal);
        return new Promise(() => {});
      },
    },
  });
  const { sessionId, reply } = await startTurn(fake);
  const signal = await asked.promise;
  await fake.connection.cancel("another");
  assertEquals(signal.aborted, false);
  await fake.connection.cancel(sessionId);
  await reply;
  assertEquals(signal.aborted, true);
  const answer = (await fake.agent.received()).find(({ result }) => result !== undefined);
  assertEquals(answer?.["result"], { outcome: { outcome: "cancelled" } });
});

Deno.test("disposal cancels the turn, then ends the whole tree, also what ignores SIGTERM", async () => {
  const fake = await openFake({
    clock: patientClock({ coarseness: 10 }),
    script: { staysAtEnd: true, ignoresTerm: true, onCancel: "ignored" },
    steps: [{ say: "up" }, { run: ["sh", "-c", "trap '' TERM; while :; do sleep 0.05; done"] }],
  });
  await startTurn(fake);
  await seen(fake, "say up");
  const pids = await until(() => fake.connection.listPids(), (found) => found.length >= 2);
  assertEquals(pids.includes(fake.connection.pid), true);
  await fake.connection[Symbol.asyncDispose]();
  assertEquals(await fake.connection.ended, { kind: "closed" });
  const left = processTree(await listProcesses(), fake.connection.pid);
  assertEquals([left, await fake.connection.listPids()], [[], []]);
  const methods = (await fake.agent.received()).map(({ method }) => method);
  assertEquals(methods.at(-1), "session/cancel");
  await fake[Symbol.asyncDispose]();
});

Deno.test("the signal ends connection and agent", async () => {
  const stop = new AbortController();
  await using fake = await openFake({ signal: stop.signal, steps: [{ say: "up" }, { never: true }] });
  const { reply } = await startTurn(fake);
  await seen(fake, "say up");
  stop.abort();
  await assertRejects(() => reply, AcpEndedError, "its connection was closed");
  assertEquals(await fake.connection.ended, { kind: "closed" });
});

Deno.test("a handler that throws ends the connection with its error", async () => {
  await using fake = await openFake({
    steps: [{ say: "one" }, { say: "two" }, { never: true }],
    with: {
      update() {
        throw new Error("the disk is full");
      },
    },
  });
  const { reply } = await startTurn(fake);
  await assertRejects(() => reply, AcpEndedError, "the disk is full");
  assertEquals((await fake.connection.ended).kind, "broken");
});

Deno.test("more requests than may wait are refused, and one with the id of another is dropped", async () => {
  const waits = { permission: "ls", command: "ls", waits: false } as const;
  await using fake = await openFake({
    steps: [
      ...Array.from({ length: 70 }, () => waits),
      { line: '{"jsonrpc":"2.0","id":"twice","method":"session/request_permission","params":{}}' },
    ],
    with: { permission: () => new Promise(() => {}) },
  });
  await (await startTurn(fake)).reply;
  assertEquals(fake.connection.troubles(), { too_many_requests: 7 });
});
