import { asArray, asObject, asString, type JsonObject } from "./json.ts";
import type { EventStream } from "./loopback.ts";
import type { ModelApi, PlayContext } from "./model_server.ts";
import { chunks, type Step } from "./steps.ts";
import { toolCall } from "./tools.ts";

/**
 * As much of Gemini's generateContent as Gemini CLI (0.61.0) uses.
 *
 * Requests that offer no shell are the client's own (a route, a title, who speaks next); they are answered aside.
 */
export const GEMINI_API: ModelApi = {
  basePath: "",
  repliesAt: (path) => /:(?:streamG|g)enerateContent$/.test(path),
  read: (_headers, body) => {
    const prompts = asArray(body["contents"]).map(asObject).filter((content) => content["role"] === "user")
      .map(typedText).filter((text) => text !== "");
    return { thread: prompts[0] ?? "", model: "gemini", prompts };
  },
  sideAnswer: (_headers, body) => offeredTools(body).includes("run_shell_command") ? undefined : SIDE_ANSWER,
  whole: (text, { path }) =>
    path.endsWith(":generateContent") ? chunk(0, [{ text }], { finishReason: "STOP" }) : undefined,
  play,
  refusal: (step) => ({
    error: {
      code: step.status,
      message: step.message ?? "The model server was told to refuse",
      status: step.status === 429 ? "RESOURCE_EXHAUSTED" : "INTERNAL",
      ...(step.isLimit ? QUOTA : step.error),
    },
  }),
  other: (method, path) => {
    if (method === "POST" && path.endsWith(":countTokens")) return Response.json({ totalTokens: 1234 });
    return method === "GET" && path.endsWith("/models") ? Response.json({ models: [] }) : undefined;
  },
};

/** What Gemini CLI wants to hear of whichever model it asks aside: which one to take, and whose turn it is. */
const SIDE_ANSWER = JSON.stringify({
  reasoning: "mock",
  model_choice: "flash",
  complexity_reasoning: "mock",
  complexity_score: 5,
  next_speaker: "user",
});

/** What a person typed: neither the results of tools nor what the client tells of the session. */
function typedText(content: JsonObject): string {
  return asArray(content["parts"]).map((part) => asString(asObject(part)["text"]))
    .filter((text) => !/^\s*<session_context>/.test(text)).join("\n").trim();
}

function offeredTools(body: JsonObject): readonly string[] {
  return asArray(body["tools"]).flatMap((tool) => asArray(asObject(tool)["functionDeclarations"]))
    .map((declaration) => asString(asObject(declaration)["name"]));
}

const QUOTA = {
  message: "You exceeded your current quota, please check your plan and billing details.",
  details: [{
    "@type": "type.googleapis.com/google.rpc.QuotaFailure",
    violations: [{
      quotaMetric: "generativelanguage.googleapis.com/generate_requests_per_model_per_day",
      quotaId: "GenerateRequestsPerDayPerProjectPerModel",
    }],
  }],
};

function chunk(n: number, parts: readonly JsonObject[], fields: JsonObject = {}): JsonObject {
  return {
    candidates: [{ index: 0, content: { role: "model", parts }, ...fields }],
    usageMetadata: { promptTokenCount: 1200, candidatesTokenCount: 40, totalTokenCount: 1240 },
    modelVersion: "mock",
    responseId: `response-${n}`,
  };
}

async function play(
  stream: EventStream,
  steps: readonly Step[],
  context: PlayContext,
): Promise<"sent" | "closed" | "cut"> {
  const send = (parts: readonly JsonObject[], fields?: JsonObject) =>
    stream.send(undefined, chunk(context.n, parts, fields));
  let calls = 0;
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
        send([{ text: step.text, thought: true }]);
        await stream.wait(step.holdMs ?? 0);
        break;
      case "say":
        for (const text of chunks(step.text, step.chunkChars ?? 16)) {
          send([{ text }]);
          if (step.chunkMs !== undefined) await stream.wait(step.chunkMs);
        }
        break;
      case "shell":
      case "write":
      case "ask":
      case "call": {
        const { name, input: args } = toolCall(step, offeredTools(context.body));
        send([{ functionCall: { id: `call_${context.n}_${calls++}`, name, args } }]);
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
  send([{ text: "" }], { finishReason: "STOP" });
  return "sent";
}
