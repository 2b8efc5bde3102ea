/** The recordings in dresses that nobody recorded: without colours, and in the colours of other themes. */
import { assertEquals } from "@std/assert";
import { CLAUDE_CODE_RULES } from "../../lib/agents/claude_code/rules.ts";
import { CODEX_RULES } from "../../lib/agents/codex/rules.ts";
import { classify, type Color, parseScreen } from "../../lib/screen/mod.ts";
import { matchesStyle } from "../../lib/screen/style_pattern.ts";
import { DEFAULT_STYLE } from "../../lib/screen/style.ts";
import { type Recolor, recolored, recordingsOf } from "../support/screens.ts";

const isVivid = (color: Color) => matchesStyle({ ...DEFAULT_STYLE, foreground: color }, { foreground: ["vivid"] });

/** Shades of grey stay shades of grey in every theme, and what is to stand out stands out. */
const DRESSES: Readonly<Record<string, Recolor>> = {
  "without colours": () => undefined,
  "in the 16 colours of a terminal": (color) => isVivid(color) ? 1 + (typeof color === "number" ? color % 6 : 3) : 8,
  "in 256 other colours": (color) => isVivid(color) ? 17 + (typeof color === "number" ? color * 7 % 40 : 30) : 240,
  "in true colours": (color) => isVivid(color) ? "#3377cc" : "#777777",
};

/** What nothing but a colour tells: a panel that is cut off, of which only the line above it is known. */
const TOLD_BY_COLOR: Readonly<Record<string, readonly string[]>> = {
  "claude_code without colours": [
    "2.1.290/panel-auto-mode-80x24: want waiting_user_answer, got unknown by none",
    "2.1.302/panel-auto-mode-80x24: want waiting_user_answer, got unknown by none",
    "2.1.330/widths-panel-auto-mode-40x24: want waiting_user_answer, got unknown by none",
    "2.1.330/widths-panel-auto-mode-60x20: want waiting_user_answer, got unknown by none",
  ],
};

for (const pack of [CODEX_RULES, CLAUDE_CODE_RULES]) {
  for (const [dress, recolor] of Object.entries(DRESSES)) {
    Deno.test(`${pack.provider} ${dress}: every recorded screen has its status`, async () => {
      const recordings = (await recordingsOf(pack.provider)).filter(({ alone }) => alone !== false);
      const misses = recordings.flatMap((recording) => {
        const { status, rule } = classify(parseScreen(recolored(recording.ansi, recolor), recording), pack);
        const name = `${recording.version}/${recording.name}`;
        return status === recording.expect ? [] : [`${name}: want ${recording.expect}, got ${status} by ${rule}`];
      });
      assertEquals(misses, TOLD_BY_COLOR[`${pack.provider} ${dress}`] ?? []);
      assertEquals(recordings.length > 500, true, `only ${recordings.length} recordings`);
    });
  }
}
