import type { Cost } from "../journal/usage.ts";
import type { TokenUsage, Usage } from "../base/usage.ts";
import { didYouMean } from "../base/text/suggest.ts";
import { type TokenCounts, usageOfAll } from "../journal/usage.ts";

interface ModelPrices {
  readonly input: number;
  readonly output: number;
  readonly cachedInput?: number;
  readonly cacheWrite?: number;
}

export interface Prices {
  readonly date: string;
  readonly models: Readonly<Record<string, ModelPrices>>;
}

const MILLION = 1_000_000;

export function costIn(counts: TokenCounts, prices: Prices | undefined): { readonly cost?: Cost } {
  if (prices === undefined) return {};
  const byWorker = Object.entries(counts.byWorker).map(([worker, usage]) => [worker, costOf(usage, prices)] as const);
  return {
    cost: { total: costOf(usageOfAll(counts), prices), byWorker: Object.fromEntries(byWorker), pricesOf: prices.date },
  };
}

/**
 * What tokens have cost, to a millionth. A model without a price costs nothing here: see {@linkcode unpricedModels}.
 */
export function costOf(usage: Usage, { models }: Prices): number {
  const costs = Object.entries(usage).map(([name, tokens]) => {
    const prices = Object.hasOwn(models, name) ? models[name] : undefined;
    return prices === undefined ? 0 : costOfModel(tokens, prices);
  });
  // What is left of sums of fractions is nobody's money.
  return Math.round(costs.reduce((sum, cost) => sum + cost, 0) * MILLION) / MILLION;
}

export function unpricedModels(usage: Usage, { models }: Prices): readonly string[] {
  return Object.keys(usage).filter((name) => !Object.hasOwn(models, name));
}

export function unpricedMessage(model: string, prices: Prices | undefined): string {
  const known = Object.keys(prices?.models ?? {});
  return `there is no price for the model ${model}: its tokens are counted, and cost nothing${
    didYouMean(model, known)
  }`;
}

function costOfModel(tokens: TokenUsage, prices: ModelPrices): number {
  const { inputTokens, cachedInputTokens: cached, cacheWriteInputTokens: written = 0, outputTokens } = tokens;
  const { input, output, cachedInput = input, cacheWrite = input } = prices;
  const all = (inputTokens - cached - written) * input + cached * cachedInput + written * cacheWrite +
    outputTokens * output;
  return all / MILLION;
}
