import type { ReviewFact } from "../journal/loop/facts.ts";
import { lineDiff } from "../base/text/line_diff.ts";
import { sanitizeText } from "../base/text/sanitize.ts";
import { paint, type Style } from "./console/color.ts";
import { tokenText } from "../journal/words/lines.ts";
import { duration, plural } from "../journal/words/words.ts";

interface DemoStory {
  readonly file: { readonly name: string; readonly before: string; readonly after: string };
  readonly facts: readonly ReviewFact[];
}

export type NextCommands = readonly (readonly [what: string, ...commands: readonly string[]])[];

interface DemoSummaryOptions {
  readonly next: NextCommands;
  readonly color: boolean;
}

/** What a demo that ended has done, and what to type next: lines for a person. */
export function demoSummary({ file, facts }: DemoStory, { next, color }: DemoSummaryOptions): readonly string[] {
  const heading = (text: string) => ["", paint(text, "strong", color)];
  const styled = (rows: readonly string[], styleOf: (row: string) => Style | undefined) =>
    rows.map((row) => `  ${paint(sanitizeText(row), styleOf(row), color)}`);
  const diff = lineDiff(file.before, file.after);
  return [
    ...(file.before === file.after
      ? []
      : [...heading(`What the agents changed in ${file.name}`), ...styled(diff, diffStyle)]),
    ...facts.flatMap((fact) => {
      if (fact.type !== "test_command_finished") return [];
      const { round, passed, output } = fact;
      const rows = output.trimEnd().split("\n");
      return [
        ...heading(`The project's tests after round ${round}: ${passed ? "PASS" : "FAIL"}`),
        ...styled(rows, (row) => row.startsWith("ok") ? "good" : row.startsWith("FAILED") ? "bad" : undefined),
      ];
    }),
    ...heading("What it took"),
    ...costs(facts).map((row) => `  ${row}`),
    ...heading("What to type next"),
    ...next.flatMap(([what, ...commands]) => [`  ${what}:`, ...commands.map((command) => `    ${command}`)]),
  ];
}

function diffStyle(row: string): Style | undefined {
  return row.startsWith("+") ? "good" : row.startsWith("-") ? "bad" : "faint";
}

function costs(facts: readonly ReviewFact[]): readonly string[] {
  const counted = (type: ReviewFact["type"]) => facts.filter((fact) => fact.type === type).length;
  const end = facts.findLast((fact) => fact.type === "run_finished");
  const seconds = end === undefined ? [] : [duration(end.seconds)];
  const tokens = tokenText(end?.usage ?? {}) || "no tokens: the agents were replayed, and no model was called";
  const counts = [plural(counted("round_finished"), "round"), plural(counted("turn_started"), "turn")];
  return [[...seconds, ...counts].join(", "), tokens];
}
