import type { ReportItem } from "../../journal/items/source.ts";
import { cutTo } from "../../journal/items/item_changes.ts";
import { runCommandLine } from "../../run/command_line.ts";
import { answerForm } from "../../journal/words/lines.ts";
import { conditionText } from "../show/run_words.ts";
import { duration, plural } from "../../journal/words/words.ts";
import { condense } from "../../base/text/condense.ts";
import { fenced } from "../../base/text/markdown.ts";
import { markdownLine } from "../../base/text/markdown_line.ts";
import { sanitizeLine, sanitizeText } from "../../base/text/sanitize.ts";
import { type Report, type ReportHeader, type ReportWaiting, waitingOf } from "./model.ts";

/** A summary has at most so many of each; it says how many there are besides. */
const MAX_ROWS = 40;
const MAX_OUTPUT_LINES = 60;
const MAX_CELL = 200;

export function reportMarkdown({ header, items }: Report): string {
  const { about, why, resumeCommand, problem, gaps } = header;
  const parts = [
    `## panewright: ${markdownLine(outcomeText(header))}`,
    why === "" ? "" : cell(why),
    `${markdownLine(factsText(header))}`,
    about === "" ? "" : `**Task**: ${cell(about)}`,
    problem === undefined ? "" : `**The journal cannot be read to its end**: ${cell(problem)}`,
    problem !== undefined || gaps.length === 0
      ? ""
      : `**Missing**: ${cell(gaps.map(({ reason }) => reason).join("; "))}`,
    ...waitingOf(header).map((waiting) => waitingText(waiting, header)),
    table(
      ["What", "Result", "After"],
      items.filter(({ kind }) => kind === "verdict").map((item) => [
        item.lane === "run" ? item.title : `${item.lane}: ${item.title}`,
        RESULTS[item.tone],
        after(header, item),
      ]),
    ),
    failureText(items),
    table(
      ["Asked", "Answer", "By"],
      header.answers.map(({ worker, asked, answer, by, giver }) => [
        `${worker}: ${asked}`,
        answer,
        giver?.kind === "program"
          ? `${by}, a program of this user`
          : by === "assume"
          ? "its best guess, to be confirmed"
          : by,
      ]),
    ),
    table(
      ["Tokens of", "Model", "In", "Of these cached", "Out"],
      header.tokens.map((row) => [
        row.worker,
        row.model,
        String(row.inputTokens),
        String(row.cachedInputTokens),
        String(row.outputTokens),
      ]),
    ),
    header.audit === undefined || header.audit.verdict === "none"
      ? ""
      : `**Audit**: ${header.audit.verdict === "intact" ? "" : "⚠ "}${cell(header.audit.text)}`,
    ...toKnow(header),
    resumeCommand === undefined ? "" : `Resume with:\n\n${fenced(sanitizeLine(resumeCommand))}`,
  ];
  return `${parts.filter((part) => part !== "").join("\n\n")}\n`;
}

const RESULTS: Readonly<Record<ReportItem["tone"], string>> = { plain: "", good: "✓", bad: "✗", caution: "again" };

function outcomeText({ condition, outcome, remarks, waiting }: ReportHeader): string {
  if (outcome === "pass") return remarks === undefined ? "PASS" : "PASS with remarks";
  if (outcome === "fail") return "FAIL";
  const question = waiting === undefined ? undefined : { ...waiting, id: waiting.id };
  return conditionText({ condition, question, answered: waiting?.answered ?? false });
}

function factsText({ runId, startedAt, endedAt, lastAt, counts, placeText }: ReportHeader): string {
  const seconds = (Date.parse(endedAt ?? lastAt) - Date.parse(startedAt)) / 1000;
  return [
    `run ${runId}`,
    ...(placeText === "" ? [] : [placeText]),
    ...(Number.isFinite(seconds) ? [duration(Math.max(0, seconds))] : []),
    plural(counts.turns, "turn"),
    plural(counts.responses, "response"),
  ].join(" · ");
}

/** What a person should know of how it went. */
function toKnow({ recovered, remarks = [], warnings }: ReportHeader): readonly string[] {
  return [
    table(["Remarks"], remarks.map((remark) => [remark])),
    recovered === undefined ? "" : `**Recovered**: ${cell(recovered)}`,
    table(["Warnings"], warnings.map(({ message }) => [message])),
  ];
}

function waitingText(
  { id, by, text, answer, answered, dialog }: ReportWaiting,
  { runId }: Pick<ReportHeader, "runId">,
): string {
  const asked = `**${markdownLine(by)} waits for a person**:\n\n${
    fenced(condense(sanitizeText(text), { maxLines: 20 }))
  }`;
  if (id === undefined || answer === "none" || answered) return asked;
  const form = dialog === undefined && answer === "question" ? '"YOUR ANSWER"' : answerForm(dialog?.questions);
  return `${asked}\n\nAnswer with:\n\n${
    fenced(`${runCommandLine(["answer", runId, "--question", id], undefined)} ${form}`)
  }`;
}

function failureText(items: readonly ReportItem[]): string {
  const last = items.findLast(({ kind }) => kind === "tests" || kind === "check");
  if (last?.tone !== "bad") return "";
  const output = last.text === undefined
    ? ""
    : `\n\n${fenced(condense(sanitizeText(last.text), { maxLines: MAX_OUTPUT_LINES }))}`;
  return `**${cell(last.title)}**${output}`;
}

function after({ startedAt }: ReportHeader, { at }: ReportItem): string {
  const seconds = (Date.parse(at) - Date.parse(startedAt)) / 1000;
  return Number.isFinite(seconds) ? duration(Math.max(0, seconds)) : "";
}

/** Nothing where there are no rows; the newest where there are too many. */
function table(columns: readonly string[], rows: readonly (readonly string[])[]): string {
  if (rows.length === 0) return "";
  const shown = rows.slice(-MAX_ROWS);
  const lines = [columns, ...shown.map((row) => row.map(cell))].map((row) => `| ${row.join(" | ")} |`);
  const [head = "", ...body] = lines;
  const more = rows.length - shown.length;
  const left = more === 0 ? [] : [`\n${plural(more, "earlier row")} left out.`];
  return [head, `|${" --- |".repeat(columns.length)}`, ...body, ...left].join("\n");
}

function cell(text: string): string {
  return markdownLine(cutTo(text, MAX_CELL));
}
