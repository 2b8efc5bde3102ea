import { assertEquals } from "@std/assert";
import { walk } from "@std/fs";
import { client, ndJsonStream } from "@agentclientprotocol/sdk";
import { ACP_QUESTIONS } from "../../../../lib/agents/acp/protocol/questions.ts";
import { fakeAcpAgent } from "../../../support/acp_fake.ts";
import { tempDir } from "../../../support/temp_dir.ts";
import { ask, openFake } from "./support.ts";

const ROOT = new URL("../../../../", import.meta.url).pathname;

Deno.test("the protocol's own library is for its types and for tests: no start of panewright loads it", async () => {
  const loads: string[] = [];
  for await (const { path } of walk(`${ROOT}lib`, { exts: [".ts"], includeDirs: false })) {
    if (/^(?:import|export) (?!type\b)[^;]*"@agentclientprotocol\/sdk"/m.test(await Deno.readTextFile(path))) {
      loads.push(path);
    }
  }
  assertEquals(loads, []);
});

Deno.test("every message of ours is as the protocol's own library has it", async () => {
  const agent = `${ROOT}tests/agents/acp/protocol/library_agent.ts`;
  const argv = [Deno.execPath(), "run", "--quiet", "--no-check", "-A", `--config=${ROOT}deno.json`, agent] as const;
  await using fake = await openFake({
    plan: { argv: [...argv] as [string, ...string[]], env: {}, cwd: ROOT },
    with: { elicitation: () => Promise.resolve({ action: "accept", content: { port: 80 } }) },
  });
  const { connection, events } = fake;
  await ask(connection, ACP_QUESTIONS.authenticate("key"));
  const { sessionId, modes, options: offered } = await ask(connection, ACP_QUESTIONS.newSession(ROOT));
  assertEquals([sessionId, modes?.current, offered?.[0]?.id], ["s", "ask", "model"]);
  await ask(connection, ACP_QUESTIONS.setMode({ sessionId, modeId: "auto" }));
  const { options } = await ask(connection, ACP_QUESTIONS.setOption({ sessionId, configId: "model", value: true }));
  assertEquals(options?.map(({ value }) => value), ["on"]);
  assertEquals((await ask(connection, ACP_QUESTIONS.load({ sessionId, cwd: ROOT }))).modes?.current, "ask");
  assertEquals((await ask(connection, ACP_QUESTIONS.resume({ sessionId, cwd: ROOT }))).modes?.current, "ask");
  const { written, result: reply } = connection.call(ACP_QUESTIONS.prompt(sessionId, "Do it."));
  await written;
  assertEquals((await reply).stopReason, "end_turn");
  assertEquals(events, [
    'say [{"text":"Do it.","type":"text"}]',
    "ask ls",
    'say {"outcome":{"outcome":"selected","optionId":"yes"}}',
    'say {"action":"accept","content":{"port":80}}',
  ]);
  await connection.cancel(sessionId);
  assertEquals([connection.troubles(), connection.stderrTail()], [{}, []]);
});

Deno.test("every message of a fake agent that behaves is as the protocol's own library has it", async () => {
  await using dir = await tempDir();
  const fake = await fakeAcpAgent(dir.path, {
    models: ["m"],
    configOptions: [{ id: "o", name: "O", type: "boolean", currentValue: true }],
    turns: [{
      steps: [
        { think: "hm" },
        { say: "hello" },
        { plan: [{ content: "look", status: "in_progress" }] },
        { call: "c", fields: { title: "ls", kind: "execute" } },
        { call: "c", status: "completed" },
        { usage: { used: 1, size: 2, cost: { amount: 0.1, currency: "USD" } } },
        { permission: "rm x", command: "rm x" },
        { permission: "edit y", path: "/y" },
        { elicit: "Which?" },
      ],
    }],
  });
  const child = new Deno.Command(fake.path, { stdin: "piped", stdout: "piped", stderr: "inherit" }).spawn();
  const updates: string[] = [];
  // The library leaves out an update that is not as it should be.
  await client()
    .onNotification("session/update", ({ params: { update } }) => void updates.push(update.sessionUpdate))
    .onRequest("session/request_permission", () => ({ outcome: { outcome: "selected", optionId: "yes" } }))
    .onRequest("elicitation/create", () => ({ action: "decline" }))
    .connectWith(ndJsonStream(child.stdin, child.stdout), async (agent) => {
      await agent.request("initialize", { protocolVersion: 1 });
      const { sessionId } = await agent.request("session/new", { cwd: dir.path, mcpServers: [] });
      await agent.request("session/set_mode", { sessionId, modeId: "plan" });
      await agent.request("session/prompt", { sessionId, prompt: [{ type: "text", text: "go" }] });
      await agent.request("session/load", { sessionId, cwd: dir.path, mcpServers: [] });
    });
  await child.stdin.close();
  await child.status;
  const turn = [
    ...["agent_thought_chunk", "agent_message_chunk", "plan", "tool_call", "tool_call_update", "usage_update"],
    ...["tool_call", "tool_call_update", "tool_call_update", "tool_call", "tool_call_update", "tool_call_update"],
    "agent_message_chunk",
  ];
  assertEquals(updates, ["current_mode_update", ...turn, "current_mode_update", "user_message_chunk", ...turn]);
});
