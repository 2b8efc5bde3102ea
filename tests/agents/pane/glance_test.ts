import { assert, assertEquals, assertRejects } from "@std/assert";
import { readCorpus } from "../../../lib/lab/recordings/corpus.ts";
import { CLAUDE_CODE_RULES } from "../../../lib/agents/claude_code/rules.ts";
import { CODEX_RULES } from "../../../lib/agents/codex/rules.ts";
import { createGlance, readScreen } from "../../../lib/agents/pane/glance.ts";
import { parsePartlyStyled } from "../../../lib/screen/partly_styled.ts";
import type { RowRange } from "../../../lib/screen/screen.ts";
import type { RulePack } from "../../../lib/screen/rules.ts";
import { parseScreen, type Row, type Screen } from "../../../lib/screen/screen.ts";
import { standAlone } from "../../support/screens.ts";
import { stillClock } from "../../support/still_clock.ts";

/** The rules that lift a doubt about later screens. */
function signsOf({ rules }: RulePack): ReadonlySet<string> {
  return new Set(rules.flatMap(({ doubtful }) => doubtful?.unlessSeen ?? []));
}

/** A pane that shows one screen after the other, and how it was captured. */
function shownPane(pack: RulePack) {
  const pane = { screen: parseScreen(""), captures: [] as string[], clock: stillClock() };
  const signs = signsOf(pack);
  const glance = createGlance({
    capture: () => {
      pane.captures.push("all");
      // Parsed anew, as a capture is: a row remembers that its style was asked for.
      return Promise.resolve({ ...pane.screen, rows: parseScreen(drawRows(pane.screen.rows)).rows });
    },
    capturePartly: ({ styledRows, withCommand }) => {
      const ranges = styledRows.map(({ first, last }) => `${first}-${last}`);
      pane.captures.push([...ranges, ...(withCommand ? ["and the program"] : [])].join(" "));
      return Promise.resolve(capturePartly(withCommand ? pane.screen : omitCommand(pane.screen), styledRows));
    },
    read: (screen) => readScreen(screen, pack, { signs }),
    clock: pane.clock,
  });
  return Object.assign(pane, {
    glance: async (screen: string | Screen) => {
      pane.screen = typeof screen === "string" ? parseScreen(screen) : screen;
      pane.captures = [];
      const { classification, seenSigns } = await glance();
      return { ...classification, seenSigns };
    },
  });
}

function omitCommand({ command: _command, ...screen }: Screen): Screen {
  return screen;
}

function capturePartly(screen: Screen, ranges: readonly RowRange[]): Screen | undefined {
  if (ranges.some(({ last }) => last >= screen.rows.length)) return undefined;
  const { rows, height, styled: _styled, ...meta } = screen;
  const parts = ranges.map(({ first, last }) => ({ first, text: drawRows(rows.slice(first, last + 1)) }));
  const text = rows.map((row) => row.text).join("\n");
  return parsePartlyStyled(text, parts, { ...meta, ...(height === undefined ? {} : { rows: height }) });
}

/** Rows as tmux writes them, their style told from the first one on. */
function drawRows(rows: readonly Row[]): string {
  return rows.map(standAlone).join("\n");
}

const PROMPT = "\x1b[1m›\x1b[0m \x1b[2mAsk Codex to do anything\x1b[0m";
/** The rows of the next screen that its reading asks for. */
const ROWS = "0-2 13-13";
const AT_REST = `› say hi\n\n• hi${"\n  and more".repeat(9)}\n\n${PROMPT}\n\n  100% context left\n\n`;

for (const pack of [CODEX_RULES, CLAUDE_CODE_RULES]) {
  Deno.test(`a glance tells of every recorded screen of ${pack.provider} what a look with all styles tells`, async () => {
    const pane = shownPane(pack);
    const captures = { all: 0, partly: 0 };
    const folder = new URL(`../../../fixtures/screens/${pack.provider}`, import.meta.url).pathname;
    for await (const { recording } of readCorpus(folder)) {
      const screen = parseScreen(recording.ansi, recording);
      const { classification, seenSigns } = readScreen(screen, pack, { signs: signsOf(pack) });
      const { status, rule, evidence, dialog, doubtful } = classification;
      // The second time the rows are known, from the third on no others are asked for.
      for (let time = 0; time < 3; time++) {
        if (time === 0) pane.clock.advance(1000);
        const told = await pane.glance(screen);
        const name = `${recording.version}/${recording.name}`;
        assertEquals([told.status, told.rule, told.evidence], [status, rule, evidence], name);
        assertEquals([told.dialog, told.doubtful, told.seenSigns], [dialog, doubtful, seenSigns], name);
        captures[pane.captures.length === 1 && pane.captures[0] !== "all" ? "partly" : "all"]++;
      }
    }
    // A third of the glances is the third of a screen; some screens of a kind have their marks in the same rows.
    assert(captures.partly > captures.all / 2.5, JSON.stringify(captures));
  });
}

Deno.test("a glance captures the style of those rows only whose style the glance before took", async () => {
  const pane = shownPane(CODEX_RULES);
  assertEquals((await pane.glance(AT_REST)).status, "completed");
  assertEquals(pane.captures, ["all"]);
  await pane.glance(AT_REST);
  assertEquals(pane.captures, ["all"]);
  assertEquals((await pane.glance(AT_REST)).status, "completed");
  assertEquals(pane.captures, [ROWS]);
});

Deno.test("a glance sees a change of nothing but style", async () => {
  const pane = shownPane(CODEX_RULES);
  for (let time = 0; time < 3; time++) assertEquals((await pane.glance(AT_REST)).status, "completed");
  const busy = AT_REST.replace("• hi", "\x1b[2m• hi all\x1b[0m");
  assertEquals((await pane.glance(busy)).status, "unknown");
  assertEquals(pane.captures, [ROWS]);
  assertEquals((await pane.glance(busy.replace("\x1b[2m", ""))).status, "completed");
  assertEquals(pane.captures, [ROWS]);
});

Deno.test("a glance that comes to a row without style captures all of them", async () => {
  const pane = shownPane(CODEX_RULES);
  for (let time = 0; time < 3; time++) await pane.glance(AT_REST);
  const moved = `\n${AT_REST}`;
  assertEquals((await pane.glance(moved)).status, "completed");
  assertEquals(pane.captures, [ROWS, "all"]);
  // What moves is captured once, until it stands still.
  await pane.glance(AT_REST);
  assertEquals(pane.captures, ["all"]);
  // Two screens that take turns have both their rows captured.
  await pane.glance(moved);
  assertEquals(pane.captures, ["0-3 13-14"]);
  await pane.glance(AT_REST);
  assertEquals(pane.captures, ["0-3 13-14"]);
});

Deno.test("a glance at a pane that shows no style, or has become smaller, captures all of it", async () => {
  const pane = shownPane(CODEX_RULES);
  for (let time = 0; time < 3; time++) await pane.glance("› say hi\n\n• hi\n\n›\n\n  100% context left");
  assertEquals(pane.captures, ["all"]);
  for (let time = 0; time < 3; time++) await pane.glance(AT_REST);
  const smaller = `${PROMPT}\n\n  100% context left\n\n`;
  const { rule } = readScreen(parseScreen(smaller), CODEX_RULES).classification;
  assertEquals((await pane.glance(smaller)).rule, rule);
  assertEquals(pane.captures, [ROWS, "all"]);
});

Deno.test("a glance asks for the foreground program once a second, and with each capture of all styles", async () => {
  const pane = shownPane(CODEX_RULES);
  const atRest = { ...parseScreen(AT_REST), command: "codex" };
  const shell = { ...atRest, command: "bash" };
  for (let time = 0; time < 3; time++) assertEquals((await pane.glance(atRest)).status, "completed");
  pane.clock.advance(999);
  assertEquals((await pane.glance(shell)).status, "completed");
  pane.clock.advance(1);
  assertEquals((await pane.glance(shell)).status, "error");
  assertEquals(pane.captures, [`${ROWS} and the program`]);
  assertEquals((await pane.glance(shell)).status, "error", "it is known for a second more");
  assertEquals(pane.captures, [ROWS]);
  const moved = { ...parseScreen(`\n${AT_REST}`), command: "codex" };
  assertEquals((await pane.glance(moved)).status, "completed");
});

Deno.test("a glance that fails says why", async () => {
  const glance = createGlance({
    capture: () => Promise.reject(new Error("the pane is gone")),
    capturePartly: () => Promise.resolve(undefined),
    read: (screen) => readScreen(screen, CODEX_RULES),
    clock: stillClock(),
  });
  await assertRejects(() => glance(), Error, "the pane is gone");
});
