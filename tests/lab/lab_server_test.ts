import { assertEquals, assertStringIncludes } from "@std/assert";
import { startLabServer, type Wire, WIRES } from "./lab_server.ts";
import type { ModelServer } from "./model_server.ts";
import type { Turn } from "./steps.ts";

const TURN: Turn = [{ do: "think", text: "Well." }, { do: "write", path: "/p/a.txt", text: "A\n" }, {
  do: "say",
  text: "Done, at last.",
}];

/** How a client of each wire format asks for a reply and reports what a tool returned. */
const CLIENTS: Readonly<Record<Wire, { path: string; body(prompt: string, withResult: boolean): unknown }>> = {
  responses: {
    path: "/responses",
    body: (prompt, withResult) => ({
      model: "m",
      prompt_cache_key: "t",
      tools: [{ type: "custom", name: "apply_patch" }],
      input: [
        { role: "user", content: [{ type: "input_text", text: prompt }] },
        ...(withResult ? [{ type: "custom_tool_call_output", output: "ok" }] : []),
      ],
    }),
  },
  chat: {
    path: "/chat/completions",
    body: (prompt, withResult) => ({
      model: "m",
      stream: true,
      tools: ["bash", "write"].map((name) => ({ type: "function", function: { name } })),
      messages: [
        { role: "user", content: `<system-reminder>\nBe good.\n</system-reminder>\n${prompt}` },
        ...(withResult ? [{ role: "tool", content: "ok" }] : []),
      ],
    }),
  },
  messages: {
    path: "/v1/messages",
    body: (prompt, withResult) => ({
      model: "m",
      tools: [{ name: "Read" }, { name: "Write" }],
      messages: [
        { role: "user", content: prompt },
        ...(withResult ? [{ role: "user", content: [{ type: "tool_result", content: "ok" }] }] : []),
      ],
    }),
  },
  gemini: {
    path: "/v1beta/models/gemini:streamGenerateContent",
    body: (prompt, withResult) => ({
      tools: [{ functionDeclarations: [{ name: "run_shell_command" }, { name: "write_file" }] }],
      contents: [
        { role: "user", parts: [{ text: "<session_context>\nLinux\n</session_context>" }] },
        { role: "user", parts: [{ text: prompt }] },
        ...(withResult ? [{ role: "user", parts: [{ functionResponse: { name: "write_file" } }] }] : []),
      ],
    }),
  },
};

async function post(server: ModelServer, wire: Wire, body: unknown): Promise<string> {
  const url = `${server.baseUrl("any", WIRES[wire])}${CLIENTS[wire].path}`;
  return await (await fetch(url, { method: "POST", body: JSON.stringify(body) })).text();
}

/** What each wire format's call of the tool for a file must hold. */
const CALLS: Readonly<Record<Wire, readonly string[]>> = {
  responses: ["custom_tool_call", "*** Add File: /p/a.txt\\n+A\\n"],
  chat: [
    `"name":"write"`,
    `{\\"filePath\\":\\"/p/a.txt\\",\\"content\\":\\"A\\\\n\\"}`,
    `"finish_reason":"tool_calls"`,
  ],
  messages: [`"name":"Write"`, `{\\"file_path\\":\\"/p/a.txt\\",\\"content\\":\\"A\\\\n\\"}`],
  gemini: [`"functionCall"`, `"args":{"file_path":"/p/a.txt","content":"A\\n"}`],
};

for (const wire of Object.keys(WIRES) as Wire[]) {
  Deno.test(`startLabServer() plays one scenario over ${wire}: a call of the client's own tool, then the answer`, async () => {
    await using server = startLabServer({ scenarios: { any: [TURN] } });
    const call = await post(server, wire, CLIENTS[wire].body("write it", false));
    for (const part of CALLS[wire]) assertStringIncludes(call, part);
    const answer = await post(server, wire, CLIENTS[wire].body("write it", true));
    assertStringIncludes(answer, "Done, at last.".slice(0, 10));
    const busy = server.log.entries.filter((entry) => entry.event === "busy");
    assertEquals(busy.map(({ prompt, scenario }) => [prompt, scenario]), [["write it", "any"], ["write it", "any"]]);
    const ends = server.log.entries.filter((entry) => entry.event === "idle").map(({ endsTurn }) => endsTurn);
    assertEquals(ends, [false, true]);
  });
}

Deno.test("startLabServer() answers what clients ask on their own account aside, streamed or whole", async () => {
  await using server = startLabServer({ scenarios: {} });
  const title = { model: "m", messages: [{ role: "user", content: "A title, please" }] };
  assertStringIncludes(await post(server, "chat", title), `"content":"Mock title"`);
  assertStringIncludes(await post(server, "chat", { ...title, stream: true }), "data: [DONE]");
  const url = `${server.baseUrl("any", WIRES.gemini)}/v1beta/models/g:generateContent`;
  const whole = await (await fetch(url, { method: "POST", body: JSON.stringify({ contents: [] }) })).json();
  assertEquals(JSON.parse(whole.candidates[0].content.parts[0].text).next_speaker, "user");
  assertEquals(server.log.entries.map((entry) => entry.event === "request" ? entry.kind : entry.event), [
    "side",
    "side",
    "side",
  ]);
});

Deno.test("startLabServer() refuses in each vendor's words", async () => {
  await using server = startLabServer({ respond: () => [{ do: "refuse", status: 429, message: "Slow down" }] });
  for (const wire of Object.keys(WIRES) as Wire[]) {
    assertStringIncludes(await post(server, wire, CLIENTS[wire].body("again", false)), "Slow down");
  }
});
