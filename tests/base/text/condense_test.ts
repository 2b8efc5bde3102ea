import { assert, assertEquals, assertLessOrEqual, assertStringIncludes } from "@std/assert";
import { condense } from "../../../lib/base/text/condense.ts";
import { createRandom } from "../../support/random.ts";

const MARK = /^\[(\d+) lines left out\]$/;

Deno.test("a text that fits is kept as it is, without the blank lines around it", () => {
  assertEquals(condense("\n\n  a\n\nb  \n\n", { maxLines: 3 }), "  a\n\nb  ");
  assertEquals(condense("", { maxLines: 1 }), "");
  assertEquals(condense("\n \n", { maxLines: 1 }), "");
});

Deno.test("head, tail, headings, verdicts, errors and paths are kept, and the loss is counted", () => {
  const filler = (name: string) => Array.from({ length: 30 }, (_, index) => `${name} prose number ${index}`);
  const text = [
    "first",
    ...filler("a"),
    "## Failures",
    ...filler("b"),
    "TypeError: x is undefined",
    ...filler("c"),
    "see src/deep/file.ts",
    ...filler("d"),
    "RESULT: FAIL",
    ...filler("e"),
    "last",
  ].join("\n");
  const lines = condense(text, { maxLines: 13 }).split("\n");
  assertEquals(lines.length, 13);
  assertEquals([lines[0], lines.at(-1)], ["first", "last"]);
  for (const kept of ["## Failures", "TypeError: x is undefined", "RESULT: FAIL"]) assert(lines.includes(kept), kept);
  assert(condense(text, { maxLines: 15 }).includes("see src/deep/file.ts"));
});

Deno.test("what is less worth gives way first, and what is left over goes to the top of the rest", () => {
  const text = [
    "head",
    ...Array(20).fill("prose"),
    "lib/a.ts",
    ...Array(20).fill("prose"),
    "Error: x",
    "prose",
    "tail",
  ];
  const condensed = (maxLines: number) => condense(text.join("\n"), { maxLines }).split("\n");
  assertEquals(condensed(3), ["head", "[43 lines left out]", "tail"]);
  assertEquals(condensed(5), ["head", "[41 lines left out]", "Error: x", "prose", "tail"]);
  assertEquals(condensed(6), ["head", "prose", "[40 lines left out]", "Error: x", "prose", "tail"]);
  assertEquals(condensed(7), [
    "head",
    "[20 lines left out]",
    "lib/a.ts",
    "[20 lines left out]",
    "Error: x",
    "prose",
    "tail",
  ]);
});

Deno.test("of a very long line the middle is left out and counted", () => {
  const line = condense("x".repeat(300) + "y".repeat(700), { maxLines: 3, maxLineLength: 100 });
  assertEquals(line, "x".repeat(50) + "[900 characters left out]" + "y".repeat(50));
  assertEquals(condense("🎉".repeat(100), { maxLines: 1, maxLineLength: 11 }).isWellFormed(), true);
});

Deno.test("property: the result is within its limit, in order, and every line is there or counted", () => {
  const random = createRandom(99);
  const pool = [
    "",
    "prose",
    "## H",
    "Error: e",
    "see lib/a.ts",
    "RESULT: PASS",
    "LABEL: x",
    "    at f (a.js:1)",
    "- item",
  ];
  for (let run = 0; run < 2000; run++) {
    const lines = Array.from(
      { length: 1 + random.int(60) },
      (_, index) => `${random.pick(pool)}${random.pick(["", ` ${index}`])}`,
    );
    const maxLines = 1 + random.int(30);
    const given = lines.join("\n").replace(/^\s*\n/, "");
    const all = trimBlank(given);
    const result = condense(given, { maxLines });
    const out = result === "" ? [] : result.split("\n");
    assertLessOrEqual(out.length, maxLines);
    let at = 0;
    for (const line of out) {
      const left = MARK.exec(line)?.[1];
      if (left === undefined) assertEquals(line, all[at++]);
      else at += Number(left);
    }
    assertEquals(at, all.length);
  }
});

Deno.test("condensing what was condensed changes nothing", () => {
  const text = Array.from({ length: 200 }, (_, index) => index % 17 === 0 ? `Error: ${index}` : `line ${index}`).join(
    "\n",
  );
  const once = condense(text, { maxLines: 20 });
  assertStringIncludes(once, "left out");
  assertEquals(condense(once, { maxLines: 20 }), once);
});

function trimBlank(text: string): string[] {
  const lines = text.split("\n");
  const first = lines.findIndex((line) => line.trim() !== "");
  return first < 0 ? [] : lines.slice(first, lines.findLastIndex((line) => line.trim() !== "") + 1);
}
