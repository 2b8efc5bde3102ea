import { assert, assertEquals } from "@std/assert";
import { line, renderLine, styled, wrapText } from "../../../lib/lab/replay/lines.ts";
import { displayWidth } from "../../../lib/base/text/display_width.ts";

Deno.test("no wrapped row is wider than asked for, and no visible character is lost", () => {
  const text =
    "a verylongwordthatmustbebroken  and 界界界界界 wide ones\n\n    indented by four columns\ttab 🎉🎉🎉🎉🎉🎉";
  for (let width = 2; width <= 60; width++) {
    const rows = wrapText(text, width);
    for (const row of rows) assert(displayWidth(row) <= width, `width ${width}: ${JSON.stringify(row)}`);
    assertEquals(rows.join("").replaceAll(/\s/g, ""), text.replaceAll(/\s/g, ""), `width ${width}`);
  }
});

Deno.test("text with control characters cannot act on the terminal", () => {
  assertEquals(wrapText("a\x1b[2Jb\x9b3mc\x07d\re", 80), ["a[2Jb3mcde"]);
});

Deno.test("a row is cut at the last column, a wide character is not halved", () => {
  assertEquals(renderLine(line("abc界"), 4), "abc");
  assertEquals(renderLine(line(styled("1", "abc"), "def"), 4), "\x1b[1mabc\x1b[0md");
});

Deno.test("a row with a background is filled up to the last column", () => {
  assertEquals(
    renderLine({ spans: [{ text: "ab" }], background: "48;5;238" }, 4),
    "\x1b[48;5;238mab\x1b[0m\x1b[48;5;238m  \x1b[0m",
  );
});
