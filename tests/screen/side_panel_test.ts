import { assert, assertEquals, assertThrows } from "@std/assert";
import { CLAUDE_CODE_RULES } from "../../lib/agents/claude_code/rules.ts";
import { lastBlockText } from "../../lib/agents/pane/last_block.ts";
import { classify } from "../../lib/screen/classify.ts";
import { parsePartlyStyled, StyleNotCapturedError } from "../../lib/screen/partly_styled.ts";
import { parseScreen } from "../../lib/screen/screen.ts";
import { withoutSidePanel } from "../../lib/screen/side_panel.ts";
import { plainRow } from "../../lib/base/text/ansi.ts";

const PANEL = CLAUDE_CODE_RULES.layout.sidePanel;

/** A screen as Claude Code 2.1.328 draws it from 144 columns on, in a repository with changes. */
function beside(panel: readonly string[], rows: readonly string[], column = 40): string {
  const left = (text: string) => text + " ".repeat(column - plainRow(text).length);
  return ["", ...rows].map((row, at) => `${left(row)}│${at === 0 ? "        ✕" : panel[at - 1] ?? ""}`).join("\n");
}

const DIALOG = [
  "● Write(b.txt)",
  "  ⎿  Wrote 1 line to b.txt",
  "─".repeat(40),
  " Bash command",
  "╌".repeat(40),
  " curl http://127.0.0.1:1/",
  "╌".repeat(40),
  " This command requires approval",
  "",
  " Do you want to proceed?",
  " ❯ 1. Yes",
  "   2. No",
  "",
  " Esc to cancel · Tab to amend",
];

Deno.test("what stands in the panel is no part of a dialog beside it", () => {
  const panel = ["1 file changed", "b.txt", ...Array<string>(9).fill("+ 3. Yes, and always (esc to interrupt)")];
  const { status, dialog } = classify(parseScreen(beside(panel, DIALOG)), CLAUDE_CODE_RULES);
  assertEquals([status, dialog?.options.map(({ label }) => label)], ["waiting_user_answer", ["Yes", "No"]]);
  assertEquals(dialog?.subject, "curl http://127.0.0.1:1/");
});

Deno.test("what an agent said last is read without the panel beside it", () => {
  const rows = ["❯ Say it", "", "● It is done,", "  all of it.", ...Array<string>(6).fill("")];
  const composer = ["─".repeat(60), "❯\u00a0", "─".repeat(60), "  ? for shortcuts"];
  const text = [beside(["1 file changed", "", "+1", "● + 2"], rows), ...composer].join("\n");
  assertEquals(lastBlockText(parseScreen(text), CLAUDE_CODE_RULES.layout), "It is done,\nall of it.");
});

Deno.test("the edge of a panel is found by its column, whatever the width of the characters before it", () => {
  const rows = ["界界 ok", "e\u0301a", "👩🏽‍🚀", ...Array<string>(8).fill("plain")];
  const widths = [7, 2, 2, ...Array<number>(8).fill(5)];
  const text = ["          │  ✕", ...rows.map((row, at) => `${row}${" ".repeat(10 - widths[at]!)}│+1`)].join("\n");
  assertEquals(withoutSidePanel(parseScreen(text), PANEL).rows.map((row) => row.text), ["", ...rows]);
});

Deno.test("a screen keeps its rows where the edge does not go down from its corner", () => {
  const table = ["a  │ b", "a  │ b ✕", ...Array<string>(9).fill("a  │ b")].join("\n");
  const short = ["   │  ✕", ...Array<string>(5).fill("a  │ b"), ...Array<string>(9).fill("a b")].join("\n");
  for (const text of [table, short, "", "✕", "│ ✕"]) {
    const screen = parseScreen(text);
    assert(withoutSidePanel(screen, PANEL) === screen);
    assert(withoutSidePanel(screen, undefined) === screen);
  }
});

Deno.test("a shortened row is drawn as it was, is kept whole, and says whether its style was asked for", () => {
  const text = beside(["\x1b[31mred"], ["\x1b[1mbold\x1b[0m"].concat(DIALOG), 44);
  const row = withoutSidePanel(parseScreen(text), PANEL).rows[1]!;
  assertEquals([row.text, row.isStyleRead], ["bold", false]);
  assertEquals(row.spans.map(({ start, end, style }) => [start, end, style.bold]), [[0, 4, true]]);
  assert(row.isStyleRead && row.raw.includes("red"));
  const partly = parsePartlyStyled(beside([], DIALOG), [{
    first: 0,
    text: `\x1b[1m \x1b[0m${" ".repeat(39)}│        ✕`,
  }]);
  assertThrows(() => withoutSidePanel(partly!, PANEL).rows[3]?.spans, StyleNotCapturedError);
});
