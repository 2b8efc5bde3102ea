import { plainName } from "../../jobs/pipeline/task_folder.ts";
import type { RunSummary } from "../../jobs/pipeline/summary.ts";
import { condense } from "../../text/condense.ts";
import { fenced } from "../../text/markdown.ts";
import { sanitizeLine, sanitizeText } from "../../text/sanitize.ts";
import { doneText, SUMMARY_COLUMNS, summaryRows } from "./table.ts";

/** Lines of a failed check's output that are in the summary: what it may have is limited to 1 MiB a step. */
const MAX_OUTPUT_LINES = 60;

/** How a run has ended, for {@linkcode jobSummary}. */
export interface RunVerdict {
  readonly outcome: string;
  readonly reason: string;
  readonly resumeCommand?: string | undefined;
}

/** A run in Markdown, for the summary of a job of GitHub Actions. What agents and programs wrote stays text. */
export function jobSummary(summary: RunSummary, { outcome, reason, resumeCommand }: RunVerdict): string {
  const rows = [SUMMARY_COLUMNS.map((title) => title.charAt(0) + title.slice(1).toLowerCase()), ...summaryRows(summary)]
    .map((row) => `| ${row.map(plain).join(" | ")} |`);
  const [head = "", ...body] = rows;
  const failed = summary.tasks.flatMap(({ file, steps }) =>
    steps.filter((step) => step.outcome === "fail").flatMap(({ name, reason: why = "", failedCheck }) => [
      `**${plain(plainName(file))}, ${plain(name)}**: ${plain(why)}`,
      ...(failedCheck === undefined || failedCheck.output.trim() === ""
        ? []
        : [fenced(condense(sanitizeText(failedCheck.output), { maxLines: MAX_OUTPUT_LINES }))]),
    ])
  );
  return [
    `## panewright: ${plain(outcome)}`,
    `${plain(reason)}${summary.isFolder ? ` (${doneText(summary)})` : ""}`,
    ...(body.length === 0 ? [] : [[head, `|${" --- |".repeat(SUMMARY_COLUMNS.length)}`, ...body].join("\n")]),
    ...failed,
    ...(resumeCommand === undefined ? [] : [`Resume with:\n\n${fenced(sanitizeLine(resumeCommand))}`]),
  ].join("\n\n") + "\n";
}

/** Text that Markdown shows as it is, in one row. */
function plain(text: string): string {
  return sanitizeLine(text.replaceAll(/\s+/g, " "))
    .replaceAll("&", "&amp;")
    .replaceAll("<", "&lt;")
    .replaceAll(/[\\`*_{}[\]()#+!|~@:-]/g, (character) => `&#${character.charCodeAt(0)};`);
}
