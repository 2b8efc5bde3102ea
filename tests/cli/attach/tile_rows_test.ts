import { assert, assertEquals } from "@std/assert";
import { tileRows } from "../../../lib/cli/attach/tile_rows.ts";
import { plainRow } from "../../../lib/base/text/ansi.ts";
import { displayWidth } from "../../../lib/base/text/display_width.ts";

Deno.test("a tile shows the end of a pane: its last rows, without the blank ones below them", () => {
  const capture = "one\ntwo\nthree\n\n   \n\x1b[44m    \x1b[0m\n";
  assertEquals(tileRows(capture, { columns: 10, rows: 2 }).map(plainRow), ["two", "three"]);
  assertEquals(tileRows("\n\n", { columns: 10, rows: 2 }), []);
});

Deno.test("a tile wraps text and cuts what is drawn; no character is lost, none is cut in two", () => {
  const size = { columns: 5, rows: 9 };
  assertEquals(tileRows("abcdefghijkl", size).map(plainRow), ["abcde", "fghij", "kl"]);
  assertEquals(tileRows("abcd界界界", size).map(plainRow), ["abcd", "界界", "界"]);
  assertEquals(tileRows("│ text in a box │\n──────────", size).map(plainRow), ["│ tex", "─────"]);
});

Deno.test("a tile keeps styles over the wrap, and passes on no other control sequence", () => {
  const capture = "\x1b[1m\x1b[31mred\n abcdef\x1b[0m end\x1b[2J\x1b]0;title\x07\x1b[5;5H!";
  const rows = tileRows(capture, { columns: 6, rows: 9 });
  assertEquals(rows.map(plainRow), ["red", " abcde", "f end!"]);
  assert(rows[2]!.startsWith("\x1b[1m\x1b[31mf\x1b[0m"));
  // deno-lint-ignore no-control-regex
  assertEquals(rows.join("").replaceAll(/\x1b\[[0-9;]*m/g, "").match(/[\x00-\x1f]/), null);
  for (const row of rows) assert(displayWidth(plainRow(row)) <= 6);
});
