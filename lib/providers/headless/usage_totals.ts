import type { TokenUsage } from "./seam.ts";

/** The tokens of an attempt, by model. */
export class UsageTotals {
  #models = new Map<string, TokenUsage>();

  /** Adds what one reply cost. */
  add(model: string, tokens: TokenUsage): void {
    const before = this.#models.get(model) ?? { inputTokens: 0, cachedInputTokens: 0, outputTokens: 0 };
    this.#models.set(model, {
      inputTokens: before.inputTokens + tokens.inputTokens,
      cachedInputTokens: before.cachedInputTokens + tokens.cachedInputTokens,
      outputTokens: before.outputTokens + tokens.outputTokens,
    });
  }

  /** Takes over what the CLI says that all of it cost. */
  replace(usage: Readonly<Record<string, TokenUsage>>): void {
    this.#models = new Map(Object.entries(usage));
  }

  byModel(): Readonly<Record<string, TokenUsage>> {
    return Object.fromEntries(this.#models);
  }

  get isEmpty(): boolean {
    return this.#models.size === 0;
  }
}
