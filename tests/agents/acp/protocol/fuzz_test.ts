/**
 * A connection whose agent sends anything, in any order and cut anywhere: each case is a seed, and the agent's process a
 * function.
 */
import { assertEquals } from "@std/assert";
import { openAcpConnection } from "../../../../lib/agents/acp/protocol/connection.ts";
import type { AcpTroubleKind } from "../../../../lib/agents/acp/protocol/troubles.ts";
import type { AcpPermissionOutcome } from "../../../../lib/agents/acp/protocol/protocol.ts";
import { joinBytes } from "../../../../lib/base/ports/bytes.ts";
import { ACP_QUESTIONS } from "../../../../lib/agents/acp/protocol/questions.ts";
import { systemClock } from "../../../../lib/base/ports/clock.ts";
import { createRandom, type Random } from "../../../support/random.ts";
import { encode, ScriptedAgent, turnOfLoop } from "./scripted_agent.ts";
import { ask, cut } from "./support.ts";

type Json = Readonly<Record<string, unknown>>;

const MAX_LINE_BYTES = 2000;

/** Opens a connection and writes down what is handed over. */
async function open(random: Random) {
  const agent = new ScriptedAgent();
  const events: string[] = [];
  const pending: PromiseWithResolvers<AcpPermissionOutcome>[] = [];
  const connection = await openAcpConnection({
    plan: { argv: ["agent"], env: {}, cwd: "/" },
    mark: { name: "PANEWRIGHT_TEST_MARK", value: "fuzz" },
    clock: systemClock,
    signal: new AbortController().signal,
    startProcess: agent.start,
    maxLineBytes: MAX_LINE_BYTES,
    handlers: {
      extension: (method) => void events.push(`extension ${method}`),
      update: ({ sessionId }) => void events.push(`update ${sessionId}`),
      permission({ sessionId }) {
        events.push(`permission ${sessionId}`);
        const answer = Promise.withResolvers<AcpPermissionOutcome>();
        if (random.int(2) === 0) answer.resolve({ outcome: "selected", optionId: "yes" });
        else pending.push(answer);
        return answer.promise;
      },
    },
  });
  return { agent, connection, events, pending };
}

/** What the agent sends, with what is to come of it. */
interface Sent {
  readonly bytes: Uint8Array;
  readonly event?: string;
  readonly trouble?: AcpTroubleKind;
}

/** Makes a line of the agent. `open` has the ids of our requests that it has not replied to. */
function makeLine(
  random: Random,
  { number, open, replied }: { number: number; open: number[]; replied: number[] },
): Sent {
  const line = (message: Json) =>
    encode(`${JSON.stringify(random.int(4) ? { jsonrpc: "2.0", ...message } : message)}\n`);
  const text = random.pick(["", "é€😀", "\u2028\x1b[2J", "x".repeat(random.int(900))]);
  const sessionId = `s${number}`;
  const content = { type: "text", text };
  const update = (fields: Json) => ({ method: "session/update", params: { sessionId, update: fields } });
  const isChosen = (list: readonly number[]) => list.length > 0 && random.int(3) === 0;
  if (isChosen(open)) {
    const [id] = open.splice(random.int(open.length), 1) as [number];
    replied.push(id);
    const isError = random.int(3) === 0;
    const error = { code: -32000, message: "no" };
    const result = { stopReason: "end_turn" };
    return {
      bytes: line({ id, ...(isError ? { error } : { result }) }),
      event: `${isError ? "error" : "reply"} ${id}`,
    };
  }
  if (isChosen(replied)) return { bytes: line({ id: random.pick(replied), result: {} }), trouble: "second_reply" };
  const toolCall = { toolCallId: "t", title: text };
  const cases: (() => Sent)[] = [
    () => ({ bytes: line(update({ sessionUpdate: "agent_message_chunk", content })), event: `update ${sessionId}` }),
    () => ({ bytes: line(update({ sessionUpdate: "tool_call", ...toolCall, kind: 7 })), event: `update ${sessionId}` }),
    () => ({ bytes: line(update({ sessionUpdate: `new_${number}` })), trouble: "unknown_update" }),
    () => ({ bytes: line(update({ sessionUpdate: "plan", entries: "none" })), trouble: "malformed_update" }),
    () => ({
      bytes: line({ method: "vendor/note", params: [text] }),
      event: "extension vendor/note",
      trouble: "unknown_notification",
    }),
    () => ({ bytes: line({ method: "_vendor/note", params: [text] }), event: "extension _vendor/note" }),
    () => ({ bytes: encode(`Some ${text} text\n`), trouble: "garbage" }),
    () => ({ bytes: encode("\r\n \n") }),
    () => ({
      bytes: encode(random.pick(["[]\n", "7\n", "null\n", '{"id":1}\n', '{"method":1,"id":[]}\n'])),
      trouble: "not_a_message",
    }),
    () => ({ bytes: line({ id: 1e6 + number, result: {} }), trouble: "stray_reply" }),
    () => ({ bytes: line({ id: null, error: { code: -32700, message: "what?" } }), trouble: "refused_message" }),
    () => ({
      bytes: line({ ...update({ sessionUpdate: "notice" }), x: "x".repeat(MAX_LINE_BYTES) }),
      trouble: "too_long",
    }),
    () => ({ bytes: line({ id: `f${number}`, method: "fs/read_text_file", params: {} }), trouble: "refused_request" }),
    () => ({
      bytes: line({ id: `m${number}`, method: "session/request_permission", params: { toolCall } }),
      trouble: "malformed_request",
    }),
    () => ({
      bytes: line({
        id: `p${number}`,
        method: "session/request_permission",
        params: { sessionId, toolCall, options: [] },
      }),
      event: `permission ${sessionId}`,
    }),
  ];
  return random.pick(cases)();
}

Deno.test("whatever is sent, however it is cut: all of it is handed over in its order, and what is wrong is counted", async () => {
  for (let seed = 0; seed < 150; seed++) {
    const random = createRandom(seed);
    const { agent, connection, events, pending } = await open(random);
    const openIds: number[] = [];
    const replied: number[] = [];
    for (let turn = 0; turn < 5; turn++) {
      const { result: reply } = connection.call(ACP_QUESTIONS.prompt(`mine${turn}`, "go"));
      // The first request was `initialize`.
      openIds.push(turn + 1);
      reply.then(() => events.push(`reply ${turn + 1}`), ({ name }) => events.push(`${endWord(name)} ${turn + 1}`));
    }
    const sent = Array.from(
      { length: random.int(40) },
      (_, number) => makeLine(random, { number, open: openIds, replied }),
    );
    await turnOfLoop();
    for (const chunk of cut(joinBytes(sent.map(({ bytes }) => bytes)), random)) {
      agent.print(chunk);
      if (random.int(4) === 0) await turnOfLoop();
      if (random.int(4) === 0) pending.shift()?.resolve({ outcome: "cancelled" });
    }
    await turnOfLoop();
    const expected = sent.flatMap(({ event }) => event ?? []);
    assertEquals(events, expected, `seed ${seed}`);
    const troubles: Partial<Record<AcpTroubleKind, number>> = {};
    for (const { trouble } of sent) if (trouble) troubles[trouble] = (troubles[trouble] ?? 0) + 1;
    assertEquals(connection.troubles(), troubles, `seed ${seed}`);
    for (const answer of pending) answer.resolve({ outcome: "cancelled" });
    await turnOfLoop();
    assertAnswers(agent, sent, `seed ${seed}`);
    await connection[Symbol.asyncDispose]();
    await turnOfLoop();
    assertEquals(events.slice(expected.length).sort(), openIds.map((id) => `ended ${id}`).sort(), `seed ${seed}`);
  }
});

function endWord(errorName: string): string {
  return errorName === "AcpReplyError" ? "error" : "ended";
}

/** Each request of the agent has one answer, in JSON-RPC's form. */
function assertAnswers(agent: ScriptedAgent, sent: readonly Sent[], seed: string): void {
  const ids = sent.flatMap(({ bytes, trouble }) => {
    if (trouble === "garbage" || trouble === "too_long") return [];
    const [, id] = /"id":"([fmp]\d+)"/.exec(new TextDecoder().decode(bytes)) ?? [];
    return id ?? [];
  });
  const answers = agent.sent.filter(({ method }) => method === undefined);
  assertEquals(answers.map(({ id }) => String(id)).sort(), ids.sort(), seed);
  for (const answer of answers) {
    assertEquals([answer["jsonrpc"], "result" in answer !== "error" in answer], ["2.0", true], seed);
  }
}

Deno.test("random bytes never end a connection, nor stop it", async () => {
  for (let seed = 0; seed < 60; seed++) {
    const random = createRandom(seed);
    const { agent, connection, events } = await open(random);
    const noise = Uint8Array.from(
      { length: 5000 },
      () => random.pick([10, 34, 44, 58, 91, 93, 123, 125, random.int(256)]),
    );
    const update = { sessionUpdate: "agent_message_chunk", content: { type: "text", text: "still here" } };
    const message = { jsonrpc: "2.0", method: "session/update", params: { sessionId: "after", update } };
    for (const chunk of cut(noise, random)) agent.print(chunk);
    agent.print(encode(`\n${JSON.stringify(message)}\n`));
    await turnOfLoop();
    assertEquals(events, ["update after"], `seed ${seed}`);
    await connection[Symbol.asyncDispose]();
  }
});

Deno.test("messages with fields changed at random never end a connection, and handlers get only what they can use", async () => {
  const NOTHING = [null, 0, "", [], {}, true, "x", [null], { type: "text" }, { type: "diff", path: 1 }, -1, 1e300];
  const update = {
    sessionUpdate: "tool_call",
    toolCallId: "t",
    title: "ls",
    kind: "execute",
    status: "pending",
    content: [{ type: "content", content: { type: "text", text: "a" } }, { type: "diff", path: "p", newText: "n" }],
    locations: [{ path: "p", line: 1 }],
    rawInput: { command: "ls" },
  };
  const whole = [
    { jsonrpc: "2.0", method: "session/update", params: { sessionId: "s", update } },
    {
      jsonrpc: "2.0",
      id: "p",
      method: "session/request_permission",
      params: { sessionId: "s", toolCall: update, options: [{ optionId: "o", name: "n", kind: "allow_once" }] },
    },
    { jsonrpc: "2.0", id: 1, result: { stopReason: "end_turn" } },
    { jsonrpc: "2.0", id: 1, error: { code: 1, message: "no", data: {} } },
  ];
  for (let seed = 0; seed < 500; seed++) {
    const random = createRandom(seed);
    const { agent, connection } = await open(random);
    const { result: reply } = connection.call(ACP_QUESTIONS.prompt("s", "go"));
    await turnOfLoop();
    const message = change(structuredClone(random.pick(whole)), { random, values: NOTHING });
    agent.print(encode(`${JSON.stringify(message)}\n`));
    await turnOfLoop();
    const second = ask(connection, ACP_QUESTIONS.setMode({ sessionId: "s", modeId: "m" })).catch(() => {});
    await turnOfLoop();
    agent.print(encode(`{"jsonrpc":"2.0","id":2,"result":{}}\n`));
    await second;
    await Promise.race([reply.catch(() => {}), connection[Symbol.asyncDispose]()]);
    await connection[Symbol.asyncDispose]();
    assertEquals((await connection.ended).kind, "closed", `seed ${seed}`);
  }
});

/** Replaces or takes out one value somewhere in it. */
function change(value: unknown, { random, values }: { random: Random; values: readonly unknown[] }): unknown {
  if (typeof value !== "object" || value === null || random.int(6) === 0) return random.pick(values);
  const entries = value as Record<string, unknown>;
  const key = random.pick(Object.keys(entries));
  if (random.int(8) === 0) delete entries[key];
  else entries[key] = change(entries[key], { random, values });
  return value;
}
