import { plainName } from "../../journal/exec/place.ts";
import type { RunSummary } from "../../journal/exec/summary.ts";
import { condense } from "../../base/text/condense.ts";
import { fenced } from "../../base/text/markdown.ts";
import { markdownLine } from "../../base/text/markdown_line.ts";
import { sanitizeLine, sanitizeText } from "../../base/text/sanitize.ts";
import { doneText, SUMMARY_COLUMNS, summaryRows } from "./table.ts";

/** Lines of a failed check's output that are in the summary: what it may have is limited to 1 MiB a step. */
const MAX_OUTPUT_LINES = 60;

const MAX_WARNINGS = 50;

interface RunVerdict {
  /** The command that answers a question. */
  readonly answerCommand: (question: string) => string;
  readonly outcome: string;
  readonly reason: string;
  readonly resumeCommand?: string | undefined;
}

export function jobSummary(summary: RunSummary, { outcome, reason, resumeCommand, answerCommand }: RunVerdict): string {
  const rows = [SUMMARY_COLUMNS.map((title) => title.charAt(0) + title.slice(1).toLowerCase()), ...summaryRows(summary)]
    .map((row) => `| ${row.map(markdownLine).join(" | ")} |`);
  const [head = "", ...body] = rows;
  const warnings = [
    ...(summary.judged?.remarks ?? []).map((remark) => `Remark: ${remark}`),
    ...[...new Set(summary.warnings)].map((warning) => `Warning: ${warning}`),
  ].slice(0, MAX_WARNINGS);
  const waits = summary.tasks.flatMap(({ file, steps }) =>
    steps.flatMap(({ name, questions = [] }) =>
      questions.flatMap(({ id, text }) => [
        `**${markdownLine(plainName(file))}, ${markdownLine(name)}** waits for an answer to ${markdownLine(id)}:`,
        fenced(condense(sanitizeText(text), { maxLines: MAX_OUTPUT_LINES })),
        `Answer with:\n\n${fenced(sanitizeLine(answerCommand(id)))}`,
      ])
    )
  );
  const failed = summary.tasks.flatMap(({ file, steps }) =>
    steps.filter((step) => step.outcome === "fail").flatMap(({ name, reason: why = "", failedCheck }) => [
      `**${markdownLine(plainName(file))}, ${markdownLine(name)}**: ${markdownLine(why)}`,
      ...(failedCheck === undefined || failedCheck.output.trim() === ""
        ? []
        : [fenced(condense(sanitizeText(failedCheck.output), { maxLines: MAX_OUTPUT_LINES }))]),
    ])
  );
  return [
    `## panewright: ${markdownLine(outcome)}`,
    `${markdownLine(reason)}${summary.isFolder ? ` (${doneText(summary)})` : ""}`,
    ...waits,
    ...(body.length === 0 ? [] : [[head, `|${" --- |".repeat(SUMMARY_COLUMNS.length)}`, ...body].join("\n")]),
    ...failed,
    ...(warnings.length === 0 ? [] : [warnings.map((each) => `- ${markdownLine(each)}`).join("\n")]),
    ...(resumeCommand === undefined ? [] : [`Resume with:\n\n${fenced(sanitizeLine(resumeCommand))}`]),
  ].join("\n\n") + "\n";
}
