import type { AcpUsageSource } from "../packs/pack.ts";
import { arrayOf, objectOf, textOf } from "../../base/text/json.ts";
import { addUsage, type TokenUsage, type Usage } from "../../base/usage.ts";
import type { AcpCost } from "./protocol/update.ts";

export interface UsageState {
  readonly tokens: Usage;
  readonly context?: { readonly used: number; readonly size: number };
  readonly cost?: AcpCost;
}

export interface UsageRules {
  readonly sources: readonly AcpUsageSource[];
  readonly model: string | undefined;
}

/** What a reply to a prompt, or a message, tells of what was used. */
export function addToldUsage(
  state: UsageState,
  told: { readonly from: "prompt" | "message"; readonly usage: unknown; readonly meta?: unknown },
  { sources, model = "unknown" }: UsageRules,
): UsageState {
  for (const { from, of } of sources) {
    const used = from === told.from
      ? promptUsage(told.usage, model)
      : from === "quota"
      ? quotaUsage(objectOf(told.meta)["quota"], model)
      : undefined;
    if (used !== undefined) return { ...state, tokens: of === "session" ? used : addUsage(state.tokens, used) };
  }
  return state;
}

/**
 * `usage` of a reply. Some agents count what came from a cache, or was written to one, as a part of the input, and some
 * beside it: the total tells.
 */
function promptUsage(given: unknown, model: string): Usage | undefined {
  const usage = objectOf(given);
  const [input, output] = [countOf(usage["inputTokens"]), countOf(usage["outputTokens"])];
  if (input === undefined || output === undefined) return undefined;
  const cached = countOf(usage["cachedReadTokens"]) ?? 0;
  const written = countOf(usage["cachedWriteTokens"]) ?? 0;
  const total = countOf(usage["totalTokens"]) ?? Infinity;
  const beside = total < input + output + cached + written ? 0 : cached + written;
  return { [model]: tokensOf({ input: input + beside, output, cached, written }) };
}

function quotaUsage(given: unknown, model: string): Usage | undefined {
  const quota = objectOf(given);
  const byModel = arrayOf(quota["model_usage"]).map(objectOf).flatMap((one) => {
    const tokens = quotaTokens(one["token_count"]);
    return tokens === undefined ? [] : [{ [textOf(one["model"]) ?? model]: tokens }];
  });
  if (byModel.length > 0) return byModel.reduce(addUsage, {} as Usage);
  const tokens = quotaTokens(quota["token_count"]);
  return tokens === undefined ? undefined : { [model]: tokens };
}

/** Gemini CLI (0.61.0) writes `input_tokens`, the adapters of Claude Code and Codex `inputTokens`. */
function quotaTokens(given: unknown): TokenUsage | undefined {
  const count = objectOf(given);
  const of = (...names: readonly string[]) =>
    names.map((name) => countOf(count[name])).find((one) => one !== undefined);
  const [input, output] = [of("inputTokens", "input_tokens"), of("outputTokens", "output_tokens")];
  if (input === undefined || output === undefined) return undefined;
  const cached = of("cachedInputTokens", "cached_input_tokens") ?? 0;
  const written = of("cachedWriteTokens", "cacheWriteInputTokens") ?? 0;
  return tokensOf({ input: Math.max(input, cached + written), output, cached, written });
}

function tokensOf(
  { input, output, cached, written }: Readonly<Record<"input" | "output" | "cached" | "written", number>>,
): TokenUsage {
  return {
    inputTokens: input,
    cachedInputTokens: cached,
    ...(written === 0 ? {} : { cacheWriteInputTokens: written }),
    outputTokens: output,
  };
}

function countOf(value: unknown): number | undefined {
  return typeof value === "number" && Number.isSafeInteger(value) && value >= 0 ? value : undefined;
}
