import { addUsage, type TokenUsage, type Usage } from "../../base/usage.ts";

/** The tokens of an attempt, by model. */
export class UsageTotals {
  #usage: Usage = {};

  /** Adds what one reply cost. */
  add(model: string, tokens: TokenUsage): void {
    this.#usage = addUsage(this.#usage, { [model]: tokens });
  }

  /** Takes over what the CLI says that all of it cost. */
  replace(usage: Usage): void {
    this.#usage = usage;
  }

  byModel(): Usage {
    return this.#usage;
  }

  get isEmpty(): boolean {
    return Object.keys(this.#usage).length === 0;
  }
}
