import { assert, assertEquals, assertRejects } from "@std/assert";
import { createRandom } from "../random.ts";
import { assertProportional, countSteps } from "./count_steps.ts";
import { countMatchSteps } from "./regexp_steps.ts";

const SQUARE: readonly (readonly [string, (size: number) => unknown])[] = [
  ["two loops", (size) => {
    let sum = 0;
    for (let a = 0; a < size; a++) for (let b = 0; b < a; b++) sum += b;
    return sum;
  }],
  ["a pattern that is tried at each place", (size) => /\s+$/.test(" ".repeat(size) + "x")],
  ["a search that begins anew", (size) => {
    const text = "x".repeat(size);
    for (let at = 0; at < size; at++) text.indexOf("y", at);
  }],
  ["pieces that are joined at each step", (size) => {
    let all = new Uint8Array();
    for (let count = 0; count < size; count++) {
      const joined = new Uint8Array(all.length + 1);
      joined.set(all);
      all = joined;
    }
  }],
  ["a list that is copied at each step", (size) => {
    let all: readonly number[] = [];
    for (let count = 0; count < size; count++) all = [...all, count];
  }],
];

const PROPORTIONAL: readonly (readonly [string, (size: number) => unknown])[] = [
  ["a loop", (size) => {
    let sum = 0;
    for (let a = 0; a < size; a++) sum += a;
    return sum;
  }],
  ["a pattern without a choice", (size) => "a b ".repeat(size).replace(/\S+/g, "x")],
  ["sorting", (size) => Array.from({ length: size }, (_, index) => (index * 7919) % size).toSorted((a, b) => a - b)],
];

Deno.test("work that grows with the square of the size is found, whatever does it", async () => {
  for (const [what, run] of SQUARE) {
    await assertRejects(() => assertProportional(run, { what }), Error, `${what} takes `);
  }
});

Deno.test("work in proportion to the size is let through", async () => {
  for (const [what, run] of PROPORTIONAL) await assertProportional(run, { what });
});

Deno.test("the count is the same each time", async () => {
  const run = () => "some words, and more".split(/(?<=o)\w|,/).map((word) => word.trim()).join();
  assertEquals(await countSteps(run), await countSteps(run));
});

/** One of each kind of syntax. */
const PATTERNS = [
  /(a+)(b*)?c/g,
  /^\s*(?:[-*]|\d+\.)\s+(.*)$/gm,
  /(?<![a-z])ab(?!c)|(?<=x)c/g,
  /(?<word>\w+) \k<word>/gi,
  /(.)\1{2,3}?/gs,
  /[^\]\\b]+?\b/g,
  /\p{Lu}[\p{L}\d]*|\u{1f642}/gu,
  /(?:a|(b))*x?/gy,
  /(?:a?)*?b\B/g,
  /\x61\u0062|\t|[\s\S]$/g,
  /(?<=(\d+)(\d+))\./g,
  /(?:a|b\s?){2,4}c?/g,
  /(?:(a)|b?){2,}?c/g,
  /(?:x?){3}a{0}|(?:[ab]{1,2}c){1,2}/g,
];

Deno.test("the search finds what the engine finds", () => {
  const random = createRandom(3);
  const units = [
    "a",
    "b",
    "c",
    "ab",
    "abc",
    "x",
    "A",
    " ",
    "\n",
    "- ",
    "1.",
    "12.",
    "aaa",
    "the the",
    "🙂",
    "é",
    "]",
    "\\",
  ];
  for (const pattern of PATTERNS) {
    for (let round = 0; round < 200; round++) {
      const text = Array.from({ length: 1 + random.int(12) }, () => random.pick(units)).join("");
      pattern.lastIndex = random.int(3);
      const from = pattern.lastIndex;
      const steps = countMatchSteps(pattern, { text, from, found: pattern.exec(text), limit: 100_000 });
      assert(steps > 0 || from > text.length);
    }
  }
});
