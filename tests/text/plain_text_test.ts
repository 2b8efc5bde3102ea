import { assertEquals, assertLess } from "@std/assert";
import { plainText } from "../../lib/text/plain_text.ts";

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

Deno.test("a megabyte of escapes is read in linear time", () => {
  const startedAt = performance.now();
  plainText("\x1b[".repeat(500_000));
  plainText("\x1b]".repeat(500_000));
  plainText("\r".repeat(1_000_000));
  assertLess(performance.now() - startedAt, 2000);
});
