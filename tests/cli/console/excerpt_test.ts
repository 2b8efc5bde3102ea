import { assertEquals } from "@std/assert";
import { excerptLines } from "../../../lib/cli/console/excerpt.ts";
import { displayWidth } from "../../../lib/base/text/display_width.ts";

/** The row and its marks, of a terminal of that many columns; the marks are below what they mean. */
function shown(row: string, column: number, columns = 40): readonly string[] {
  const lines = excerptLines({ line: 12, row, column }, { color: false, columns });
  assertEquals(lines.map((line) => displayWidth(line) <= columns), [true, true, true], lines.join("\n"));
  assertEquals([lines[0], lines[1]?.slice(0, 8), lines[2]?.slice(0, 8)], [
    "      |",
    "   12 | ".slice(0, lines[1]?.length),
    "      | ",
  ]);
  return lines.slice(1).map((line) => line.slice(8));
}

Deno.test("an excerpt marks a string, a word or number, or one character", () => {
  assertEquals(shown('  "a \\" b": 1', 3), ['  "a \\" b": 1', "  ^^^^^^^^"]);
  assertEquals(shown('"a": -1.5e3,', 6), ['"a": -1.5e3,', "     ^^^^^^"]);
  assertEquals(shown("{ , }", 3), ["{ , }", "  ^"]);
  assertEquals(shown("{", 2), ["{", " ^"]);
  assertEquals(shown("", 1), ["", "^"]);
});

Deno.test("an excerpt's marks stand below what is meant, whatever stands before it", () => {
  assertEquals(shown('\t\t"a": 1', 3), ['  "a": 1', "  ^^^"]);
  assertEquals(shown('"漢字": "日本", 5', 13), ['"漢字": "日本", 5', "                ^"]);
});

Deno.test("of a long row the part around what is meant is shown, and what is cut is marked", () => {
  assertEquals(shown(`{ ${'"k": 1, '.repeat(20)}"bad": 2 }`, 163), ['… 1, "k": 1, "bad": 2 }', "             ^^^^^"]);
  assertEquals(shown(`  "${"x".repeat(100)}": 2`, 3), [`  "${"x".repeat(27)}…`, `  ${"^".repeat(29)}`]);
});
