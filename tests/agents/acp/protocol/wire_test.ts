/** What no program does by accident, said by an agent that is a function. */
import { assertEquals, assertRejects } from "@std/assert";
import { openAcpConnection } from "../../../../lib/agents/acp/protocol/connection.ts";
import type { AcpHandlers } from "../../../../lib/agents/acp/protocol/contract.ts";
import { AcpReplyError } from "../../../../lib/agents/acp/protocol/errors.ts";
import { ACP_QUESTIONS } from "../../../../lib/agents/acp/protocol/questions.ts";
import { patientClock } from "../../../support/patient_clock.ts";
import { ScriptedAgent, turnOfLoop } from "./scripted_agent.ts";

async function open(handlers: Partial<AcpHandlers> = {}) {
  const agent = new ScriptedAgent();
  const updates: string[] = [];
  const connection = await openAcpConnection({
    plan: { argv: ["agent"], env: {}, cwd: "/" },
    mark: { name: "PANEWRIGHT_TEST_MARK", value: "wire" },
    clock: patientClock(),
    signal: new AbortController().signal,
    startProcess: agent.start,
    handlers: {
      update: ({ update }) => void updates.push(update.type),
      permission: () => new Promise(() => {}),
      ...handlers,
    },
  });
  return { agent, connection, updates, [Symbol.asyncDispose]: () => connection[Symbol.asyncDispose]() };
}

const NOTICE =
  '{"jsonrpc":"2.0","method":"session/update","params":{"sessionId":"s","update":{"sessionUpdate":"notice"}}}';
const PERMISSION =
  '"method":"session/request_permission","params":{"sessionId":"s","toolCall":{"toolCallId":"t"},"options":[]}';

Deno.test("an agent that does not read is listened to nevertheless", async () => {
  await using it = await open();
  const { agent, connection, updates } = it;
  agent.reads = false;
  const turn = connection.call(ACP_QUESTIONS.prompt("s", "go"));
  let isWritten = false;
  turn.written.then(() => isWritten = true, () => {});
  agent.say('{"jsonrpc":"2.0","id":"p","method":"session/request_permission","params":{}}');
  agent.say(NOTICE);
  agent.say('{"jsonrpc":"2.0","id":1,"result":{"stopReason":"end_turn"}}');
  assertEquals((await turn.result).stopReason, "end_turn");
  assertEquals([updates, isWritten], [["notice"], false]);
});

Deno.test("what waits for an agent that does not read is bounded", async () => {
  const { agent, connection } = await open();
  agent.reads = false;
  const id = "x".repeat(1_000_000);
  for (let requests = 0; requests < 70; requests++) {
    agent.say(`{"jsonrpc":"2.0","id":"${id}","method":"fs/read_text_file"}`);
    await turnOfLoop();
  }
  assertEquals(await connection.ended, { kind: "protocol", problem: "does not read what is sent to it" });
  // 64 MiB are 67 of them.
  assertEquals(agent.sent.length, 67);
});

Deno.test("a message that nests deep is dropped before anybody walks through it, and who waits for it is told", async () => {
  await using it = await open();
  const { agent, connection, updates } = it;
  const deep = "[".repeat(1_000_000) + "]".repeat(1_000_000);
  agent.say(NOTICE.replace('"notice"', `"notice","x":${deep}`));
  agent.say(`{"jsonrpc":"2.0","id":"p","method":"session/request_permission","params":${deep}}`);
  const { result: reply } = connection.call(ACP_QUESTIONS.prompt("s", "go"));
  await turnOfLoop();
  agent.say(`{"jsonrpc":"2.0","id":1,"result":${deep}}`);
  await assertRejects(() => reply, AcpReplyError, "a message nests too deep");
  assertEquals([updates, connection.troubles()], [[], { too_deep: 3 }]);
  assertEquals(agent.sent.filter((message) => "error" in message).map((message) => message["id"]), ["p"]);
});

Deno.test("a second request with the id of one that waits is dropped: its answer would settle both", async () => {
  const asked: string[] = [];
  await using it = await open({
    permission: ({ sessionId }) => {
      asked.push(sessionId);
      return new Promise(() => {});
    },
  });
  for (let time = 0; time < 3; time++) it.agent.say(`{"jsonrpc":"2.0","id":7,${PERMISSION}}`);
  await turnOfLoop();
  assertEquals([asked, it.connection.troubles()], [["s"], { reused_id: 2 }]);
});

Deno.test("a request that is not UTF-8 is refused: what is decided about must be what was sent", async () => {
  await using it = await open();
  it.agent.print(
    Uint8Array.from(`{"jsonrpc":"2.0","id":7,${PERMISSION.replace('"t"', '"\xff"')}}\n`, (c) => c.charCodeAt(0)),
  );
  await turnOfLoop();
  assertEquals(it.agent.sent, [{
    jsonrpc: "2.0",
    id: 7,
    error: { code: -32700, message: "the request is not UTF-8" },
  }]);
});

Deno.test("security: a tool call that is not UTF-8 is not read: its command would be another one", async () => {
  const unread: unknown[] = [];
  await using it = await open({ update: (told) => void unread.push(told) });
  const call = '{"sessionUpdate":"tool_call","toolCallId":"t","title":"x","rawInput":{"command":"echo \xff"}}';
  const params = `{"sessionId":"s","update":${call}}`;
  it.agent.print(
    Uint8Array.from(`{"jsonrpc":"2.0","method":"session/update","params":${params}}\n`, (c) => c.charCodeAt(0)),
  );
  await turnOfLoop();
  assertEquals(unread, [{ sessionId: "s", update: { type: "unread", about: { id: "t", isCut: false } } }]);
});

Deno.test("a batch: what it asks is refused, and what it tells of tool calls counts as not to be read", async () => {
  const unread: unknown[] = [];
  await using it = await open({ update: (told) => void unread.push(told) });
  const call = '{"sessionUpdate":"tool_call","toolCallId":"t","title":"x","kind":"execute","status":"completed"}';
  const update = `{"jsonrpc":"2.0","method":"session/update","params":{"sessionId":"s","update":${call}}}`;
  it.agent.say(`[{"jsonrpc":"2.0","id":"b",${PERMISSION}},${update},${NOTICE},7,null]`);
  await turnOfLoop();
  assertEquals(it.agent.sent, [{
    jsonrpc: "2.0",
    id: "b",
    error: { code: -32600, message: "the protocol has no batches" },
  }]);
  assertEquals(unread, [{ sessionId: "s", update: { type: "unread", about: { id: "t", isCut: true } } }]);
  assertEquals(it.connection.troubles(), { not_a_message: 1 });
});

Deno.test("an agent that does not read holds nobody up who cancels its turn", async () => {
  await using it = await open();
  it.agent.reads = false;
  it.connection.call(ACP_QUESTIONS.prompt("s", "go"));
  await it.connection.cancel("s");
});

Deno.test("a request that the agent takes back has its signal aborted", async () => {
  const signals: AbortSignal[] = [];
  await using it = await open({
    permission: (_, signal) => {
      signals.push(signal);
      return new Promise(() => {});
    },
  });
  it.agent.say(`{"jsonrpc":"2.0","id":7,${PERMISSION}}`);
  it.agent.say('{"jsonrpc":"2.0","method":"$/cancel_request","params":{"requestId":7}}');
  await turnOfLoop();
  assertEquals(signals.map(({ aborted }) => aborted), [true]);
  assertEquals(it.agent.sent.map(({ id }) => id), [7]);
});

for (const id of ["1e999", "-1e999", "null", "1.5", '""', '"\\u0000"', "{}", "[]", "true", '"__proto__"']) {
  Deno.test(`a request with the id ${id} holds nothing up`, async () => {
    await using it = await open({ permission: () => Promise.resolve({ outcome: "cancelled" }) });
    it.agent.say(`{"jsonrpc":"2.0","id":${id},${PERMISSION}}`);
    it.agent.say(`{"jsonrpc":"2.0","id":${id},"method":"session/request_permission","params":{}}`);
    it.agent.say(`{"jsonrpc":"2.0","id":${id},"result":{}}`);
    it.agent.say(NOTICE);
    await turnOfLoop();
    assertEquals(it.updates, ["notice"]);
  });
}
