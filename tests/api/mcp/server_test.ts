import { assert, assertEquals, assertMatch, assertRejects } from "@std/assert";
import { Client } from "@modelcontextprotocol/sdk/client";
// @ts-types="@modelcontextprotocol/sdk/inMemory"
import { InMemoryTransport } from "@modelcontextprotocol/sdk/inMemory.js";
// @ts-types="@modelcontextprotocol/sdk/types"
import { type CallToolResult, CallToolResultSchema, type Progress } from "@modelcontextprotocol/sdk/types.js";
import { UsageError } from "../../../lib/base/errors.ts";
import { createMcpServer } from "../../../lib/api/mcp/server.ts";
import { TOOLS } from "../../../lib/api/operations/mod.ts";
import { systemClock } from "../../../lib/base/ports/clock.ts";
import { createFakeClock } from "../../support/fake_clock.ts";
import { type Acts, serverOf } from "./support.ts";

const SECRET = "correct-horse-battery";

/** A client of a server with these acts. */
async function connect(acts: Acts, { clock = systemClock } = {}) {
  const server = createMcpServer(serverOf(acts, { clock, secret: SECRET }));
  const client = new Client({ name: "a-client", version: "1.0.0" });
  const [ours, theirs] = InMemoryTransport.createLinkedPair();
  await server.connect(ours);
  await client.connect(theirs);
  return {
    client,
    call: async (name: string, args: Record<string, unknown> = {}, options = {}) =>
      await client.callTool({ name, arguments: args }, undefined, options) as CallToolResult,
    [Symbol.asyncDispose]: () => client.close(),
  };
}

/** The error of a call, as programs and as models see it. */
function errorOf(result: CallToolResult) {
  assertEquals(result.isError, true);
  const [content] = result.content;
  assert(content?.type === "text");
  return {
    text: content.text,
    ...result._meta?.["panewright/error"] as { code: string; exitCode: number; message: string; hint?: string },
  };
}

Deno.test("mcp: a client is told all tools, with schemas that are objects of plain types", async () => {
  await using connection = await connect({});
  const { tools } = await connection.client.listTools();
  assertEquals(tools.map(({ name }) => name), Object.keys(TOOLS));
  for (const { inputSchema, outputSchema, annotations, description } of tools) {
    assertEquals([inputSchema.type, inputSchema["additionalProperties"], outputSchema?.type], [
      "object",
      false,
      "object",
    ]);
    assert(description !== undefined && description.length > 40);
    // What some clients cannot pass on to their model.
    assertEquals(JSON.stringify(inputSchema).match(/"(anyOf|oneOf|allOf|\$ref)"/), null);
    assertEquals(annotations?.openWorldHint, false);
  }
  const readOnly = tools.filter(({ annotations }) => annotations?.readOnlyHint).map(({ name }) => name);
  assertEquals(readOnly, ["wait", "result", "runs", "explain"]);
});

Deno.test("mcp: a result is structured and text at once, without secrets, escapes and what hides text", async () => {
  await using connection = await connect({
    explain: () =>
      Promise.resolve({
        ...{ run: "r", state: "failed" as const, statuses: [], leftOut: 0 },
        why: [`the key is ${SECRET}`, "\x1b[31mred\x1b[0m \u202egnp.exe", "<script>alert(1)</script>"],
      }),
  });
  const { structuredContent, content } = await connection.call("explain", { run: "r" });
  const why = ["the key is redactedxxxxxxxxxxxxx", "red gnp.exe", "<script>alert(1)</script>"];
  assertEquals(structuredContent, { run: "r", state: "failed", statuses: [], leftOut: 0, why });
  assertEquals(content, [{ type: "text", text: JSON.stringify(structuredContent) }]);
});

for (
  const [what, args, words] of [
    ["misses an argument", {}, "run is missing"],
    [
      "has one that there is not",
      { run: "r", wrkdir: "/a" },
      'there is no argument "wrkdir" (did you mean "workdir"?)',
    ],
    ["has one of another type", { run: 7 }, "run must be a string, but is 7"],
    ["has an empty one", { run: "" }, "run must not be empty"],
    ["has one that is too long", { run: "x".repeat(5000) }, "run must have at most 200 characters"],
    ["has an array of arguments", [{ run: "r" }], "its arguments must be an object, but are an array"],
    [
      "has a text for arguments",
      `run ${SECRET}`,
      'its arguments must be an object, but are the string "run redactedxx',
    ],
    ["has null for arguments", null, "its arguments must be an object, but are null"],
    ["has a number for arguments", 7, "its arguments must be an object, but are 7"],
  ] as const
) {
  Deno.test(`mcp: a call that ${what} is refused, and says what is allowed`, async () => {
    await using connection = await connect({});
    const { code, exitCode, text } = errorOf(await connection.call("resume", args as never));
    assertEquals([code, exitCode], ["bad_input", 2]);
    assert(text.startsWith(`Cannot call resume: ${words}`), text);
    assert(text.endsWith("[bad_input]\nIts arguments are run, workdir."), text);
    assert(text.length < 500);
  });
}

for (
  const [what, args, words] of [
    ["a role that there cannot be", { role: "The tester" }, "role cannot be used: must be the name of a role"],
    ["a part of a number", { limit: 1.5 }, "limit must be a whole number, but is 1.5"],
    ["too large a number", { limit: 900 }, "limit must be at most 200, but is 900"],
    ["too small a number", { limit: 0 }, "limit must be at least 1, but is 0"],
    ["a thousand names", Object.fromEntries(Array.from({ length: 1000 }, (_, at) => [`n${at}`, 1])), "there is no "],
  ] as const
) {
  Deno.test(`mcp: a call with ${what} is refused in a short sentence`, async () => {
    await using connection = await connect({});
    const { text } = errorOf(await connection.call("explain", { run: "r", ...args }));
    assert(text.startsWith(`Cannot call explain: ${words}`), text);
    assert(text.length < 500);
  });
}

for (
  const [what, params, words] of [
    ["without a name", { arguments: {} }, "Cannot call a tool: its name must be a string, but is missing"],
    ["by a number", { name: 7 }, "Cannot call a tool: its name must be a string, but is 7"],
    ["without params", undefined, "Cannot call a tool: its name must be a string, but is missing"],
  ] as const
) {
  Deno.test(`mcp: a call ${what} is an error of the protocol, in one sentence`, async () => {
    await using connection = await connect({});
    const call = () => connection.client.request({ method: "tools/call", params } as never, CallToolResultSchema);
    const error = await assertRejects(call) as Error & { code?: number };
    assertEquals([error.code, error.message], [-32602, `MCP error -32602: ${words}`]);
  });
}

Deno.test("mcp: a method that there is not is an error of the protocol", async () => {
  await using connection = await connect({});
  const call = () => connection.client.request({ method: "tools/press" } as never, CallToolResultSchema);
  const error = await assertRejects(call) as Error & { code?: number };
  assertEquals([error.code, error.message], [-32601, "MCP error -32601: Method not found"]);
});

Deno.test("mcp: an error has its code and hint, for programs and for models, and no secret", async () => {
  await using connection = await connect({
    stop: () => Promise.reject(new UsageError(`Cannot stop: ${SECRET}`, { code: "busy", hint: `Not with ${SECRET}.` })),
    runs: () => Promise.reject(new TypeError("at /home/jane/x.ts:1")),
  });
  const told = errorOf(await connection.call("stop", { run: "r" }));
  assertEquals(told, {
    text: "Cannot stop: redactedxxxxxxxxxxxxx [busy]\nNot with redactedxxxxxxxxxxxxx.",
    code: "busy",
    exitCode: 2,
    message: "Cannot stop: redactedxxxxxxxxxxxxx",
    hint: "Not with redactedxxxxxxxxxxxxx.",
  });
  assertEquals(errorOf(await connection.call("runs")).code, "internal");
});

Deno.test("mcp: a tool that there is not is an error of the protocol, with the nearest name", async () => {
  await using connection = await connect({});
  const error = await assertRejects(() => connection.call("start_ran"));
  assertMatch(String(error), /Cannot call "start_ran": no such tool.*start_run/);
});

Deno.test("mcp: a call that the client cancels ends, and its act is told so", async () => {
  const began = Promise.withResolvers<AbortSignal>();
  const ended = Promise.withResolvers<void>();
  await using connection = await connect({
    wait: (_, { signal }) => {
      began.resolve(signal);
      signal.addEventListener("abort", () => ended.resolve());
      return new Promise<never>((_, reject) => signal.addEventListener("abort", () => reject(signal.reason)));
    },
    runs: () => Promise.resolve({ runs: [], leftOut: 0 }),
  });
  const abort = new AbortController();
  const call = connection.call("wait", { run: "r" }, { signal: abort.signal });
  assertEquals((await began.promise).aborted, false);
  abort.abort();
  await assertRejects(() => call);
  await ended.promise;
  assertEquals((await connection.call("runs")).structuredContent, { runs: [], leftOut: 0 });
});

Deno.test("mcp: progress is told where the client wants it, grows, and comes while nothing happens", async () => {
  using clock = createFakeClock();
  const told: Progress[] = [];
  const connection = await connect({
    async runs(_, { progress }) {
      progress(`the tester says ${SECRET}`);
      await clock.sleep(12_000);
      return { runs: [], leftOut: 0 };
    },
  }, { clock });
  const call = connection.call("runs", {}, {
    onprogress: (progress: Progress) => void told.push(progress),
    timeout: 1e6,
  });
  await clock.runUntilSettled(call);
  assertEquals(told.map(({ progress, message }) => `${progress} ${message}`), [
    "1 the tester says redactedxxxxxxxxxxxxx",
    "2 the tester says redactedxxxxxxxxxxxxx",
    "3 the tester says redactedxxxxxxxxxxxxx",
  ]);
  await connection.client.close();
});

Deno.test("mcp: more calls at a time than are worked on are refused, and taken again later", async () => {
  const release = Promise.withResolvers<void>();
  await using connection = await connect({
    runs: async () => {
      await release.promise;
      return { runs: [], leftOut: 0 };
    },
  });
  const calls = Array.from({ length: 16 }, () => connection.call("runs"));
  assertEquals(errorOf(await connection.call("runs")).code, "busy");
  release.resolve();
  assertEquals((await Promise.all(calls)).map(({ isError }) => isError), Array(16).fill(undefined));
  assertEquals((await connection.call("runs")).isError, undefined);
});

Deno.test("mcp: an act knows which client it is done for", async () => {
  const clients: (string | undefined)[] = [];
  await using connection = await connect({
    runs(_, { client }) {
      clients.push(client);
      return Promise.resolve({ runs: [], leftOut: 0 });
    },
  });
  await connection.call("runs");
  assertEquals(clients, ["a-client"]);
});
