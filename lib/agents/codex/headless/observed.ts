import type { AgentEvent } from "../../agent.ts";
import { type JsonObject, numberOf } from "../../../base/text/json.ts";
import type { TokenUsage } from "../../../base/usage.ts";
import { present } from "../../../base/schema.ts";

/** A turn has come to its end. */
export function turnCompleted(finalText?: string): AgentEvent {
  return { type: "turn_end", outcome: "completed", ...present({ finalText }) };
}

/** A turn has failed; `code` is Codex' own word for why. */
export function turnFailed(error: string, code?: string): AgentEvent {
  return { type: "turn_end", outcome: "failed", error, ...present({ code }) };
}

/** What a command has written, and its end. */
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

/** The tokens of a reply, or of several, as Codex counts them. */
export function readTokens(usage: JsonObject): TokenUsage {
  const written = numberOf(usage["cache_write_input_tokens"]) ?? 0;
  return {
    inputTokens: numberOf(usage["input_tokens"]) ?? 0,
    cachedInputTokens: numberOf(usage["cached_input_tokens"]) ?? 0,
    ...(written === 0 ? {} : { cacheWriteInputTokens: written }),
    outputTokens: numberOf(usage["output_tokens"]) ?? 0,
  };
}
