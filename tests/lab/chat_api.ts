import { asArray, asObject, asString, type JsonObject } from "./json.ts";
import type { EventStream } from "./loopback.ts";
import type { ModelApi, PlayContext } from "./model_server.ts";
import { chunks, type Step } from "./steps.ts";
import { toolCall } from "./tools.ts";

/**
 * As much of OpenAI's chat completions as Copilot CLI (1.0.102), OpenCode (1.18.33) and Qwen Code (0.24.4) use.
 *
 * Requests that offer no tools are the client's own (a title, a summary); they are answered aside.
 */
export const CHAT_API: ModelApi = {
  basePath: "/v1",
  repliesAt: (path) => path === "/chat/completions",
  read: (headers, body) => {
    const prompts = asArray(body["messages"]).map(asObject).filter((message) => message["role"] === "user")
      .map(typedText).filter((text) => text !== "");
    return { thread: headers.get("x-session-id") ?? prompts[0] ?? "", model: asString(body["model"]), prompts };
  },
  sideAnswer: (_headers, body) => offeredTools(body).length > 1 ? undefined : "Mock title",
  whole: (text, { body }) =>
    body["stream"] === true ? undefined : {
      ...head(0, asString(body["model"])),
      object: "chat.completion",
      choices: [{ index: 0, message: { role: "assistant", content: text }, finish_reason: "stop" }],
      usage: USAGE,
    },
  play,
  refusal: (step) => ({
    error: step.isLimit
      ? QUOTA
      : { message: step.message ?? "The model server was told to refuse", type: "server_error", ...step.error },
  }),
  other: (method, path) =>
    method === "GET" && path === "/models" ? Response.json({ object: "list", data: [] }) : undefined,
};

/** What a person typed in a message: no reminders of the client. */
function typedText(message: JsonObject): string {
  const content = message["content"];
  const texts = typeof content === "string"
    ? [content]
    : asArray(content).map((part) => asString(asObject(part)["text"]));
  return texts.map((text) => text.replace(/<(system[-_]reminder|current_datetime|reminder|context)>[^]*?<\/\1>/g, ""))
    .join("\n").trim();
}

function offeredTools(body: JsonObject): readonly string[] {
  return asArray(body["tools"]).map((tool) => asString(asObject(asObject(tool)["function"])["name"]));
}

function head(n: number, model: string): JsonObject {
  return { id: `chatcmpl-${n}`, object: "chat.completion.chunk", created: 1_800_000_000, model };
}

async function play(
  stream: EventStream,
  steps: readonly Step[],
  context: PlayContext,
): Promise<"sent" | "closed" | "cut"> {
  const send = (choice: JsonObject | undefined, fields: JsonObject = {}) =>
    stream.send(undefined, {
      ...head(context.n, context.model),
      choices: choice === undefined ? [] : [{ index: 0, finish_reason: null, ...choice }],
      ...fields,
    });
  let calls = 0;
  send({ delta: { role: "assistant", content: "" } });
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
        send({ delta: { reasoning_content: step.text } });
        await stream.wait(step.holdMs ?? 0);
        break;
      case "say":
        for (const content of chunks(step.text, step.chunkChars ?? 16)) {
          send({ delta: { content } });
          if (step.chunkMs !== undefined) await stream.wait(step.chunkMs);
        }
        break;
      case "shell":
      case "write":
      case "ask":
      case "call": {
        const { name, input } = toolCall(step, offeredTools(context.body));
        const call = { index: calls, id: `call_${context.n}_${calls}`, type: "function" };
        send({ delta: { tool_calls: [{ ...call, function: { name, arguments: JSON.stringify(input) } }] } });
        calls++;
        break;
      }
      case "break":
        if (step.error === undefined) return "cut";
        stream.send(undefined, { error: step.error });
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
  send({ delta: {}, finish_reason: calls > 0 ? "tool_calls" : "stop" });
  send(undefined, { usage: USAGE });
  stream.send(undefined, "[DONE]");
  return "sent";
}

const QUOTA = {
  message: "You exceeded your current quota, please check your plan and billing details.",
  type: "insufficient_quota",
  param: null,
  code: "insufficient_quota",
};

const USAGE = { prompt_tokens: 1200, completion_tokens: 40, total_tokens: 1240 };
