import { assertEquals } from "@std/assert";
import { fenced, ownLines } from "../../../lib/base/text/markdown.ts";

Deno.test("own lines are those outside fences, quotes and indented code", () => {
  const cases: [string, string[]][] = [
    ["a\n\nb", ["a", "", "b"]],
    ["```\nx\n```\na", ["a"]],
    ["~~~ts\nx\n```\n~~~\na", ["a"]],
    ["````\n```\nx\n````\na", ["a"]],
    ["```\nx\n`````\na", ["a"]],
    ["```\nx", []],
    ["``` a`b\nx", ["``` a`b", "x"]],
    ["> a\n  >b\nc", ["c"]],
    ["   a\n    b\n\tc\n \td", ["a"]],
    ["1. ```\n   x\n   ```\na", ["a"]],
    ["\ufeffa\r\nb\rc", ["a", "b", "c"]],
  ];
  for (const [text, lines] of cases) assertEquals(ownLines(text), lines, JSON.stringify(text));
});

Deno.test("a fenced text stays inside its fence", () => {
  for (const text of ["", "x", "```", "a\n``````\nb", "~~~"]) {
    assertEquals(ownLines(`${fenced(text)}\nafter`), ["after"]);
  }
});
