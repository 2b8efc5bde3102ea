import type { MountRoutes } from "../http/app.ts";
import type { ServerContext } from "../http/deps.ts";
import type { McpHttp } from "./http_sessions.ts";

/** Adds the Model Context Protocol to a server, at `/mcp`; its library is loaded for the first client. */
export const mountMcp: MountRoutes = (app, context) => {
  let opened: Promise<McpHttp> | undefined;
  app.all("/mcp", async ({ req }) => await (await (opened ??= open(context))).handle(req.raw));
};

async function open(context: ServerContext): Promise<McpHttp> {
  const [{ createMcpHttp }, { createMcpServer }] = await Promise.all([
    import("./http_sessions.ts"),
    import("./server.ts"),
  ]);
  const { workdirs, clock, limits, signal } = context;
  if (workdirs.length === 0) throw new TypeError("Cannot serve MCP: there is no working directory");
  const http = createMcpHttp({
    createServer: () => createMcpServer(context),
    clock,
    maxBodyBytes: limits.bodyBytes,
    maxUnderWay: Math.ceil(limits.connections / 2),
  });
  signal.addEventListener("abort", () => void http[Symbol.asyncDispose]());
  return http;
}
