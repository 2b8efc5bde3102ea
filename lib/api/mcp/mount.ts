import type { MountRoutes } from "../http/app.ts";
import type { ServeContext } from "../http/context.ts";
import type { McpHttp } from "./http_sessions.ts";

/** Adds the Model Context Protocol to a server, at `/mcp`; its library is loaded for the first client. */
export const mountMcp: MountRoutes = (app, context) => {
  let opened: Promise<McpHttp> | undefined;
  app.all("/mcp", async ({ req }) => await (await (opened ??= open(context))).handle(req.raw));
};

async function open(context: ServeContext): Promise<McpHttp> {
  const [{ createMcpHttp }, { createMcpServer }, { createToolActs }] = await Promise.all([
    import("./http_sessions.ts"),
    import("./server.ts"),
    import("./tool_acts.ts"),
  ]);
  const { workdirs: [first, ...others], requireTrust, redactor, meetRun, clock, detach, limits, signal } = context;
  if (first === undefined) throw new TypeError("Cannot serve MCP: there is no working directory");
  const acts = createToolActs({ workdirs: [first, ...others], redactor, meetRun, requireTrust, clock, detach });
  const http = createMcpHttp({
    createServer: () => createMcpServer({ acts, redactor, clock }),
    clock,
    maxBodyBytes: limits.bodyBytes,
    maxUnderWay: Math.ceil(limits.connections / 2),
  });
  signal.addEventListener("abort", () => void http[Symbol.asyncDispose]());
  return http;
}
