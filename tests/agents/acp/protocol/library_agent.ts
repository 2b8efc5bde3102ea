/**
 * An agent that the protocol's own library makes, which holds each message of ours to the protocol's schema:
 *
 *     deno run -A --config deno.json tests/agents/acp/protocol/library_agent.ts
 *
 * @module
 */
import { agent, ndJsonStream } from "@agentclientprotocol/sdk";

const modes = { currentModeId: "ask", availableModes: [{ id: "ask", name: "Ask" }, { id: "auto", name: "Auto" }] };
const option = { id: "model", name: "Model", type: "boolean" as const, currentValue: true };

const app = agent({ name: "library" })
  .onRequest("initialize", () => ({
    protocolVersion: 1,
    agentCapabilities: { loadSession: true, sessionCapabilities: { resume: {}, close: {} } },
    authMethods: [{ id: "key", name: "Key" }],
  }))
  .onRequest("authenticate", () => ({}))
  .onRequest("session/new", () => ({ sessionId: "s", modes, configOptions: [option] }))
  .onRequest("session/load", () => ({ modes }))
  .onRequest("session/resume", () => ({ modes }))
  .onRequest("session/close", () => ({}))
  .onRequest("session/set_mode", () => ({}))
  .onRequest("session/set_config_option", ({ params }) => ({
    configOptions: [{ ...option, currentValue: params.value === true }],
  }))
  .onNotification("session/cancel", () => {})
  .onRequest("session/prompt", async ({ params: { sessionId, prompt }, client }) => {
    const say = (text: string) => {
      const update = { sessionUpdate: "agent_message_chunk" as const, content: { type: "text" as const, text } };
      return client.notify("session/update", { sessionId, update });
    };
    await say(JSON.stringify(prompt));
    const toolCall = { toolCallId: "t", title: "ls", kind: "execute" as const, rawInput: { command: "ls" } };
    const options = [{ optionId: "yes", name: "Yes", kind: "allow_once" as const }];
    await say(JSON.stringify(await client.request("session/request_permission", { sessionId, toolCall, options })));
    const requestedSchema = { type: "object" as const, properties: { port: { type: "number" as const } } };
    const question = { sessionId, mode: "form" as const, message: "Which port?", requestedSchema };
    await say(JSON.stringify(await client.request("elicitation/create", question)));
    return { stopReason: "end_turn" };
  });

const output = new WritableStream<Uint8Array>({ write: async (bytes) => void await Deno.stdout.write(bytes) });
app.connect(ndJsonStream(output, Deno.stdin.readable));
