import { assertEquals, assertRejects, assertStringIncludes } from "@std/assert";
import { startAnthropicServer } from "./anthropic_server.ts";
import { startOpenAiServer } from "./openai_server.ts";

const EXEC_COMMAND = {
  type: "function",
  name: "exec_command",
  parameters: { properties: { sandbox_permissions: {} } },
};

function ask(baseUrl: string, prompt: string, fields: Readonly<Record<string, unknown>> = {}): Promise<Response> {
  const input = [
    { role: "user", content: [{ type: "input_text", text: "<environment_context>\n/home\n</environment_context>" }] },
    { role: "user", content: [{ type: "input_text", text: prompt }] },
  ];
  return fetch(`${baseUrl}/responses`, {
    method: "POST",
    headers: { "thread-id": "thread-1" },
    body: JSON.stringify({ model: "gpt-6", input, ...fields }),
  });
}

function eventsOf(body: string): readonly { readonly type: string }[] {
  return body.split("\n").filter((line) => line.startsWith("data: ")).map((line) => JSON.parse(line.slice(6)));
}

Deno.test("startOpenAiServer() streams an answer and logs when the model was busy", async () => {
  await using server = startOpenAiServer({ scenarios: { default: [[{ do: "say", text: "Hello, world." }]] } });
  const body = await (await ask(server.baseUrl(), "hello")).text();
  assertEquals(eventsOf(body).at(-1)?.type, "response.completed");
  assertStringIncludes(body, `"text":"Hello, world."`);
  assertEquals(server.log.entries.map((entry) => entry.event), ["request", "busy", "step", "idle"]);
  assertEquals(server.log.entries[1], {
    ...server.log.entries[1]!,
    event: "busy",
    n: 1,
    scenario: "default",
    thread: "thread-1",
    prompt: "hello",
  });
});

Deno.test("startOpenAiServer() calls the shell tool that the request offers", async () => {
  await using server = startOpenAiServer({ respond: () => [{ do: "shell", command: "ls -l", escalate: "Why not?" }] });
  const called = async (fields: Readonly<Record<string, unknown>>) => {
    const body = await (await ask(server.baseUrl(), JSON.stringify(fields), fields)).text();
    const { type, name, arguments: args, input } = JSON.parse(body.match(/^data: (.*item\.done.*)$/m)?.[1] ?? "").item;
    return { type, name, input: input ?? JSON.parse(args) };
  };
  const escalation = { sandbox_permissions: "require_escalated", justification: "Why not?" };
  assertEquals(await called({ tools: [EXEC_COMMAND] }), {
    type: "function_call",
    name: "exec_command",
    input: { cmd: "ls -l", ...escalation },
  });
  assertEquals(await called({ tools: [{ type: "function", name: "shell", parameters: {} }] }), {
    type: "function_call",
    name: "shell",
    input: { command: ["bash", "-lc", "ls -l"], with_escalated_permissions: true, justification: "Why not?" },
  });
  assertEquals(await called({ tools: [{ type: "custom", name: "exec" }, EXEC_COMMAND] }), {
    type: "custom_tool_call",
    name: "exec",
    input: `text(JSON.stringify(await tools.exec_command(${JSON.stringify({ cmd: "ls -l", ...escalation })})));`,
  });
});

Deno.test("startOpenAiServer() answers the request for a title aside", async () => {
  await using server = startOpenAiServer({ scenarios: { default: [[{ do: "say", text: "The answer." }]] } });
  const text = { format: { schema: { properties: { title: { type: "string" } } } } };
  assertStringIncludes(await (await ask(server.baseUrl(), "hello", { text })).text(), "Mock title");
  assertStringIncludes(await (await ask(server.baseUrl(), "hello")).text(), "The answer.");
});

Deno.test("startOpenAiServer() refuses with the status and breaks streams as scripted", async () => {
  await using server = startOpenAiServer({
    scenarios: {
      refuse: [[{ do: "refuse", status: 429, message: "Slow down" }]],
      cut: [[{ do: "say", text: "Half" }, { do: "break" }]],
    },
  });
  const refused = await ask(server.baseUrl("refuse"), "hello");
  assertEquals(refused.status, 429);
  assertStringIncludes(await refused.text(), "Slow down");
  await assertRejects(async () => await (await ask(server.baseUrl("cut"), "hello again")).text());
});

Deno.test("a model server ends hanging replies when it is disposed of", async () => {
  const server = startOpenAiServer({ respond: () => [{ do: "hang" }] });
  const response = await ask(server.baseUrl(), "hello");
  await server.log.waitFor((entry) => entry.event === "step", { timeoutMs: 2000 });
  assertEquals(server.log.isBusy("thread-1"), true);
  await Promise.all([server[Symbol.asyncDispose](), assertRejects(() => response.text())]);
  assertEquals(server.log.isBusy(), false);
});

Deno.test("a model server notices that the client went away", async () => {
  await using server = startOpenAiServer({ respond: () => [{ do: "hang" }] });
  const response = await ask(server.baseUrl(), "hello");
  await response.body?.cancel();
  const end = await server.log.waitFor((entry) => entry.event === "idle", { timeoutMs: 2000 });
  assertEquals(end, { ...end, event: "idle", n: 1, thread: "thread-1", how: "client_gone", endsTurn: true });
});

Deno.test("disposing of a model server tells that its script failed", async () => {
  const server = startOpenAiServer({ respond: () => [{ do: "shell", command: "ls" }] });
  await assertRejects(async () => await (await ask(server.baseUrl(), "hello", { tools: [] })).text());
  await assertRejects(async () => await server[Symbol.asyncDispose](), Error, "Cannot call a shell");
});

Deno.test("startAnthropicServer() plays a turn with a tool call over two requests", async () => {
  await using server = startAnthropicServer({
    scenarios: { default: [[{ do: "shell", command: "ls" }, { do: "say", text: "Two files." }]] },
  });
  const send = async (messages: readonly unknown[]) => {
    const response = await fetch(`${server.baseUrl()}/v1/messages?beta=true`, {
      method: "POST",
      headers: { "x-claude-code-session-id": "session-1" },
      body: JSON.stringify({ model: "any", stream: true, tools: [{ name: "Bash" }], messages }),
    });
    return await response.text();
  };
  const prompt = { role: "user", content: [{ type: "text", text: "list" }] };
  const call = await send([prompt]);
  assertStringIncludes(call, `"stop_reason":"tool_use"`);
  assertStringIncludes(call, `{\\"command\\":\\"ls\\"`);
  const result = { role: "user", content: [{ type: "tool_result", tool_use_id: "x", content: "a b" }] };
  assertStringIncludes(await send([prompt, result]), `"stop_reason":"end_turn"`);
});
