import { type Giver, processWords } from "../../base/terms.ts";
import { cut } from "../../base/text/display_width.ts";
import { oneLine } from "../../base/text/lines.ts";
import { sanitizeLine, sanitizeText } from "../../base/text/sanitize.ts";
import type { Cost } from "../usage.ts";
import { type ToldCost, totalUsage, type Usage } from "../../base/usage.ts";
import type { AgentQuestion } from "../../base/question.ts";

export type Tone = "plain" | "heading" | "good" | "bad" | "caution";

/**
 * Who is shown a line.
 *
 * - `result`: it belongs to standard output; `always`: also with `--quiet`
 * - `normal`: without flags; `detail`: with `--verbose` only
 * - `log`: like `detail`, and without flags where no live line shows it
 */
type Importance = "result" | "always" | "normal" | "log" | "detail";

/** One fact for a person. Its text holds nothing that a terminal would act upon; it may be several lines. */
export interface ShownLine {
  readonly text: string;
  readonly tone: Tone;
  readonly importance: Importance;
  /** Moments that stand in the text as they are on record, ISO 8601: who shows it writes them as its reader's time. */
  readonly times?: readonly string[];
}

export function line(value: string, tone: Tone = "plain", importance: Importance = "normal"): ShownLine {
  return { text: sanitizeLine(value), tone, importance };
}

/** A line in whose text these moments stand. */
export function timed(shown: ShownLine, given: readonly (string | undefined)[]): ShownLine {
  const times = given.filter((at) => at !== undefined);
  return times.length === 0 ? shown : { ...shown, times };
}

export function paragraph(value: string, tone: Tone = "plain", importance: Importance = "normal"): ShownLine {
  return { text: sanitizeText(value), tone, importance };
}

export function detail(value: string): ShownLine {
  return line(value, "plain", "detail");
}

export function giverDetail(giver: Giver | undefined): readonly ShownLine[] {
  return giver === undefined ? [] : [detail(`it was given by ${processWords(giver)}`)];
}

export function note(why: string | undefined): string {
  return why === undefined || why === "" ? "" : `: ${why}`;
}

const ACTIVITY_WIDTH = 160;

/** A text of an agent's in one line that is not too long. */
export function shortened(value: string): string {
  return cut(sanitizeLine(oneLine(value)), ACTIVITY_WIDTH);
}

export function outputOf(output: string): readonly ShownLine[] {
  return output === "" ? [] : [paragraph(output, "plain", "detail")];
}

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

const REQUESTS: Readonly<Record<string, string>> = {
  command: "wants to run a command",
  patch: "wants to change files",
  file_edit: "wants to change a file",
  file_write: "wants to write a file",
  question: "asks a question",
  plan: "wants its plan approved",
  trust: "asks whether to trust the folder",
  login: "asks for a login",
  update: "offers an update",
  hooks: "asks about hooks",
  other: "shows a dialog that is not recognised",
  choice: "asks for a choice",
  host: "asks about a host",
};

export function dialogRequest(
  { kind, subject }: { readonly kind: string; readonly subject?: string | undefined },
): string {
  const request = REQUESTS[kind] ?? `shows a dialog about ${kind.replaceAll("_", " ")}`;
  if (subject !== undefined || !request.endsWith(" command") && !/ files?$/.test(request)) return request;
  return `${request} that ${kind === "patch" ? "are" : "is"} not shown`;
}

/**
 * What stands in a command line for the answer to a dialog.
 *
 * @param questions what it asks; missing where it asks for a yes or a no
 */
export function answerForm(questions: readonly AgentQuestion[] | undefined): string {
  if (questions === undefined) return "yes|no";
  return questions.length === 1 ? '"YOUR ANSWER"' : questions.map((_, index) => `"ANSWER ${index + 1}"`).join(" ");
}
