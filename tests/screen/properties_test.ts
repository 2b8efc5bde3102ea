import { assert, assertEquals } from "@std/assert";
import type { Recording } from "../../lib/lab/recordings/recording.ts";
import { createRandom } from "../support/random.ts";
import { CLAUDE_CODE_RULES } from "../../lib/agents/claude_code/rules.ts";
import { CODEX_RULES } from "../../lib/agents/codex/rules.ts";
import {
  type Classification,
  classify,
  findRegions,
  isAtRest,
  parseScreen,
  type RulePack,
  type Screen,
} from "../../lib/screen/mod.ts";
import { plainRows, recordingsOf, rewrap, standAlone, stripStyle } from "../support/screens.ts";

const PACKS = [CODEX_RULES, CLAUDE_CODE_RULES];

/** A recording without its cursor, for captures in which rows were added. */
function withoutCursor({ cursor: _cursor, ...recording }: Recording): Recording {
  return recording;
}

/** What changed: `want -> got`, with the recording's name. */
function difference(recording: Recording, before: Classification, after: Classification): string[] {
  if (before.status === after.status) return [];
  return [
    `${recording.version}/${recording.name}: ${before.status} by ${before.rule} -> ${after.status} by ${after.rule}`,
  ];
}

/** Where an answer's first row is in the last turn: a row that begins with a bullet, in the terminal's own colours. */
function findAnswer(screen: Screen, pack: RulePack): number | undefined {
  const { first, last } = findRegions(screen, pack.layout).lastTurn;
  for (let row = last; row >= first; row--) {
    const found = screen.rows[row];
    if (found && /^[•●] /.test(found.text) && found.spans.some(({ start, style }) => start >= 2 && isOrdinary(style))) {
      return row;
    }
  }
  return undefined;
}

function isOrdinary(style: { bold: boolean; dim: boolean; foreground: unknown }): boolean {
  return !style.bold && !style.dim && style.foreground === undefined;
}

for (const pack of PACKS) {
  /** Each recording with its screen and what it is classified as. */
  const readings = (await recordingsOf(pack.provider)).map((recording) => {
    const screen = parseScreen(recording.ansi, recording);
    return { recording, screen, before: classify(screen, pack) };
  });

  Deno.test(`${pack.provider}: any recorded dialog, spinner or error pasted into an answer keeps the status`, async () => {
    const random = createRandom(20_261_120);
    const quotable = (await Promise.all(PACKS.map(({ provider }) => recordingsOf(provider)))).flat()
      .filter(({ expect }) => expect === "waiting_user_answer" || expect === "processing" || expect === "error");
    const changed: string[] = [];
    let pasted = 0;
    for (const { recording, screen, before } of readings) {
      const at = findAnswer(screen, pack);
      if (at === undefined) continue;
      const rows = screen.rows.map(standAlone);
      for (let round = 0; round < 2; round++) {
        const quoted = random.pick(quotable);
        if (!quoted) continue;
        const quote = plainRows(parseScreen(quoted.ansi)).slice(-3 - random.int(25)).map((text) => `  ${text}`);
        const capture = [...rows.slice(0, at + 1), ...quote, "", ...rows.slice(at + 1)].join("\n");
        const after = classify(parseScreen(capture, withoutCursor(recording)), pack);
        changed.push(...difference(recording, before, after));
        pasted++;
      }
    }
    assertEquals(changed, []);
    assert(pasted > 200, `only ${pasted} answers to paste into`);
  });

  Deno.test(`${pack.provider}: blank rows below, CRLF, plain spaces and styles written row by row keep the status`, () => {
    const changed: string[] = [];
    for (const { recording, screen, before } of readings) {
      const variants = [
        `${recording.ansi}\n\n   \n\n`,
        recording.ansi.replaceAll("\n", "\r\n"),
        recording.ansi.replaceAll("\u00a0", " "),
        screen.rows.map(standAlone).join("\n"),
      ];
      for (const variant of variants) {
        changed.push(...difference(recording, before, classify(parseScreen(variant, recording), pack)));
      }
    }
    assertEquals(changed, []);
  });

  Deno.test(`${pack.provider}: what an agent left that has ended is neither a dialog nor at rest, whatever is known of its pane`, () => {
    const wrong: string[] = [];
    let ended = 0;
    for (const { recording, before } of readings) {
      if (before.rule !== "process-is-shell") continue;
      const { ansi, cols } = recording;
      const after = classify(parseScreen(ansi, cols === undefined ? {} : { cols }), pack);
      if (after.status === "waiting_user_answer" || isAtRest(after.status)) {
        wrong.push(...difference(recording, before, after));
      }
      ended++;
    }
    assertEquals(wrong, []);
    assert(ended > 10, `only ${ended} agents that have ended`);
  });

  Deno.test(`${pack.provider}: without style a screen keeps its status or becomes unknown`, () => {
    const wrong: string[] = [];
    for (const { recording, before } of readings) {
      if (recording.alone === false) continue;
      const after = classify(parseScreen(stripStyle(recording.ansi), recording), pack);
      if (after.status !== "unknown") wrong.push(...difference(recording, before, after));
    }
    assertEquals(wrong, []);
  });

  Deno.test(`${pack.provider}: a screen wrapped at another width keeps its status, but for a few that become unknown`, () => {
    const wrong: string[] = [];
    let unknown = 0;
    let looked = 0;
    for (const { recording, before } of readings) {
      // A screen that is narrow already looks the same at several widths.
      const classified = new Map<string, Classification>();
      for (const width of [40, 60, 80, 100, 140, 200]) {
        const after = classified.getOrInsertComputed(
          rewrap(recording.ansi, width),
          (wrapped) => classify(parseScreen(wrapped, withoutCursor(recording)), pack),
        );
        looked++;
        if (after.status === "unknown" && before.status !== "unknown") unknown++;
        else wrong.push(...difference(recording, before, after));
      }
    }
    assertEquals(wrong, []);
    assert(unknown <= looked / 100, `${unknown} of ${looked} became unknown`);
  });

  Deno.test(`${pack.provider}: no prefix of a recorded screen makes it throw`, () => {
    const random = createRandom(7);
    for (const { recording } of readings) {
      for (let round = 0; round < 4; round++) {
        const prefix = recording.ansi.slice(0, random.int(recording.ansi.length + 1));
        const { beaten } = classify(parseScreen(prefix, recording), pack);
        assert(Array.isArray(beaten));
      }
    }
  });
}
