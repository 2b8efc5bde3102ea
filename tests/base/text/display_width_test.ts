import { assert, assertEquals } from "@std/assert";
import { eastAsianWidth } from "get-east-asian-width";
import { clip, displayWidth, widestDisplayWidth } from "../../../lib/base/text/display_width.ts";
import { capturePane } from "../../../lib/tmux/capture.ts";
import { tmuxSandbox, until } from "../../tmux/support.ts";

/** What is not drawn in columns of its own, by the general categories of the Unicode Character Database. */
const NOT_DRAWN = /^[\p{Mn}\p{Me}\p{Cf}\p{Zl}\p{Zp}]$/u;
/** Soft hyphen, and the signs that enclose the digits after them: format characters that terminals draw. */
const DRAWN_FORMAT = [
  0xad,
  0x600,
  0x601,
  0x602,
  0x603,
  0x604,
  0x605,
  0x6dd,
  0x70f,
  0x890,
  0x891,
  0x8e2,
  0x110bd,
  0x110cd,
];
/** Medial vowels and final consonants: drawn into the Hangul syllable that they complete. */
const isTrailingJamo = (code: number) => (code >= 0x1160 && code <= 0x11ff) || (code >= 0xd7b0 && code <= 0xd7ff);

Deno.test("every code point has the width of Unicode's East Asian Width, or none where it is not drawn by itself", () => {
  const wrong: string[] = [];
  for (let code = 0x20; code <= 0x10ffff; code++) {
    if (code >= 0xd800 && code <= 0xdfff) continue;
    const character = String.fromCodePoint(code);
    const drawn = !isTrailingJamo(code) && (!NOT_DRAWN.test(character) || DRAWN_FORMAT.includes(code));
    const expected = drawn ? eastAsianWidth(code) : 0;
    if (displayWidth(character) !== expected) wrong.push(`${code.toString(16)}: ${displayWidth(character)}`);
    if (widestDisplayWidth(character) !== expected) wrong.push(`${code.toString(16)}, at its widest`);
  }
  assertEquals(wrong, []);
});

Deno.test("an emoji takes two columns, of however many code points it is made", () => {
  for (const emoji of ["🤖", "⚠️", "1️⃣", "🇩🇪", "👍🏽", "👨‍👩‍👧", "🏳️‍🌈", "🫱🏻‍🫲🏿", "⛹🏽‍♀️"]) {
    assertEquals(displayWidth(emoji), 2, emoji);
  }
  assertEquals(["⚠", "1", "क्षि", "क्‍ष", "e\u0301", "각", "a\u{1f3fd}", "1\u200d"].map(displayWidth), [
    1,
    1,
    3,
    2,
    1,
    2,
    3,
    1,
  ]);
  assertEquals(displayWidth("ok ⚠️ 界👍🏽|"), 11);
});

Deno.test("text is cut at a width, never inside of what a person sees as one character", () => {
  const text = "ab👩🏽‍🚀e\u0301界c";
  const cuts = Array.from({ length: 10 }, (_, columns) => clip(text, columns));
  assertEquals(cuts, ["", "a", "ab", "ab", "ab👩🏽‍🚀", "ab👩🏽‍🚀e\u0301", "ab👩🏽‍🚀e\u0301", "ab👩🏽‍🚀e\u0301界", text, text]);
  for (const cut of cuts) assertEquals(text.startsWith(cut), true);
});

/**
 * tmux decides which column a character of a screen stands in. It agrees for all that is neither newer than the C
 * library that it asks (☰ was narrow until Unicode 16) nor made of several emoji: of these, tmux 3.3a draws VS16 and
 * keycaps as wide as their first character, and a skin tone behind the hand that it colours. Never is anything wider
 * than the widest width.
 */
Deno.test("tmux draws text as wide as it is taken to be, and sequences of emoji at most as wide as the widest", async () => {
  const plain = [
    "a",
    "é",
    "e\u0301",
    "界",
    "한",
    "각",
    "カ\u3099",
    "ｱ",
    "Ａ",
    "—…•",
    "›❯✻⎿",
    "─█①",
    "🤖",
    "⌚",
    "👨‍👩‍👧",
    "🇩🇪",
    "क्षि",
    "กำ",
    "a\u200bb",
    "𠀀",
  ];
  const sequences = ["⚠️", "❤️", "1️⃣", "👍🏽", "🏳️‍🌈", "👩🏽‍🚀", "🫱🏻‍🫲🏿", "⛹🏽"];
  const drawn = await drawnWidths([...plain, ...sequences]);
  assertEquals(drawn.slice(0, plain.length), plain.map(displayWidth));
  for (const [index, sequence] of sequences.entries()) {
    const width = drawn[plain.length + index]!;
    assert(width >= 1 && width <= widestDisplayWidth(sequence), `${sequence}: ${width}`);
  }
});

/** How many of ten digits each text overwrites on a row of a real tmux. */
async function drawnWidths(texts: readonly string[]): Promise<readonly number[]> {
  await using sandbox = await tmuxSandbox();
  await Deno.writeTextFile(`${sandbox.home}/rows`, texts.map((text) => `0123456789\r${text}\r\n`).join(""));
  const session = await sandbox.open({ rows: 50 });
  const { paneId } = await session.openPane({
    name: "rows",
    argv: ["sh", "-c", "cat rows; exec cat"],
    cwd: sandbox.home,
  });
  const { text } = await until(
    () => capturePane(sandbox.client, { paneId }),
    (capture) => capture.text.trimEnd().split("\n").length === texts.length,
  );
  return text.split("\n").slice(0, texts.length).map((row) => 10 - (/[0-9]+ *$/.exec(row)?.[0].trimEnd().length ?? 0));
}
