import { assertEquals } from "@std/assert";
import { CLAUDE_CODE_RULES } from "../../lib/agents/claude_code/rules.ts";
import { CODEX_RULES } from "../../lib/agents/codex/rules.ts";
import { findRegions, type Layout, parseScreen } from "../../lib/screen/mod.ts";
import { recordingsOf } from "../support/screens.ts";

async function regionsOf(provider: string, name: string, layout: Layout) {
  const recording = (await recordingsOf(provider)).find((each) => `${each.version}/${each.name}` === name);
  if (!recording) throw new Error(`no recording ${name}`);
  return findRegions(parseScreen(recording.ansi, recording), layout);
}

const CODEX_COMPOSERS: readonly (readonly [string, string, "empty" | "draft"])[] = [
  ["0.169.0/idle-fresh-220x50", "", "empty"],
  ["0.169.0/typed-not-submitted-220x50", "hello typed text", "draft"],
  ["0.169.0/pasted-not-submitted-220x50", "First pasted line\nSecond pasted line\nThird", "draft"],
  ["0.169.0/draft-while-working-220x50", "draft typed while working", "draft"],
  ["0.53.0/idle-interrupted-100x30", "one test per row", "draft"],
  ["0.169.0/plain-idle-shell-mode-100x30", "!", "draft"],
  ["0.90.0/completed-short-100x30", "", "empty"],
];

for (const [name, text, state] of CODEX_COMPOSERS) {
  Deno.test(`findRegions: the composer of Codex in ${name}`, async () => {
    const { composer } = await regionsOf("codex", name, CODEX_RULES.layout);
    assertEquals([composer?.text, composer?.state], [text, state]);
  });
}

const CLAUDE_COMPOSERS: readonly (readonly [string, string, "empty" | "draft"])[] = [
  ["2.1.328/typed-not-submitted-80x24", "hello there, this is typed but not submitted", "draft"],
  ["2.1.328/exp-newline-keys-80x24", "first\nsecond\nthird", "draft"],
  ["2.1.328/api-error-500-final-80x24", "", "empty"],
  ["2.1.104/processing-queued-100x30", "", "empty"],
  ["2.1.330/nocolor-error-401-classic-100x30", "", "empty"],
  ["2.1.330/nocolor-completed-draft-classic-100x30", "and also bump the version", "draft"],
  ["2.0.53/idle-draft-classic-100x30", "look at the coupon total, it is off by one cent", "draft"],
];

for (const [name, text, state] of CLAUDE_COMPOSERS) {
  Deno.test(`findRegions: the composer of Claude Code in ${name}`, async () => {
    const { composer } = await regionsOf("claude_code", name, CLAUDE_CODE_RULES.layout);
    assertEquals([composer?.text, composer?.state], [text, state]);
  });
}

const LINE = "\x1b[38;5;244m" + "─".repeat(40) + "\x1b[39m";

for (
  const [what, row, text] of [
    ["of shell mode", "\x1b[38;5;211m!\x1b[39m\u00a0", "!"],
    ["of shell mode with a command", "\x1b[38;5;211m!\x1b[39m\u00a0rm -rf build", "!\u00a0rm -rf build"],
    ["that is drawn without its space for a moment", ">", ""],
  ] as const
) {
  Deno.test(`findRegions: the composer of Claude Code ${what}`, () => {
    const { composer } = findRegions(
      parseScreen(`● Done.\n\n${LINE}\n${row}\n${LINE}\n  ? for shortcuts`),
      CLAUDE_CODE_RULES.layout,
    );
    assertEquals([composer?.text, composer?.state], [text, text === "" ? "empty" : "draft"]);
  });
}

Deno.test("findRegions: the last turn begins below the last prompt, the status is the block above the composer", () => {
  const screen = parseScreen(
    "› one\n\n• first\n\n› two\n\n• second\n  more\n\n• Working (1s • esc to interrupt)\n\n›\n\n  100% context left",
  );
  const { echoRow, lastTurn, status, composer, footer, dialog } = findRegions(screen, CODEX_RULES.layout);
  assertEquals([echoRow, lastTurn, status], [4, { first: 5, last: 10 }, { first: 9, last: 10 }]);
  assertEquals([composer?.firstRow, composer?.lastRow, footer, dialog], [11, 11, { first: 12, last: 13 }, undefined]);
});

Deno.test("findRegions: a draft of several paragraphs ends above the footer, and the cursor may move that end", () => {
  const capture = "› one\n\n  two\n\n  footer";
  const byGap = findRegions(parseScreen(capture), CODEX_RULES.layout).composer;
  assertEquals([byGap?.text, byGap?.lastRow], ["one\n\ntwo", 2]);
  const noFooter = findRegions(parseScreen(capture, { cursor: [8, 4] }), CODEX_RULES.layout).composer;
  assertEquals([noFooter?.text, noFooter?.lastRow], ["one\n\ntwo\n\nfooter", 4]);
});

Deno.test("findRegions: a composer with something of the conversation below it is none", () => {
  assertEquals(findRegions(parseScreen("› one\n\n• answer"), CODEX_RULES.layout).composer, undefined);
  assertEquals(findRegions(parseScreen("› one\ndev@box:~$ "), CODEX_RULES.layout).composer, undefined);
});

const COMPOSER = "\n\n\x1b[1m›\x1b[0m\n\n  footer";

Deno.test("findRegions: the further rows of a prompt are none of the answer's", () => {
  const turnOf = (capture: string) => findRegions(parseScreen(capture + COMPOSER), CODEX_RULES.layout).lastTurn;
  const filled = "old\n\x1b[1;2;48;5;238m› \x1b[0;48;5;238mone\n\n  three\n \x1b[0m";
  assertEquals(turnOf(filled), { first: 6, last: 5 });
  const bare = "old\n\x1b[1;2m› \x1b[0mone\n\n  three";
  assertEquals(turnOf(bare), { first: 5, last: 4 });
  assertEquals(turnOf(`${bare}\n\n• answer`), { first: 5, last: 6 });
  assertEquals(turnOf("\x1b[1;2m› \x1b[0mkept in sight\n  the middle of an answer"), { first: 1, last: 2 });
});

Deno.test("findRegions: a blank screen has no parts", () => {
  const { composer, dialog, lastRow, lastTurn } = findRegions(parseScreen("\n \n"), CODEX_RULES.layout);
  assertEquals([composer, dialog, lastRow, lastTurn], [undefined, undefined, -1, { first: 0, last: -1 }]);
});
