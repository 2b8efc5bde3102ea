import { asArray, asObject, asString, type JsonObject, parseObject } from "./json.ts";
import type { EventStream } from "./loopback.ts";
import {
  type ModelApi,
  type ModelServer,
  type ModelServerOptions,
  type PlayContext,
  startModelServer,
} from "./model_server.ts";
import { openaiToolCall } from "./openai_tools.ts";
import { chunks, type Step } from "./steps.ts";

export type { ModelServer, ModelServerOptions } from "./model_server.ts";

/**
 * Starts a model server that speaks as much of the Responses API as Codex CLI uses (observed with 0.53.0 to 0.169.0).
 *
 * Codex asks on its own account for a title of each conversation; that is answered aside and eats no turn.
 */
export function startOpenAiServer(options: ModelServerOptions): ModelServer {
  return startModelServer([RESPONSES_API], options);
}

/** OpenAI's Responses API. */
export const RESPONSES_API: ModelApi = {
  basePath: "/v1",
  repliesAt: (path) => path === "/responses",
  read: (headers, body) => ({
    thread: headers.get("thread-id") ?? headers.get("session-id") ?? headers.get("session_id") ??
      headers.get("conversation_id") ?? asString(body["prompt_cache_key"]),
    model: asString(body["model"]),
    prompts: asArray(body["input"]).map(asObject).filter((item) => item["role"] === "user").map(textOf).filter(isTyped),
  }),
  sideAnswer(headers, body) {
    const meta = parseObject(headers.get("x-codex-turn-metadata") ?? "");
    const schema = asObject(asObject(asObject(body["text"])["format"])["schema"]);
    const asksOnlyForTitle = Object.keys(asObject(schema["properties"])).join() === "title";
    return meta["thread_source"] === "thread_title" || asksOnlyForTitle ? `{"title":"Mock title"}` : undefined;
  },
  play,
  refusal: (step) => ({
    error: {
      message: step.message ?? "The model server was told to refuse",
      type: "server_error",
      code: "refused",
      ...(step.isLimit ? { type: "usage_limit_reached", plan_type: "pro", resets_in_seconds: 7500 } : step.error),
    },
  }),
  other: (method, path) => method === "GET" && path === "/models" ? Response.json({ data: [], models: [] }) : undefined,
};

function textOf(message: JsonObject): string {
  return asArray(message["content"]).map((part) => asString(asObject(part)["text"])).join("\n");
}

/** Codex sends its environment, skills and the project's instructions as user messages, too. */
function isTyped(text: string): boolean {
  return !/^\s*<([a-z_]+)>[\s\S]*<\/\1>\s*$/.test(text) && !text.startsWith("# AGENTS.md instructions");
}

async function play(
  stream: EventStream,
  steps: readonly Step[],
  context: PlayContext,
): Promise<"sent" | "closed" | "cut"> {
  let sequence = 0;
  const send = (type: string, fields: JsonObject) =>
    stream.send(type, { type, sequence_number: sequence++, ...fields });
  const response = { id: `resp_${context.n}`, object: "response", model: context.model };
  const output: JsonObject[] = [];
  const sendItem = (item: JsonObject) => {
    send("response.output_item.done", { output_index: output.length, item });
    output.push(item);
  };

  send("response.created", { response: { ...response, status: "in_progress", output: [] } });
  for (const step of steps) {
    context.onStep(step);
    const place = { output_index: output.length, item_id: `item_${context.n}_${output.length}` };
    switch (step.do) {
      case "wait":
        await stream.wait(step.ms);
        break;
      case "hold":
        await stream.hold(context.released());
        break;
      case "think": {
        const item = { type: "reasoning", id: place.item_id };
        const part = { ...place, summary_index: 0 };
        send("response.output_item.added", { ...place, item: { ...item, summary: [] } });
        send("response.reasoning_summary_part.added", { ...part, part: { type: "summary_text", text: "" } });
        send("response.reasoning_summary_text.delta", { ...part, delta: step.text });
        send("response.reasoning_summary_text.done", { ...part, text: step.text });
        await stream.wait(step.holdMs ?? 0);
        sendItem({ ...item, summary: [{ type: "summary_text", text: step.text }] });
        break;
      }
      case "say": {
        const phase = step.phase === "commentary" ? "commentary" : "final_answer";
        const item = { type: "message", id: place.item_id, role: "assistant", phase };
        const part = { ...place, content_index: 0 };
        send("response.output_item.added", { ...place, item: { ...item, status: "in_progress", content: [] } });
        send("response.content_part.added", { ...part, part: { type: "output_text", text: "", annotations: [] } });
        for (const delta of chunks(step.text, step.chunkChars ?? 16)) {
          send("response.output_text.delta", { ...part, delta });
          if (step.chunkMs !== undefined) await stream.wait(step.chunkMs);
        }
        send("response.output_text.done", { ...part, text: step.text });
        const content = [{ type: "output_text", text: step.text, annotations: [] }];
        sendItem({ ...item, status: "completed", content });
        break;
      }
      case "shell":
      case "write":
      case "ask":
      case "call": {
        const call = openaiToolCall(step, context.body);
        const item = { ...call, id: place.item_id, call_id: `call_${context.n}_${output.length}` };
        send("response.output_item.added", { ...place, item: { ...item, status: "in_progress" } });
        sendItem({ ...item, status: "completed" });
        break;
      }
      case "break":
        if (step.error === undefined) return "cut";
        send("response.failed", { response: { ...response, status: "failed", error: step.error } });
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
  send("response.completed", { response: { ...response, status: "completed", output, usage: USAGE } });
  return "sent";
}

const USAGE = {
  input_tokens: 1200,
  input_tokens_details: { cached_tokens: 0 },
  output_tokens: 40,
  output_tokens_details: { reasoning_tokens: 0 },
  total_tokens: 1240,
};
