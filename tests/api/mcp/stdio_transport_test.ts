import { assertEquals, assertMatch } from "@std/assert";
import type { JSONRPCMessage } from "@modelcontextprotocol/sdk/types";
import { StdioTransport } from "../../../lib/api/mcp/stdio_transport.ts";
import { createFakeClock } from "../../support/fake_clock.ts";
import { systemClock } from "../../../lib/base/ports/clock.ts";

type Json = Readonly<Record<string, unknown>>;

/** Opens a transport on streams of the test. */
function openTransport(options: { readonly maxLineBytes?: number; readonly clock?: typeof systemClock } = {}) {
  const { readable, writable } = new TransformStream<Uint8Array<ArrayBuffer>>();
  const writer = writable.getWriter();
  const output: string[] = [];
  const received: JSONRPCMessage[] = [];
  let isBroken = false;
  const transport = new StdioTransport({
    clock: systemClock,
    ...options,
    input: readable,
    write(bytes) {
      if (isBroken) return Promise.reject(new Deno.errors.BrokenPipe("gone"));
      output.push(new TextDecoder().decode(bytes));
      return Promise.resolve();
    },
  });
  transport.onmessage = (message) => void received.push(message);
  return {
    transport,
    received,
    type: (text: string | Uint8Array<ArrayBuffer>) =>
      writer.write(typeof text === "string" ? new TextEncoder().encode(text) : text),
    end: () => writer.close(),
    breakOutput: () => isBroken = true,
    answers: () => output.map((line): Json => JSON.parse(line)),
    raw: () => output.join(""),
  };
}

const ping = (id: number) => `{"jsonrpc":"2.0","id":${id},"method":"ping"}`;

Deno.test("mcp over stdio: messages come whole, however their bytes are cut", async () => {
  const { transport, received, type, end } = openTransport();
  await transport.start();
  const bytes = new TextEncoder().encode(`${ping(1)}\r\n\n{"jsonrpc":"2.0","method":"größer"}\n`);
  for (let at = 0; at < bytes.length; at += 3) await type(bytes.slice(at, at + 3));
  await type(`{"jsonrpc":"2.0","method":"notifications/cancelled","params":{"requestId":1}}\n`);
  await end();
  await transport.closed;
  assertEquals(received.map((message) => "method" in message && message.method), [
    "ping",
    "größer",
    "notifications/cancelled",
  ]);
});

for (
  const [what, line, code, id, words] of [
    ["no JSON", "Starting up...\n", -32700, null, /not JSON/],
    ["not UTF-8", new Uint8Array([0xff, 0x0a]), -32700, null, /not UTF-8/],
    ["too long", `"${"x".repeat(2000)}"\n`, -32600, null, /too long: 2002 bytes/],
    ["a batch", `[${ping(1)}]\n`, -32600, null, /one by one/],
    ["no message", `{"id":7,"method":7}\n`, -32600, 7, /JSON-RPC 2\.0/],
    ["null", "null\n", -32600, null, /JSON-RPC 2\.0/],
  ] as const
) {
  Deno.test(`mcp over stdio: a line that is ${what} is answered with an error, and the next one is read`, async () => {
    const { transport, received, type, end, answers } = openTransport({ maxLineBytes: 1000 });
    await transport.start();
    await type(line);
    await type(`{"jsonrpc":"2.0","method":"after"}\n`);
    await end();
    await transport.closed;
    assertEquals(received.length, 1);
    const [answer, ...others] = answers();
    assertEquals(others, []);
    const { error, ...rest } = answer as { error: { code: number; message: string } };
    assertEquals([rest, error.code], [{ jsonrpc: "2.0", id }, code]);
    assertMatch(error.message, words);
  });
}

Deno.test("mcp over stdio: a message is one line of plain characters", async () => {
  const { transport, raw, end } = openTransport();
  await transport.start();
  await transport.send({ jsonrpc: "2.0", id: 1, result: { text: "a\nb\x1b[2J\u2028\u202e" } });
  await end();
  await transport.closed;
  assertEquals(raw(), `{"jsonrpc":"2.0","id":1,"result":{"text":"a\\nb\\u001b[2J\\u2028\\u202e"}}\n`);
});

Deno.test("mcp over stdio: when the input ends, what was asked before it is answered first", async () => {
  const { transport, type, end, answers } = openTransport();
  transport.onmessage = async (message) => {
    await new Promise((resolve) => setTimeout(resolve, 0));
    if ("id" in message) await transport.send({ jsonrpc: "2.0", id: message.id!, result: {} });
  };
  await transport.start();
  await type(`${ping(1)}\n${ping(2)}\n`);
  await end();
  await transport.closed;
  assertEquals(answers().map(({ id }) => id), [1, 2]);
});

Deno.test("mcp over stdio: what takes long is not waited for when the input ends", async () => {
  using clock = createFakeClock();
  const { transport, type, end } = openTransport({ clock });
  await transport.start();
  await type(`${ping(1)}\n`);
  await end();
  await clock.runUntilSettled(transport.closed);
  assertEquals(clock.elapsedSeconds(), 1);
});

Deno.test("mcp over stdio: an output that nobody reads closes the transport, and nothing is written any more", async () => {
  const { transport, breakOutput, answers } = openTransport();
  let closed = 0;
  transport.onclose = () => closed++;
  await transport.start();
  breakOutput();
  await transport.send({ jsonrpc: "2.0", id: 1, result: {} });
  await transport.closed;
  await transport.send({ jsonrpc: "2.0", id: 2, result: {} });
  assertEquals([closed, answers()], [1, []]);
});
