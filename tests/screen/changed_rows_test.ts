/**
 * What is told of screens of an agent at work when an update draws its status row in other words, and the title tells
 * nothing.
 */
import { assert, assertEquals } from "@std/assert";
import { CLAUDE_CODE_RULES } from "../../lib/agents/claude_code/rules.ts";
import { CODEX_RULES } from "../../lib/agents/codex/rules.ts";
import { classify, parseScreen, type RulePack } from "../../lib/screen/mod.ts";
import { recordingsOf } from "../support/screens.ts";

/** How many recordings with a status row are told as what, when that row is another one. */
async function tellWith(pack: RulePack, row: string): Promise<Readonly<Record<string, number>>> {
  const counts: Record<string, number> = {};
  for (const recording of await recordingsOf(pack.provider)) {
    const { rule, evidence: [first] } = classify(parseScreen(recording.ansi, recording), pack);
    if (recording.expect !== "processing" || !first || rule !== "status-row" && rule !== "spinner") continue;
    // Without colours nothing else is left that says so: agents are started with them.
    if (/^(?:nocolor|forced0|dumb)-/.test(recording.name)) continue;
    const lines = recording.ansi.replaceAll("esc to interrupt", "q stops it").split("\n");
    lines[first.row] = `\x1b[0m${row}\x1b[0m`;
    const { status } = classify(parseScreen(lines.join("\n"), { ...recording, title: "shop" }), pack);
    counts[status] = (counts[status] ?? 0) + 1;
  }
  return counts;
}

Deno.test("Codex: a status row in unknown words is no rest", async () => {
  const counts = await tellWith(CODEX_RULES, "\x1b[2m• Busy for 2 s, q stops it");
  assert((counts["unknown"] ?? 0) > 200);
  assertEquals([counts["completed"], counts["idle"]], [undefined, undefined]);
});

Deno.test("Codex: a status row in unknown words with an unknown mark is hardly ever taken for a rest", async () => {
  const counts = await tellWith(CODEX_RULES, "◆ Busy for 2 s, q stops it");
  const all = Object.values(counts).reduce((sum, count) => sum + count, 0);
  const rests = (counts["completed"] ?? 0) + (counts["idle"] ?? 0);
  // Messages that wait for their turn stand below the row, and an answer above it: then it looks like a part of either.
  assert(all > 200 && rests <= all / 12, JSON.stringify(counts));
});

Deno.test("Claude Code: a spinner in unknown words, and nothing in the footer, still looks like work", async () => {
  for (const row of ["\x1b[38;5;174m✻ Busy for 2 s", "◆ Busy for 2 s"]) {
    const counts = await tellWith(CLAUDE_CODE_RULES, row);
    assert((counts["processing"] ?? 0) > 400);
    assertEquals([counts["completed"], counts["idle"]], [undefined, undefined], JSON.stringify(counts));
  }
});
