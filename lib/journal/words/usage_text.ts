import type { Cost } from "../usage.ts";
import { type ToldCost, totalUsage, type Usage } from "../../base/usage.ts";
import { sanitizeLine } from "../../base/text/sanitize.ts";

export function tokensOf(usage: Usage): string {
  const text = tokenText(usage);
  return text === "" ? "" : ` · ${text}`;
}

/** What each role or step has used, a line each; nothing where there is only one. */
export function workerTokens(
  byWorker: Readonly<Record<string, Usage>>,
  costs: Readonly<Record<string, number>> = {},
): readonly string[] {
  const all = Object.entries(byWorker).map(([worker, usage]) => [worker, tokenText(usage)] as const);
  const told = all.filter(([, text]) => text !== "");
  const costOf = (worker: string) => costs[worker] === undefined ? "" : `, cost ${money(costs[worker])}`;
  return told.length < 2 ? [] : told.map(([worker, text]) => `${worker}: ${text}${costOf(worker)}`);
}

export function costText(cost: Cost | undefined): string {
  return cost === undefined ? "" : `, cost ${money(cost.total)} by the prices of ${cost.pricesOf}`;
}

export function toldCostText(cost: ToldCost | undefined): string {
  return cost === undefined ? "" : `, ${money(Math.round(cost.amount * 1e6) / 1e6)} ${sanitizeLine(cost.currency)}`;
}

function money(amount: number): string {
  return amount >= 0.1 || amount === 0 ? amount.toFixed(2) : String(amount);
}

export function tokenText(usage: Usage): string {
  const { inputTokens, cachedInputTokens, outputTokens } = totalUsage(usage);
  if (inputTokens === 0 && outputTokens === 0) return "";
  const cached = cachedInputTokens === 0 ? "" : ` (${cachedInputTokens} cached)`;
  const models = Object.keys(usage).map(sanitizeLine).join(", ");
  return `${inputTokens} tokens in${cached}, ${outputTokens} out (${models})`;
}
