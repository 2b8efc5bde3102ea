import { abortable } from "../../base/ports/abortable.ts";
import type { StandardStreams } from "../../base/ports/standard_streams.ts";
import { createMcpServer, type McpServerOptions } from "./server.ts";
import { StdioTransport } from "./stdio_transport.ts";

export async function serveStdio(
  options: McpServerOptions,
  { streams, signal }: { readonly streams: StandardStreams; readonly signal: AbortSignal },
): Promise<void> {
  const transport = new StdioTransport({ ...streams, clock: options.clock });
  const server = createMcpServer(options);
  await server.connect(transport);
  try {
    await abortable(() => transport.closed, signal);
  } finally {
    await server.close();
  }
}
