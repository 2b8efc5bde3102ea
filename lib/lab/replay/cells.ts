import { BLANK, BOLD, DIM, type Line, line, styled, wrapText } from "./lines.ts";
import type { Cell } from "./state.ts";

// Colours and attributes as recorded from Codex CLI 0.169.0.
const GREEN_BULLET = "1;38;5;2";
const GREEN = "38;5;2";
const RED = "38;5;1";
const BLUE = "38;5;75";
const COMMAND = "38;2;137;180;250";
const PROMPT_BACKGROUND = "38;5;255;48;5;238";

const OUTPUT_ROWS = 5;

export function cellLines(cell: Cell, columns: number): Line[] {
  switch (cell.type) {
    case "prompt":
      return promptLines(cell.text, columns);
    case "message":
      return wrapText(cell.text, columns - 3).map((row, index) =>
        row === "" && index > 0 ? BLANK : line(index === 0 ? styled(DIM, "• ") : "  ", row)
      );
    case "command":
      return commandLines(cell.command, cell.result, columns);
    case "explored":
      return [
        line(cell.done ? styled(DIM, "•") : "•", " ", styled(BOLD, cell.done ? "Explored" : "Exploring")),
        ...cell.files.map((file, index) =>
          line(styled(DIM, index === 0 ? "  └ " : "    "), styled(BLUE, "Read"), ` ${printableRow(file, columns - 9)}`)
        ),
        line(styled(DIM, "    + Show details")),
      ];
    case "decision":
      return decisionLines(cell.approved, cell.command, columns);
    case "worked_for":
      return [line(styled(DIM, `  Worked for ${formatWorkedFor(cell.ms)} • ${cell.at}`))];
    case "interrupted":
      return wrapText("■ Conversation interrupted - use /feedback if something went wrong", columns).map((row) =>
        line(row)
      );
    case "error":
      return wrapText(`■ ${cell.text}`, columns).map((row) => line(styled(RED, row)));
  }
}

export function stickyPrompt(text: string): Line {
  const joined = text.split("\n").map((row) => row.trim()).filter((row) => row !== "").join(" ");
  return { spans: [styled("1;2", "› "), { text: printableRow(joined, Infinity) }], background: PROMPT_BACKGROUND };
}

export function formatElapsed(ms: number): string {
  const seconds = Math.floor(ms / 1000);
  return seconds < 60 ? `${seconds}s` : `${Math.floor(seconds / 60)}m ${String(seconds % 60).padStart(2, "0")}s`;
}

function formatWorkedFor(ms: number): string {
  const seconds = Math.floor(ms / 1000);
  if (seconds < 1) return "<1s";
  return seconds < 60 ? `${seconds}s` : `${Math.floor(seconds / 60)}m ${seconds % 60}s`;
}

export function commandSpan(command: string): { text: string; sgr: string } {
  return styled(COMMAND, command) as { text: string; sgr: string };
}

function promptLines(text: string, columns: number): Line[] {
  const empty: Line = { spans: [], background: PROMPT_BACKGROUND };
  return [
    empty,
    ...wrapText(text, columns - 3).map((row, index): Line => ({
      spans: index === 0 ? [styled("1;2", "› "), { text: row }] : [{ text: `  ${row}` }],
      background: PROMPT_BACKGROUND,
    })),
    empty,
  ];
}

function commandLines(
  command: string,
  result: { readonly exitCode: number; readonly output: string } | undefined,
  columns: number,
): Line[] {
  const verb = result === undefined ? "Running" : result.exitCode === 0 ? "Ran" : `Exited (status ${result.exitCode})`;
  const bullet = result?.exitCode === 0 ? styled(GREEN_BULLET, "•") : result === undefined ? "•" : styled(BOLD, "•");
  const [first = "", ...more] = wrapText(command, columns - verb.length - 4);
  const rows = [
    line(bullet, " ", styled(BOLD, verb), " ", commandSpan(first)),
    ...more.map((row) => line(styled(DIM, "  │ "), commandSpan(row))),
  ];
  if (result === undefined) return rows;
  const output = wrapText(result.output.trimEnd() === "" ? "(no output)" : result.output.trimEnd(), columns - 5);
  const shown = output.length <= OUTPUT_ROWS
    ? output
    : [...output.slice(0, 2), `… +${output.length - 4} lines`, ...output.slice(-2)];
  return [
    ...rows,
    ...shown.map((row, index) => line(styled(DIM, `${index === 0 ? "  └ " : "    "}${row}`))),
  ];
}

function decisionLines(approved: boolean, command: string, columns: number): Line[] {
  const shown = printableRow(command, Math.max(10, columns - 45));
  const [mark, verb, what, ending] = approved
    ? [styled(GREEN, "✔ "), "approved", " codex to run ", [styled(BOLD, " this time")]]
    : [styled(RED, "✗ "), "canceled", " the request to run ", []];
  return [line(mark, "You ", styled(BOLD, verb), what, styled(DIM, shown), ...ending)];
}

function printableRow(text: string, columns: number): string {
  const row = wrapText(text.replaceAll("\n", " "), Number.MAX_SAFE_INTEGER)[0] ?? "";
  return row.length > columns ? `${row.slice(0, columns - 1)}…` : row;
}
