import { assert, assertEquals, assertRejects } from "@std/assert";
import { Client } from "@modelcontextprotocol/sdk/client";
// @ts-types="@modelcontextprotocol/sdk/client/streamableHttp"
import { StreamableHTTPClientTransport } from "@modelcontextprotocol/sdk/client/streamableHttp.js";
import type { CallToolResult } from "@modelcontextprotocol/sdk/types";
import { createMcpHttp, type McpHttp } from "../../../lib/api/mcp/http_sessions.ts";
import { mountMcp } from "../../../lib/api/mcp/mount.ts";
import { createMcpServer } from "../../../lib/api/mcp/server.ts";
import { systemClock } from "../../../lib/base/ports/clock.ts";
import { HOST, testServer } from "../http/support.ts";
import { writeReview } from "../../support/run_folders.ts";
import { tempDir } from "../../support/temp_dir.ts";
import { serverOf } from "./support.ts";

/** A client of whatever answers requests. */
async function connect(answer: (request: Request) => Promise<Response>) {
  const client = new Client({ name: "a-client", version: "1.0.0" });
  const transport = new StreamableHTTPClientTransport(new URL(`http://${HOST}/mcp`), {
    fetch: (url, init) => answer(new Request(url, init)),
  });
  await client.connect(transport as Parameters<typeof client.connect>[0]);
  return {
    client,
    transport,
    call: async (name: string, args: Record<string, unknown> = {}, options = {}) =>
      await client.callTool({ name, arguments: args }, undefined, options) as CallToolResult,
  };
}

/** MCP over HTTP, with an act that waits until it is released or cancelled. */
function openHttp(options: { readonly maxSessions?: number; readonly maxUnderWay?: number } = {}) {
  const release = Promise.withResolvers<void>();
  const cancelled: unknown[] = [];
  const server = serverOf({
    runs: () => Promise.resolve({ runs: [], leftOut: 0 }),
    async stop({ run }, { signal, progress }) {
      signal.addEventListener("abort", () => cancelled.push(run));
      progress("stopping");
      await Promise.race([release.promise, new Promise((resolve) => signal.addEventListener("abort", resolve))]);
      return { run, state: "stopped" as const, agentsAlive: false, next: "" };
    },
  }, { clock: systemClock });
  const http = createMcpHttp({
    createServer: () => createMcpServer(server),
    clock: systemClock,
    ...options,
  });
  return { http, release, cancelled, connect: () => connect((request) => http.handle(request)) };
}

function post(http: McpHttp, body: unknown, headers: Readonly<Record<string, string>> = {}): Promise<Response> {
  return http.handle(
    new Request(`http://${HOST}/mcp`, {
      method: "POST",
      headers: { "Content-Type": "application/json", "Accept": "application/json, text/event-stream", ...headers },
      body: JSON.stringify(body),
    }),
  );
}

Deno.test("mcp below serve: the tools tell of the server's runs, to who has the token", async () => {
  await using dir = await tempDir();
  const path = await Deno.realPath(dir.path);
  const folder = await writeReview({ path }, []);
  await using server = testServer(path, {}, { mounts: [mountMcp] });
  const { call, client } = await connect((request) => {
    request.headers.set("Host", HOST);
    request.headers.set("Authorization", "Bearer tEsT-token_0123456789abcdefghijklmnopqrstuv");
    return server.app.fetch(request, { client: "127.0.0.1" });
  });
  const { structuredContent } = await call("runs");
  assertEquals((structuredContent?.["runs"] as { run: string }[]).map(({ run }) => run), [folder.id]);
  await client.close();
  for (
    const headers of [
      { Authorization: "Bearer wrong" },
      { Origin: "https://evil.example" },
      { Host: "evil.example" },
    ] satisfies Record<string, string>[]
  ) {
    const { status } = await server.ask("/mcp", { method: "POST", body: "{}", headers });
    assert(status === 401 || status === 403, String(status));
  }
});

Deno.test("mcp over HTTP: a call is answered in a stream, with its progress; a cancelled one ends", async () => {
  const { http, release, cancelled, connect } = openHttp();
  const { call, client, transport } = await connect();
  const told = Promise.withResolvers<string | undefined>();
  const abort = new AbortController();
  const onprogress = ({ message }: { message?: string }) => told.resolve(message);
  const one = call("stop", { run: "one" }, { onprogress, signal: abort.signal });
  assertEquals(await told.promise, "stopping");
  const two = call("stop", { run: "two" });
  abort.abort();
  await assertRejects(() => one);
  release.resolve();
  assertEquals((await two).structuredContent?.["run"], "two");
  assertEquals(cancelled, ["one"]);
  await transport.terminateSession();
  assertEquals(http.sessionCount(), 0);
  await client.close();
});

Deno.test("mcp over HTTP: a server that was started anew does not know the session, and says so as the protocol has it", async () => {
  const before = openHttp();
  const after = openHttp();
  let http = before.http;
  const { call, client } = await connect((request) => http.handle(request));
  assertEquals((await call("runs")).isError, undefined);
  http = after.http;
  const error = await assertRejects(() => call("runs")) as Error & { code?: number };
  assertEquals(error.code, 404);
  await client.close();
  const { call: again, client: other } = await connect((request) => http.handle(request));
  assertEquals((await again("runs")).isError, undefined);
  await other.close();
  await before.http[Symbol.asyncDispose]();
  await after.http[Symbol.asyncDispose]();
});

Deno.test("mcp over HTTP: sessions are bounded; the one that was used longest ago makes way, but none with a call under way", async () => {
  const { http, release, connect } = openHttp({ maxSessions: 2 });
  const busy = await connect();
  const began = Promise.withResolvers<void>();
  const call = busy.call("stop", { run: "r" }, { onprogress: () => began.resolve() });
  await began.promise;
  const idle = await connect();
  const third = await connect();
  assertEquals(http.sessionCount(), 2);
  await assertRejects(() => idle.call("runs"));
  assertEquals((await third.call("runs")).isError, undefined);
  release.resolve();
  assertEquals((await call).isError, undefined);
  for (const { client } of [busy, idle, third]) await client.close();
  await http[Symbol.asyncDispose]();
});

Deno.test("mcp over HTTP: what is no request of the protocol is refused, and opens nothing", async () => {
  const { http, connect } = openHttp({ maxUnderWay: 1 });
  const status = async (...args: Parameters<typeof post> extends [unknown, ...infer Rest] ? Rest : never) => {
    const response = await post(http, ...args);
    await response.body?.cancel();
    return response.status;
  };
  assertEquals(await status({ jsonrpc: "2.0", id: 1, method: "tools/list" }), 400);
  assertEquals(await status({ hello: 1 }), 400);
  assertEquals(await status("x".repeat(1024 * 1024)), 413);
  assertEquals(await status({}, { "Content-Type": "text/plain" }), 415);
  assertEquals(await status({}, { "Mcp-Session-Id": "../../etc" }), 404);
  const get = await http.handle(new Request(`http://${HOST}/mcp`, { headers: { Accept: "text/event-stream" } }));
  assertEquals([get.status, get.headers.get("Allow")], [405, "POST, DELETE"]);
  await get.body?.cancel();
  assertEquals(http.sessionCount(), 0);

  const { client, call, transport } = await connect();
  const began = Promise.withResolvers<void>();
  const stop = call("stop", { run: "r" }, { onprogress: () => began.resolve() });
  stop.catch(() => {});
  await began.promise;
  assertEquals(
    await status({ jsonrpc: "2.0", id: 9, method: "ping" }, { "Mcp-Session-Id": transport.sessionId! }),
    503,
  );
  await client.close();
  await http[Symbol.asyncDispose]();
});
