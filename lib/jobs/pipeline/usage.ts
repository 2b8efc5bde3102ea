import type { TokenUsage } from "../../providers/headless.ts";
import type { Usage } from "./facts.ts";

/**
 * The sum of two usages, by model.
 *
 * @example
 * ```ts
 * import { assertEquals } from "@std/assert";
 * const some = { inputTokens: 10, cachedInputTokens: 4, outputTokens: 2 };
 * assertEquals(addUsage({ m: some }, { m: some, n: some }), {
 *   m: { inputTokens: 20, cachedInputTokens: 8, outputTokens: 4 },
 *   n: some,
 * });
 * ```
 */
export function addUsage(left: Usage, right: Usage): Usage {
  const sum: Record<string, TokenUsage> = { ...left };
  for (const [model, usage] of Object.entries(right)) sum[model] = addTokens(sum[model], usage);
  return sum;
}

/**
 * The tokens of all models in total.
 *
 * @example
 * ```ts
 * import { assertEquals } from "@std/assert";
 * assertEquals(totalUsage({}), { inputTokens: 0, cachedInputTokens: 0, outputTokens: 0 });
 * ```
 */
export function totalUsage(usage: Usage): TokenUsage {
  return Object.values(usage).reduce(addTokens, NO_TOKENS);
}

const NO_TOKENS: TokenUsage = { inputTokens: 0, cachedInputTokens: 0, outputTokens: 0 };

function addTokens(left: TokenUsage | undefined, right: TokenUsage): TokenUsage {
  const { inputTokens, cachedInputTokens, outputTokens } = left ?? NO_TOKENS;
  return {
    inputTokens: inputTokens + right.inputTokens,
    cachedInputTokens: cachedInputTokens + right.cachedInputTokens,
    outputTokens: outputTokens + right.outputTokens,
  };
}
