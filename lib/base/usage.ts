import { mapOf, number, object, optional, text, type ValueOf } from "./schema.ts";

const tokenUsage = object({
  /** All of the input, with what came from a cache and what was written to one. */
  inputTokens: number,
  cachedInputTokens: number,
  /** What was written to a cache; missing where nothing was, or it is not told. */
  cacheWriteInputTokens: optional(number),
  /** All of the output, with what was spent on reasoning. */
  outputTokens: number,
});

/** Tokens that a model took and gave. */
export type TokenUsage = ValueOf<typeof tokenUsage>;

export const usage = mapOf(tokenUsage);

/** Tokens by model. */
export type Usage = ValueOf<typeof usage>;

/** What an agent says that it has cost; the currency is as ISO 4217 has it: `USD`. */
export const toldCost = object({ amount: number, currency: text });

/** What {@linkcode toldCost} lets pass. */
export type ToldCost = ValueOf<typeof toldCost>;

/** No tokens. */
const NO_TOKENS: TokenUsage = { inputTokens: 0, cachedInputTokens: 0, outputTokens: 0 };

/** The sum of two usages, by model. */
export function addUsage(left: Usage, right: Usage): Usage {
  const sum: Record<string, TokenUsage> = { ...left };
  for (const [model, tokens] of Object.entries(right)) sum[model] = addTokens(sum[model] ?? NO_TOKENS, tokens);
  return sum;
}

/** What a usage has more than an earlier one, by model; less than nothing where it was told too high before. */
export function usageSince(before: Usage, after: Usage): Usage {
  const less = Object.entries(before).map(([model, tokens]) => [model, scaled(tokens, -1)] as const);
  const sum = Object.entries(addUsage(Object.fromEntries(less), after));
  return Object.fromEntries(sum.filter(([, tokens]) => Object.values(tokens).some((count) => count !== 0)));
}

/** The tokens of all models in total. */
export function totalUsage(usage: Usage): TokenUsage {
  return Object.values(usage).reduce(addTokens, NO_TOKENS);
}

/** The tokens of all models, in and out. */
export function tokensIn(usage: Usage): number {
  const { inputTokens, outputTokens } = totalUsage(usage);
  return inputTokens + outputTokens;
}

/** The sum of two counts. */
function addTokens(left: TokenUsage, right: TokenUsage): TokenUsage {
  const written = (left.cacheWriteInputTokens ?? 0) + (right.cacheWriteInputTokens ?? 0);
  return {
    inputTokens: left.inputTokens + right.inputTokens,
    cachedInputTokens: left.cachedInputTokens + right.cachedInputTokens,
    ...(written === 0 ? {} : { cacheWriteInputTokens: written }),
    outputTokens: left.outputTokens + right.outputTokens,
  };
}

function scaled(tokens: TokenUsage, by: number): TokenUsage {
  const { inputTokens, cachedInputTokens, cacheWriteInputTokens = 0, outputTokens } = tokens;
  return {
    inputTokens: inputTokens * by,
    cachedInputTokens: cachedInputTokens * by,
    ...(cacheWriteInputTokens === 0 ? {} : { cacheWriteInputTokens: cacheWriteInputTokens * by }),
    outputTokens: outputTokens * by,
  };
}
