// An MCP server on standard input and output. Its tool `price` answers 4; `order` asks the person how many before it
// answers. It runs in a project that has no import map.

type Json = Readonly<Record<string, unknown>>;

const ANSWERS: Readonly<Record<string, (params: Json) => unknown>> = {
  initialize: ({ protocolVersion }) => ({
    protocolVersion,
    capabilities: { tools: {} },
    serverInfo: { name: "shop", version: "1.0.0" },
  }),
  "tools/list": () => ({ tools: [tool("price", "The price of an item"), tool("order", "Orders an item")] }),
  ping: () => ({}),
};

function tool(name: string, description: string): Json {
  const inputSchema = { type: "object", properties: { item: { type: "string" } }, required: ["item"] };
  return { name, description, inputSchema };
}

const QUESTION = {
  message: "How many do you want?",
  requestedSchema: {
    type: "object",
    properties: { count: { type: "integer", title: "Count", minimum: 1 } },
    required: ["count"],
  },
};

/** The call that waits for the person's answer. */
let ordered: unknown;

function receive(line: string): void {
  const { id, method, params = {} } = JSON.parse(line);
  if (method === undefined) {
    if (id === "question") send({ id: ordered, result: { content: [{ type: "text", text: "ordered" }] } });
  } else if (method === "tools/call" && params.name === "order") {
    ordered = id;
    send({ id: "question", method: "elicitation/create", params: QUESTION });
  } else if (method === "tools/call") {
    send({ id, result: { content: [{ type: "text", text: "4" }] } });
  } else if (id !== undefined) {
    const result = ANSWERS[method]?.(params);
    send(result === undefined ? { id, error: { code: -32601, message: `no ${method} here` } } : { id, result });
  }
}

function send(message: Json): void {
  Deno.stdout.writeSync(new TextEncoder().encode(`${JSON.stringify({ jsonrpc: "2.0", ...message })}\n`));
}

if (import.meta.main) {
  let text = "";
  for await (const chunk of Deno.stdin.readable.pipeThrough(new TextDecoderStream())) {
    const lines = (text + chunk).split("\n");
    text = lines.pop() ?? "";
    for (const line of lines) receive(line);
  }
}
