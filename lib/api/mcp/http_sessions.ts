import type { Server } from "@modelcontextprotocol/sdk/server";
// @ts-types="@modelcontextprotocol/sdk/server/webStandardStreamableHttp"
import { WebStandardStreamableHTTPServerTransport } from "@modelcontextprotocol/sdk/server/webStandardStreamableHttp.js";
import type { Clock } from "../../base/ports/clock.ts";

export interface McpHttpOptions {
  readonly createServer: () => Server;
  readonly clock: Clock;
  /** @default {64} */
  readonly maxSessions?: number;
  /** Requests without an answer, of all clients together. @default {128} */
  readonly maxUnderWay?: number;
  /** @default {1048576} 1 MiB */
  readonly maxBodyBytes?: number;
}

/** The Model Context Protocol over HTTP, without its own authentication: whoever calls it has seen to that. */
export interface McpHttp extends AsyncDisposable {
  handle(request: Request): Promise<Response>;
  sessionCount(): number;
}

const MAX_SESSIONS = 64;
const MAX_UNDER_WAY = 128;
const MAX_BODY_BYTES = 1024 * 1024;

/** A client's session; it holds nothing but the calls under way. */
interface Session {
  readonly transport: WebStandardStreamableHTTPServerTransport;
  usedMs: number;
  underWay: number;
}

/**
 * Serves the Model Context Protocol over Streamable HTTP. A client whose session is not known, because the server was
 * started anew or the session has made way for others, gets 404 and begins another: what it has started is on the disk.
 */
export function createMcpHttp(options: McpHttpOptions): McpHttp {
  const { createServer, clock, maxSessions = MAX_SESSIONS, maxBodyBytes = MAX_BODY_BYTES } = options;
  const { maxUnderWay = MAX_UNDER_WAY } = options;
  const sessions = new Map<string, Session>();
  let underWay = 0;

  async function open(request: Request): Promise<Response> {
    if (sessions.size >= maxSessions && !await dropOldest()) {
      return overloaded("too many sessions have calls under way");
    }
    const server = createServer();
    const transport = new WebStandardStreamableHTTPServerTransport({
      sessionIdGenerator: () => crypto.randomUUID(),
      maxRequestBodySize: maxBodyBytes,
      onsessioninitialized: (id) => void sessions.set(id, { transport, usedMs: clock.now(), underWay: 0 }),
      onsessionclosed: (id) => void sessions.delete(id),
    });
    await server.connect(transport);
    const response = await transport.handleRequest(request);
    if (transport.sessionId === undefined) await server.close();
    return response;
  }

  async function dropOldest(): Promise<boolean> {
    const idle = [...sessions].filter(([, { underWay }]) => underWay === 0);
    const [oldest] = idle.sort(([, a], [, b]) => a.usedMs - b.usedMs);
    if (oldest === undefined) return false;
    const [id, { transport }] = oldest;
    sessions.delete(id);
    await transport.close();
    return true;
  }

  return {
    async handle(request) {
      if (request.method === "GET" || request.method === "HEAD") {
        // Nothing is told unasked: a stream for it would only hold a connection.
        return problem(405, -32000, "Method not allowed.", { Allow: "POST, DELETE" });
      }
      const id = request.headers.get("mcp-session-id");
      if (id === null) return await open(request);
      const session = sessions.get(id);
      if (session === undefined) return problem(404, -32001, "Session not found");
      if (underWay >= maxUnderWay) return overloaded("too many requests are under way");
      session.usedMs = clock.now();
      session.underWay++;
      underWay++;
      const ended = () => {
        session.underWay--;
        underWay--;
        session.usedMs = clock.now();
      };
      try {
        return whenRead(await session.transport.handleRequest(request), ended);
      } catch (error) {
        ended();
        throw error;
      }
    },
    sessionCount: () => sessions.size,
    async [Symbol.asyncDispose]() {
      const open = [...sessions.values()];
      sessions.clear();
      await Promise.all(open.map(({ transport }) => transport.close()));
    },
  };
}

function problem(status: number, code: number, message: string, headers: Readonly<Record<string, string>> = {}) {
  return Response.json({ jsonrpc: "2.0", error: { code, message }, id: null }, { status, headers });
}

function overloaded(why: string): Response {
  return problem(503, -32000, `Cannot answer: ${why}`, { "Retry-After": "5" });
}

/** The same response; `ended` is called once, when its body was read to the end or is not wanted any more. */
function whenRead(response: Response, ended: () => void): Response {
  if (response.body === null) {
    ended();
    return response;
  }
  const reader = response.body.getReader();
  const body = new ReadableStream({
    async pull(controller) {
      try {
        const { value, done } = await reader.read();
        if (value !== undefined) controller.enqueue(value);
        if (!done) return;
        controller.close();
      } catch (error) {
        controller.error(error);
      }
      ended();
    },
    async cancel(reason) {
      ended();
      await reader.cancel(reason);
    },
  });
  return new Response(body, response);
}
