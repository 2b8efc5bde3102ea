import { assert, assertEquals } from "@std/assert";
import { readReplies } from "../../../lib/turn/desk/question_answer.ts";
import { createEventParser, type ServerEvent } from "../../../lib/page/client.ts";
import { diffBlocks } from "../../../lib/page/diff_lines.ts";
import { composeReplies } from "../../../lib/page/reply.ts";
import { filterItems, itemOfFragment, NO_FILTER, withIncrement } from "../../../lib/page/items.ts";
import { terminalRows } from "../../../lib/page/terminal_rows.ts";
import { timeScale } from "../../../lib/page/time_scale.ts";
import { tokenIn } from "../../../lib/page/token.ts";
import { at, HEADER, item, ITEMS } from "./page_fixture.ts";
import { TOKEN } from "./page_server.ts";

Deno.test("a time in which nothing happened takes little room, and times keep their order", () => {
  const end = Date.parse(HEADER.lastAt);
  const scale = timeScale(ITEMS, { width: 1000, end });
  assertEquals(scale.breaks.length, 1);
  assert(Math.abs(scale.breaks[0]!.seconds - 5 * 3600) < 60);
  const places = ITEMS.map((one) => scale.place(Date.parse(one.at)));
  assertEquals(places, places.toSorted((one, other) => one - other));
  assertEquals([places[0], Math.round(scale.place(end))], [0, 1000]);
  assert(scale.ticks.length > 3 && scale.ticks.every(({ x }) => x >= 0 && x <= 1000));
});

Deno.test("a scale holds for nothing, for one moment, and for times that are not", () => {
  assertEquals(timeScale([], { width: 500, end: 0 }).ticks, []);
  const one = [item({ sequence: 1, lane: "run", kind: "note", at: at(0) })];
  assertEquals(timeScale(one, { width: 500, end: Date.parse(at(0)) }).place(Date.parse(at(0))), 0);
  const broken = [item({ sequence: 1, lane: "run", kind: "note", at: "soon" }), ...one];
  assert(Number.isFinite(timeScale(broken, { width: 500, end: Date.parse(at(9)) }).place(Date.parse(at(3)))));
});

Deno.test("a patch is read by its counts: text that looks like the head of a file is text", () => {
  const patch = [
    "diff --git a/x b/x",
    "--- a/x",
    "+++ b/x",
    "@@ -1,2 +1,3 @@ place",
    " same",
    "--- a/etc/passwd",
    "+++ b/etc/passwd",
    "+@@ -1 +1 @@",
    "\\ No newline at end of file",
    "diff --git a/y b/y",
  ].join("\n");
  assertEquals(diffBlocks(patch).map(({ kind, lines }) => [kind, lines.length]), [
    ["file", 3],
    ["place", 1],
    ["same", 1],
    ["removed", 1],
    ["added", 2],
    ["same", 1],
    ["file", 1],
  ]);
});

Deno.test("what is chosen in a page is read as it was meant", () => {
  const options = ["1", "2, really", "text: x"].map((label) => ({ label, description: "" }));
  const questions = [
    { question: "One?", multiSelect: false, options },
    { question: "Some?", multiSelect: true, options },
    { question: "Own?", multiSelect: false, options: [] },
  ];
  const chosen = [
    { choices: [1], text: "" },
    { choices: [0, 2], text: "so\nand so" },
    { choices: [], text: " in words " },
  ];
  assertEquals(readReplies(composeReplies(chosen), questions), {
    replies: [
      { choices: [1] },
      { choices: [0, 2], text: "so and so" },
      { choices: [], text: "in words" },
    ],
  });
});

Deno.test("events are read from pieces of any length", () => {
  const text =
    'retry: 1000\n: hello\n\nid: 3\r\ndata: {"a":\r\ndata: 1}\r\n\r\nevent: gap\ndata: {}\n\nid: 4\n\ndata: 5\n\n';
  for (const size of [1, 2, 7, 100]) {
    const events: ServerEvent[] = [];
    const parse = createEventParser((event) => events.push(event));
    for (let from = 0; from < text.length; from += size) parse(text.slice(from, from + size));
    assertEquals(events, [
      { id: "3", event: "message", data: { a: 1 } },
      { id: "3", event: "gap", data: {} },
      { id: "4", event: "message", data: 5 },
    ]);
  }
});

Deno.test("an increment changes what it names, and adds the rest behind", () => {
  const changed = { ...ITEMS[3]!, title: "Changed" };
  const added = item({ sequence: 46, lane: "run", kind: "note", at: at(18_900) });
  const next = withIncrement({ header: HEADER, items: ITEMS }, {
    sequence: 46,
    header: HEADER,
    items: [changed, added],
  });
  assertEquals(next.items.length, ITEMS.length + 1);
  assertEquals([next.items[3], next.items.at(-1)], [changed, added]);
  assertEquals(ITEMS[3]!.title === "Changed", false);
});

Deno.test("all words of a filter must be there; a fragment that is nothing leads nowhere", () => {
  assertEquals(filterItems(ITEMS, NO_FILTER), ITEMS);
  assertEquals(filterItems(ITEMS, { ...NO_FILTER, text: "left-pad  ASKS" }).map(({ id }) => id), ["i17"]);
  assertEquals(itemOfFragment(ITEMS, "#i17")?.sequence, 17);
  assertEquals(itemOfFragment(ITEMS, "#13")?.sequence, 15);
  for (const nothing of ["", "#", "#%", "#9999", "#__proto__"]) assertEquals(itemOfFragment(ITEMS, nothing), undefined);
});

Deno.test("a token is found in an address, in a fragment and by itself, and nothing else is one", () => {
  for (
    const text of [TOKEN, ` ${TOKEN}\n`, `http://127.0.0.1:8484/#token=${TOKEN}`, `#${TOKEN}`, `#a=b&token=${TOKEN}`]
  ) {
    assertEquals(tokenIn(text), TOKEN);
  }
  for (const text of ["", "#i17", `${TOKEN}x`, "http://127.0.0.1:8484/", `#token=<${TOKEN}>`]) {
    assertEquals(tokenIn(text), undefined);
  }
});

Deno.test("a capture of any kind becomes rows: no control character is left, and wide characters know their columns", () => {
  const rows = terminalRows("\x1b[1ma漢\u200bé\x1b]0;t\x07\x1b[999;x\r\n\x1b[0mb\ud83d");
  assertEquals(rows.map((spans) => spans.map(({ text, columns = 0 }) => [text, columns])), [
    [["a", 0], ["漢", 2], ["\\u200b", 0], ["é", 0]],
    [["b", 0], ["\ud83d", 1]],
  ]);
  assertEquals(rows[0]![0]!.style.bold, true);
});
