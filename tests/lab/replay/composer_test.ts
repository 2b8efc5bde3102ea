import { assertEquals } from "@std/assert";
import {
  composerDisplay,
  composerText,
  EMPTY_COMPOSER,
  eraseLast,
  PASTE_BURST_MS,
  pasteText,
  pressEnter,
  typeText,
} from "../../../lib/lab/replay/composer.ts";

Deno.test("Enter after a bracketed paste submits at once", () => {
  const { composer, submitted } = pressEnter(pasteText(EMPTY_COMPOSER, "two\nlines\n"), 0);
  assertEquals(submitted, "two\nlines");
  assertEquals(composer, EMPTY_COMPOSER);
});

Deno.test("Enter within the paste-burst window of typed text becomes a newline and keeps the window open", () => {
  const typed = typeText(EMPTY_COMPOSER, "hello", 1000);
  const first = pressEnter(typed, 1000 + PASTE_BURST_MS - 1);
  assertEquals(first.submitted, undefined);
  assertEquals(composerDisplay(first.composer), "hello\n");
  const second = pressEnter(first.composer, 1000 + PASTE_BURST_MS + 10);
  assertEquals(second.submitted, undefined);
  const third = pressEnter(second.composer, 1000 + 3 * PASTE_BURST_MS);
  assertEquals(third.submitted, "hello");
});

Deno.test("Enter on an empty composer submits nothing", () => {
  assertEquals(pressEnter(EMPTY_COMPOSER, 0).submitted, undefined);
  assertEquals(pressEnter(pasteText(EMPTY_COMPOSER, " \n "), 0).submitted, undefined);
});

Deno.test("a paste of 1000 characters is shown, a longer one is a label, counted in characters", () => {
  assertEquals(composerDisplay(pasteText(EMPTY_COMPOSER, "é".repeat(1000))), "é".repeat(1000));
  const long = pasteText(typeText(EMPTY_COMPOSER, "see ", 0), "🎉".repeat(1001));
  assertEquals(composerDisplay(long), "see [Pasted Content 1001 chars]");
  assertEquals(composerText(long), `see ${"🎉".repeat(1001)}`);
});

Deno.test("backspace takes a character, or a label as a whole", () => {
  assertEquals(composerDisplay(eraseLast(pasteText(EMPTY_COMPOSER, "a🎉"))), "a");
  const labelled = pasteText(typeText(EMPTY_COMPOSER, "a", 0), "x".repeat(2000));
  assertEquals(composerText(eraseLast(labelled)), "a");
  assertEquals(eraseLast(EMPTY_COMPOSER), EMPTY_COMPOSER);
});
