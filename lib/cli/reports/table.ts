import { plainName } from "../../journal/exec/place.ts";
import {
  type Outcome,
  type RunSummary,
  type StepSummary,
  tasksDone,
  type TaskSummary,
} from "../../journal/exec/summary.ts";
import { totalUsage } from "../../base/usage.ts";
import { displayWidth } from "../../base/text/display_width.ts";
import { sanitizeLine } from "../../base/text/sanitize.ts";
import { paint, type Style } from "../console/color.ts";
import { padEnd } from "../console/layout.ts";
import { toldCostText } from "../../journal/words/lines.ts";
import { duration } from "../../journal/words/words.ts";

export const SUMMARY_COLUMNS = ["TASK", "STEP", "RESULT", "TIME", "TOKENS"] as const;

/** What each step of a run has come to, a row of cells each: task, step, result, duration and tokens. */
export function summaryRows({ tasks }: RunSummary): readonly (readonly string[])[] {
  return tasks.flatMap(({ file, outcome, steps }) => {
    const name = plainName(file);
    return steps.length === 0
      ? [[name, "", RESULTS[outcome], "", ""]]
      : steps.map((step, index) => [index === 0 ? name : "", ...stepCells(step)]);
  });
}

export function summaryTable(
  summary: RunSummary,
  { color }: { readonly color: boolean } = { color: false },
): readonly string[] {
  const rows = [SUMMARY_COLUMNS, ...summaryRows(summary)].map((row) => row.map(sanitizeLine));
  const widths = SUMMARY_COLUMNS.map((_, column) => Math.max(...rows.map((row) => displayWidth(row[column] ?? ""))));
  return [
    ...rows.map((row, index) => {
      const last = row.findLastIndex((cell) => cell !== "");
      return row.slice(0, last + 1).map((cell, column) => {
        const padding = column === last ? "" : padEnd(cell, widths[column] ?? 0).slice(cell.length);
        return paint(cell, index === 0 ? "strong" : resultStyle(cell, column), color) + padding;
      }).join("  ");
    }),
    doneText(summary),
  ];
}

function resultStyle(cell: string, column: number): Style | undefined {
  if (SUMMARY_COLUMNS[column] !== "RESULT") return undefined;
  const styles: readonly (readonly [string, Style])[] = [[RESULTS.pass, "good"], [RESULTS.fail, "bad"], [
    WAITS,
    "caution",
  ]];
  return styles.find(([word]) => cell.startsWith(word))?.[1];
}

export function doneText(summary: RunSummary): string {
  return `${tasksDone(summary)} of ${summary.of} tasks done`;
}

const RESULTS: Readonly<Record<Outcome, string>> = {
  pass: "PASS",
  fail: "FAIL",
  skipped: "SKIPPED",
  open: "-",
};

/** What stands for a step that waits for an answer. */
const WAITS = "WAITS";

function stepCells(
  { name, outcome, rounds, ledTo, seconds, usage, cost, questions = [] }: StepSummary,
): readonly string[] {
  const { inputTokens, outputTokens } = totalUsage(usage);
  const tokens = inputTokens === 0 && outputTokens === 0
    ? ""
    : `${inputTokens} in, ${outputTokens} out${toldCostText(cost)}`;
  const result = ledTo !== undefined
    ? `FAIL, then ${ledTo}`
    : questions.length > 0
    ? `${WAITS} for ${questions.map(({ id }) => id).join(", ")}`
    : RESULTS[outcome];
  return [name, rounds > 1 ? `${result} (round ${rounds})` : result, rounds > 0 ? duration(seconds) : "", tokens];
}

/** The step of a task that was under way or due when its run ended; undefined where it had passed or failed. */
export function openStep({ outcome, steps, at }: TaskSummary): StepSummary | undefined {
  const step = steps[at - 1];
  return outcome === "open" && step?.outcome === "open" ? step : undefined;
}
