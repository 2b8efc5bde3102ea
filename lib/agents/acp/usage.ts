import type { AcpUsageSource } from "./acp_provider.ts";
import { arrayOf, objectOf, textOf } from "../../base/text/json.ts";
import { addUsage, type TokenUsage, type Usage } from "../../base/usage.ts";
import type { AcpCost } from "./update.ts";

/** What a session over ACP has used, as far as the agent has told this process. */
export interface UsageState {
  /** By model; `unknown` stands for one that the agent does not name. */
  readonly tokens: Usage;
  /** Tokens in the model's context, and how many there is room for. */
  readonly context?: { readonly used: number; readonly size: number };
  readonly cost?: AcpCost;
}

/** How the tokens in the reply to a prompt are to be read. */
export interface UsageRules {
  readonly sources: readonly AcpUsageSource[];
  /** The model where a reply does not name it. */
  readonly model: string | undefined;
}

/**
 * Adds the tokens that the reply to a prompt tells of, by the first source of the pack that is there: those of a turn
 * are added up, those of a session take the place of what was told before.
 */
export function addReplyUsage(
  state: UsageState,
  reply: unknown,
  { sources, model = "unknown" }: UsageRules,
): UsageState {
  const { usage, _meta: meta } = objectOf(reply);
  for (const { from, of } of sources) {
    const told = from === "prompt"
      ? promptUsage(usage, model)
      : from === "quota"
      ? quotaUsage(objectOf(meta)["quota"], model)
      : undefined;
    if (told !== undefined) return { ...state, tokens: of === "session" ? told : addUsage(state.tokens, told) };
  }
  return state;
}

/**
 * Adds the tokens that stand beside a piece of a message, where the pack says that they do: those of one request to the
 * model.
 */
export function addMessageUsage(
  state: UsageState,
  given: unknown,
  { sources, model = "unknown" }: UsageRules,
): UsageState {
  const told = sources.some(({ from }) => from === "message") ? promptUsage(given, model) : undefined;
  return told === undefined ? state : { ...state, tokens: addUsage(state.tokens, told) };
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

/** `_meta.quota` of a reply, with or without a list of models. */
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
