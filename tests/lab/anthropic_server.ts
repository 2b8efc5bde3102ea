import { asArray, asObject, asString, type JsonObject } from "./json.ts";
import type { EventStream } from "./loopback.ts";
import {
  type ModelApi,
  type ModelServer,
  type ModelServerOptions,
  type PlayContext,
  startModelServer,
} from "./model_server.ts";
import { chunks, type Step } from "./steps.ts";
import { toolCall } from "./tools.ts";

/**
 * Starts a model server that speaks as much of the Messages API as Claude Code uses (observed with 2.0.53 to 2.1.328).
 *
 * Requests without the client's file and shell tools are its own (a title, a summary); they are answered aside.
 */
export function startAnthropicServer(options: ModelServerOptions): ModelServer {
  return startModelServer([MESSAGES_API], options);
}

/** Anthropic's Messages API. */
export const MESSAGES_API: ModelApi = {
  basePath: "",
  repliesAt: (path) => path === "/v1/messages",
  read: (headers, body) => ({
    thread: headers.get("x-claude-code-session-id") ?? "",
    model: asString(body["model"]),
    prompts: asArray(body["messages"]).map(asObject).filter((message) => message["role"] === "user")
      .map(typedText).filter((text) => text !== ""),
  }),
  sideAnswer(_headers, body) {
    const tools = offeredTools(body);
    return tools.includes("Bash") || tools.includes("Read") ? undefined : `{"title":"Mock title","isNewTopic":true}`;
  },
  play,
  refusal: (step) => ({
    type: "error",
    error: {
      type: errorType(step.status),
      message: step.isLimit ? LIMIT : step.message ?? "The model server was told to refuse",
    },
  }),
  other(method, path) {
    if (method === "HEAD") return new Response(null);
    if (path === "/v1/messages/count_tokens") return Response.json({ input_tokens: 1234 });
    return method === "GET" && path === "/v1/models" ? Response.json({ data: [], has_more: false }) : undefined;
  },
};

/**
 * What a person typed in a message: no reminders of the client, no tool results, no marks of an interruption. That
 * something in the background has ended counts, for it begins a turn.
 */
function typedText(message: JsonObject): string {
  const content = message["content"];
  const texts = typeof content === "string"
    ? [content]
    : asArray(content).map((block) => asString(asObject(block)["text"]));
  return texts.filter((text) => !/^\s*<system-reminder>(?![^]*<task-notification>)/.test(text)).join("\n")
    .replace(/\[Request interrupted by user[^\]]*\]/g, "").replace(/\s+/g, " ").trim();
}

const LIMIT = "You've hit your session limit · resets 3pm";

function offeredTools(body: JsonObject): readonly string[] {
  return asArray(body["tools"]).map((tool) => asString(asObject(tool)["name"]));
}

function errorType(status: number): string {
  if (status === 401) return "authentication_error";
  if (status === 429) return "rate_limit_error";
  if (status === 529) return "overloaded_error";
  return status >= 500 ? "api_error" : "invalid_request_error";
}

async function play(
  stream: EventStream,
  steps: readonly Step[],
  context: PlayContext,
): Promise<"sent" | "closed" | "cut"> {
  const send = (type: string, fields: JsonObject) => stream.send(type, { type, ...fields });
  let index = 0;
  let outputTokens = 1;
  let stopReason = "end_turn";

  const sendBlock = async (block: JsonObject, deltas: Iterable<JsonObject>, pauseMs?: number) => {
    send("content_block_start", { index, content_block: block });
    for (const delta of deltas) {
      send("content_block_delta", { index, delta });
      outputTokens += 8;
      if (pauseMs !== undefined) await stream.wait(pauseMs);
    }
    send("content_block_stop", { index });
    index++;
  };

  send("message_start", {
    message: {
      id: `msg_${context.n}`,
      type: "message",
      role: "assistant",
      model: context.model,
      content: [],
      stop_reason: null,
      stop_sequence: null,
      usage: { input_tokens: 1000, cache_creation_input_tokens: 0, cache_read_input_tokens: 0, output_tokens: 1 },
    },
  });
  for (const step of steps) {
    context.onStep(step);
    switch (step.do) {
      case "wait":
        await stream.wait(step.ms);
        break;
      case "hold":
        await stream.hold(context.released());
        break;
      case "think":
        await sendBlock({ type: "thinking", thinking: "", signature: "" }, [
          { type: "thinking_delta", thinking: step.text },
          { type: "signature_delta", signature: "bW9jaw==" },
        ], step.holdMs);
        break;
      case "say": {
        const texts = [...chunks(step.text, step.chunkChars ?? 16)];
        await sendBlock({ type: "text", text: "" }, texts.map((text) => ({ type: "text_delta", text })), step.chunkMs);
        break;
      }
      case "shell":
      case "write":
      case "ask":
      case "call": {
        const { name, input } = toolCall(step, offeredTools(context.body));
        const block = { type: "tool_use", id: `toolu_${context.n}_${index}`, name, input: {} };
        await sendBlock(block, [{ type: "input_json_delta", partial_json: JSON.stringify(input) }]);
        stopReason = "tool_use";
        break;
      }
      case "break":
        if (step.error === undefined) return "cut";
        send("error", { error: { type: step.error.code, message: step.error.message } });
        return "closed";
      case "hang":
        await stream.hold(new Promise(() => {}));
        break;
      case "refuse":
        throw new TypeError("A refusal is a reply of its own");
      default:
        step satisfies never;
    }
  }
  send("message_delta", {
    delta: { stop_reason: stopReason, stop_sequence: null },
    usage: { output_tokens: outputTokens },
  });
  send("message_stop", {});
  return "sent";
}
