import type { AgentEvent } from "../agent.ts";
import { type JsonObject, numberOf, objectOf, parseJsonObject, textOf } from "../../base/text/json.ts";
import type { TokenUsage } from "../../base/usage.ts";
import { present } from "../../base/schema.ts";
import { reportedText } from "./tool_calls.ts";

/** Reads a line that `codex exec --json` prints; `model` is the one that its tokens are counted for. */
export function readReport(line: string, { model }: { readonly model: string }): readonly AgentEvent[] {
  const event = parseJsonObject(line);
  if (event === undefined) return [];
  switch (event["type"]) {
    case "thread.started": {
      const sessionId = textOf(event["thread_id"]);
      return sessionId === undefined ? [] : [{ type: "session", sessionId }];
    }
    case "item.started":
    case "item.completed":
      return readItem(objectOf(event["item"]), event["type"] === "item.started");
    case "error":
      return [{ type: "trouble", text: textOf(event["message"]) ?? "an error" }];
    case "turn.failed":
      return [{
        type: "turn_end",
        outcome: "failed",
        error: textOf(objectOf(event["error"])["message"]) ?? "the turn failed",
      }];
    case "turn.completed": {
      const usage = { [model]: readTokens(objectOf(event["usage"])) };
      // Of a session that was resumed it is the sum since its beginning (0.169.0).
      return [{ type: "cost", usage, isRough: true }, { type: "turn_end", outcome: "completed" }];
    }
    default:
      return [];
  }
}

function readItem(item: JsonObject, isStart: boolean): readonly AgentEvent[] {
  const id = textOf(item["id"]) ?? "";
  const text = textOf(item["text"]) ?? "";
  switch (item["type"]) {
    case "command_execution": {
      const reported = textOf(item["command"]) ?? "";
      const command = reportedText(reported);
      if (isStart) {
        const commands = [{ command: reported, isCertain: true }];
        return [{ type: "ran", id, command }, { type: "called", source: "stream", id, commands }];
      }
      const output = textOf(item["aggregated_output"]) ?? "";
      const exitCode = numberOf(item["exit_code"]);
      return [
        saw({ id, command, output, exitCode }),
        { type: "ended", source: "stream", id, exitCode: exitCode ?? -1, output },
      ];
    }
    case "agent_message":
      return isStart || text === "" ? [] : [{ type: "said", text }];
    case "reasoning":
      return isStart || text === "" ? [] : [{ type: "reasoned", text }];
    case "error":
      return isStart ? [] : [{ type: "trouble", text: textOf(item["message"]) ?? "an error" }];
    case "file_change":
    case "mcp_tool_call":
    case "web_search": {
      const { id: _id, type, status: _status, ...rest } = item;
      return isStart ? [] : [{ type: "ran", id, command: `${String(type)} ${JSON.stringify(rest)}` }];
    }
    default:
      return [];
  }
}

export function saw(
  { id, command, output, exitCode }: {
    readonly id: string;
    readonly command: string;
    readonly output: string;
    readonly exitCode: number | undefined;
  },
): AgentEvent {
  return { type: "saw", id, command, output, ...present({ exitCode }) };
}

export function readTokens(usage: JsonObject): TokenUsage {
  const written = numberOf(usage["cache_write_input_tokens"]) ?? 0;
  return {
    inputTokens: numberOf(usage["input_tokens"]) ?? 0,
    cachedInputTokens: numberOf(usage["cached_input_tokens"]) ?? 0,
    ...(written === 0 ? {} : { cacheWriteInputTokens: written }),
    outputTokens: numberOf(usage["output_tokens"]) ?? 0,
  };
}
