import { assert, assertEquals } from "@std/assert";
import { plainRow } from "../../lib/base/text/ansi.ts";
import { parseScreen, styleAt } from "../../lib/screen/mod.ts";
import { applySgr, DEFAULT_STYLE } from "../../lib/screen/style.ts";

Deno.test("parseScreen: styles run on over line ends until they are reset", () => {
  const { rows } = parseScreen("\x1b[1;2mone\ntwo\n\x1b[0;31mthree\x1b[0m four\nfive");
  const styles = rows.map((row) => styleAt(row, 0));
  assertEquals(styles.map(({ bold, dim, foreground }) => [bold, dim, foreground]), [
    [true, true, undefined],
    [true, true, undefined],
    [false, false, 1],
    [false, false, undefined],
  ]);
  assertEquals(rows[2]?.spans.map(({ start, end }) => [start, end]), [[0, 5], [5, 10]]);
});

Deno.test("parseScreen: the order in which rows are asked for does not matter", () => {
  const capture = "\x1b[31ma\n\x1b[1mb\n\x1b[22mc\nd\x1b[m\ne";
  const fromTop = parseScreen(capture).rows.map((row) => styleAt(row, 0));
  const fromBottom = parseScreen(capture).rows.toReversed().map((row) => styleAt(row, 0)).toReversed();
  assertEquals(fromBottom, fromTop);
});

Deno.test("parseScreen: wide characters, combining marks and no-break spaces are kept", () => {
  const { rows } = parseScreen("❯\u00a0日本語 e\u0301 👩‍💻  \n");
  assertEquals(rows[0]?.text, "❯\u00a0日本語 e\u0301 👩‍💻");
});

Deno.test("parseScreen: OSC, DCS and other strings do not show, and end with their row at the latest", () => {
  const { rows } = parseScreen(
    "a\x1b]8;;http://x\x1b\\link\x1b]8;;\x07b\nc\x1b]0;never closed\nd\x1bPq#0\x1b\\e\x9b1mf",
  );
  assertEquals(rows.map(({ text }) => text), ["alinkb", "c", "def"]);
});

Deno.test("parseScreen: no cut of a control sequence shows more than it left", () => {
  const whole = "x\x1b[38;2;10;20;30mred\x1b]0;title\x07y\x1b(Bz";
  for (let end = 0; end <= whole.length; end++) {
    const text = plainRow(whole.slice(0, end));
    assert("xredyz".startsWith(text), `${end}: ${JSON.stringify(text)}`);
  }
});

Deno.test("parseScreen: line ends of either kind, and tabs", () => {
  assertEquals(parseScreen("a\tb\r\nc\r\n").rows.map(({ text }) => text), ["a b", "c", ""]);
});

Deno.test("parseScreen: the pane's size becomes cols and height, and what is not known is absent", () => {
  const screen = parseScreen("", { cols: 80, rows: 24, title: "t" });
  assertEquals([screen.cols, screen.height, screen.title, screen.styled], [80, 24, "t", false]);
  assert(!("height" in parseScreen("")));
});

Deno.test("parseScreen: of a capture with too many rows the last ones count", () => {
  const { rows } = parseScreen(`${"old\n".repeat(20_000)}last`);
  assertEquals([rows.length, rows.at(-1)?.text], [10_000, "last"]);
});

Deno.test("applySgr: colours of every notation, and what is cut or unknown changes nothing", () => {
  const color = (params: string) => applySgr(DEFAULT_STYLE, params).foreground;
  assertEquals(["31", "92", "38;5;246", "38;2;255;0;16", "38:5:7", "38;5", "38", "38;2;1"].map(color), [
    1,
    10,
    246,
    "#ff0010",
    7,
    undefined,
    undefined,
    undefined,
  ]);
  assertEquals(applySgr(DEFAULT_STYLE, "?1;x"), DEFAULT_STYLE);
  assertEquals(applySgr({ ...DEFAULT_STYLE, bold: true, dim: true }, "22"), DEFAULT_STYLE);
  assertEquals(applySgr({ ...DEFAULT_STYLE, background: 3 }, "49;7").reverse, true);
});
