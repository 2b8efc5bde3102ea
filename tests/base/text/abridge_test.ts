import { assert, assertEquals } from "@std/assert";
import { abridge } from "../../../lib/base/text/abridge.ts";

Deno.test("a text that fits stays as it is, one that does not keeps beginning and end", () => {
  const text = Array.from({ length: 100 }, (_, line) => `line ${line}`).join("\n");
  assertEquals(abridge(text, { maxChars: text.length }), text);
  const short = abridge(text, { maxChars: text.length - 1 });
  assert(short.startsWith("line 0\nline 1\n") && short.endsWith("line 98\nline 99"));
  assertEquals(short.match(/\[(.*)\]/)?.[1], "1 line left out, 8 characters");
});

Deno.test("a long line is cut within, and no character in two", () => {
  for (const unit of ["x", "é", "🙂"]) {
    const text = unit.repeat(5000);
    for (let maxChars = 1000; maxChars < 1004; maxChars++) {
      const short = abridge(text, { maxChars });
      assert(short.isWellFormed());
      const [head = "", mark = "", tail = ""] = short.split("\n");
      assertEquals(mark, `[${text.length - head.length - tail.length} characters left out]`);
      assert(head.length + tail.length <= maxChars && head.length + tail.length > maxChars - 3);
    }
  }
});

Deno.test("what is kept is never more than was asked for, whatever the lines", () => {
  for (const length of [1, 7, 90, 400, 1500]) {
    const text = Array.from({ length: 9000 / length }, (_, line) => `${line}`.padEnd(length, ".")).join("\n");
    for (const maxChars of [1000, 1001, 2500]) {
      const kept = abridge(text, { maxChars }).replace(/\n?\[[^\]]*\]\n/, "");
      assert(kept.length <= maxChars && kept.length > maxChars / 3, `${length}, ${maxChars}: ${kept.length}`);
    }
  }
});
