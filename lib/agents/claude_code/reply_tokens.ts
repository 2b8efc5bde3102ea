import { type JsonObject, numberOf, objectOf, textOf } from "../../base/text/json.ts";
import { type TokenUsage, type Usage, usageSince } from "../../base/usage.ts";

/**
 * Counts what replies of Claude Code cost. Each block of a reply comes as a line of its own; of the output, the first
 * of them knows only a beginning in some versions, so that later ones count as far as they know of more.
 */
export function countReplies(): (
  message: JsonObject,
) => readonly { readonly model: string; readonly tokens: TokenUsage }[] {
  const counted = new Map<string, Usage>();
  return (message) => {
    const id = textOf(message["id"]) ?? "";
    const model = textOf(message["model"]) ?? "unknown";
    // Errors come as messages that no model wrote.
    if (id === "" || model === "<synthetic>") return [];
    const usage = { [model]: readClaudeTokens(objectOf(message["usage"])) };
    const more = usageSince(counted.get(id) ?? {}, usage)[model];
    if (more === undefined || more.outputTokens < 0) return [];
    counted.set(id, usage);
    return [{ model, tokens: more }];
  };
}

export function readClaudeTokens(usage: JsonObject): TokenUsage {
  const cached = numberOf(usage["cache_read_input_tokens"]) ?? 0;
  const written = numberOf(usage["cache_creation_input_tokens"]) ?? 0;
  return {
    inputTokens: (numberOf(usage["input_tokens"]) ?? 0) + cached + written,
    cachedInputTokens: cached,
    ...(written === 0 ? {} : { cacheWriteInputTokens: written }),
    outputTokens: numberOf(usage["output_tokens"]) ?? 0,
  };
}
