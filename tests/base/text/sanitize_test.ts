import { assertEquals } from "@std/assert";
import { jsonLine, plainText, sanitizeLine, sanitizeText } from "../../../lib/base/text/sanitize.ts";

Deno.test("plain text has no escape sequences, no control characters and no overwritten lines", () => {
  const cases: [string, string][] = [
    ["\x1b[1;31merror\x1b[0m: x", "error: x"],
    ["\x1b]0;title\x07after", "after"],
    ["\x1b]8;;http://x\x1b\\link\x1b]8;;\x1b\\", "link"],
    ["\x1b(Bplain\x1b=", "plain"],
    ["a\r\nb\rc\n", "a\nc\n"],
    ["done\r", "done"],
    ["tab\tstays\x00\x07\x7f\x9b", "tab\tstays"],
    ["ends in \x1b", "ends in "],
    ["\ufeffäö 漢 🎉", "äö 漢 🎉"],
  ];
  for (const [given, expected] of cases) assertEquals(plainText(given), expected);
});

Deno.test("an unterminated escape sequence takes at most its own line along", () => {
  assertEquals(plainText("\x1b]0;never closed\nnext line"), "\nnext line");
});

Deno.test("text for a terminal shows every character that could hide or reorder text", () => {
  // U+E0041 is a tag: text made of tags is read by agents, and seen by nobody.
  const hidden = "\u00ad\u061c\u200b\u202e\u2065\u2066\ufeff\u{e0041}";
  const shown = "\\xad\\u061c\\u200b\\u202e\\u2065\\u2066\\ufeff\\u{e0041}";
  assertEquals(sanitizeText(`a\n\t${hidden}`), `a\n\t${shown}`);
  assertEquals(sanitizeLine(`a\n\t${hidden}`), `a\\n\\t${shown}`);
  assertEquals(sanitizeLine("ä 漢 🎉 ⚠️"), "ä 漢 🎉 ⚠️");
});

Deno.test("a line of JSON says the same after its hidden characters became escapes", () => {
  const value = { text: "\u009b2J \u202e \u{e0041} 🎉" };
  assertEquals(jsonLine(value), '{"text":"\\u009b2J \\u202e \\udb40\\udc41 🎉"}\n');
  assertEquals(JSON.parse(jsonLine(value)), value);
});
