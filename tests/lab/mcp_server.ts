// An MCP server on standard input and output with one tool, `price`, which always answers 4. It runs in a project that
// has no import map.

const ANSWERS: Readonly<Record<string, (params: Readonly<Record<string, unknown>>) => unknown>> = {
  initialize: ({ protocolVersion }) => ({
    protocolVersion,
    capabilities: { tools: {} },
    serverInfo: { name: "shop", version: "1.0.0" },
  }),
  "tools/list": () => ({
    tools: [{
      name: "price",
      description: "The price of an item",
      inputSchema: { type: "object", properties: { item: { type: "string" } }, required: ["item"] },
    }],
  }),
  "tools/call": () => ({ content: [{ type: "text", text: "4" }] }),
  ping: () => ({}),
};

if (import.meta.main) {
  let text = "";
  for await (const chunk of Deno.stdin.readable.pipeThrough(new TextDecoderStream())) {
    const lines = (text + chunk).split("\n");
    text = lines.pop() ?? "";
    for (const line of lines) answer(line);
  }
}

function answer(line: string): void {
  const { id, method, params = {} } = JSON.parse(line);
  if (id === undefined) return;
  const result = ANSWERS[method]?.(params);
  const outcome = result === undefined ? { error: { code: -32601, message: `no ${method} here` } } : { result };
  Deno.stdout.writeSync(new TextEncoder().encode(`${JSON.stringify({ jsonrpc: "2.0", id, ...outcome })}\n`));
}
