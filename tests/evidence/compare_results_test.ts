import { assertEquals } from "@std/assert";
import { idleTests, noticedBy, remarksOnResults } from "../../lib/evidence/compare_results.ts";
import { inAnotherOrder, namingTests } from "../../lib/evidence/runner_flags.ts";
import { joinResults, resultsIn, type TestResults } from "../../lib/evidence/test_results.ts";

const tap = (...lines: readonly string[]): TestResults => resultsIn(`${lines.join("\n")}\n1..${lines.length}\n`)!;

Deno.test("of tests that are not all named, only their number is compared", () => {
  const [many, few] = [resultsIn("Ran 12 tests in 0.1s\n\nOK\n")!, resultsIn("Ran 11 tests in 0.1s\n\nOK\n")!];
  assertEquals(remarksOnResults(few, many), ["11 tests run, and 12 did before"]);
  assertEquals(remarksOnResults(many, few), []);
  assertEquals(remarksOnResults(tap("ok 1 a"), few), ["1 test run, and 11 did before"]);
});

Deno.test("a test that was skipped before is neither gone nor skipped now; one that is called as another counts by itself", () => {
  const before = tap("ok 1 a", "ok 2 a", "ok 3 b # SKIP");
  assertEquals(remarksOnResults(tap("ok 1 a", "ok 2 a"), before), []);
  assertEquals(remarksOnResults(tap("ok 1 a"), before), ["1 test that ran before does not run any more: a (2)"]);
  assertEquals(remarksOnResults(tap("ok 1 c", "ok 2 d"), tap("ok 1 a", "ok 2 b", "ok 3 e", "ok 4 f")), [
    "4 tests that ran before do not run any more: a, b, e and 1 more",
  ]);
});

Deno.test("who misses a place: the tests that fail without it, nobody that is known, or nothing was built", () => {
  const result = tap("ok 1 a", "not ok 2 b", "ok 3 c");
  assertEquals(noticedBy(tap("not ok 1 a", "not ok 2 b", "ok 3 c"), result), ["a"]);
  assertEquals(noticedBy(tap("not ok 1 all of it"), result), undefined);
  assertEquals(noticedBy(undefined, result), undefined);
  assertEquals(noticedBy(undefined, resultsIn("Ran 3 tests in 0.1s\n")!), []);
});

Deno.test("new tests that pass on the code as it was are told, where it is known which ones are new", () => {
  const now = tap("ok 1 a", "ok 2 b", "ok 3 c");
  const onOldCode = tap("ok 1 a", "ok 2 b", "not ok 3 c");
  assertEquals(idleTests(now, { before: tap("ok 1 a"), onOldCode }), ["b"]);
  assertEquals(idleTests(now, { before: undefined, onOldCode }), []);
  assertEquals(idleTests(now, { before: resultsIn("Ran 1 test in 0.1s\n")!, onOldCode }), []);
});

Deno.test("results of several commands come together", () => {
  const joined = joinResults([tap("ok 1 a"), undefined, tap("ok 1 a", "ok 2 b")]);
  assertEquals([[...joined!.tests.keys()], joined?.total], [["a", "a (2)", "b"], 3]);
  assertEquals(joinResults([undefined]), undefined);
});

Deno.test("only a runner that is called by itself, and known, is called with another order", () => {
  assertEquals(inAnotherOrder("deno test -A tests"), "deno test --shuffle -A tests");
  assertEquals(inAnotherOrder(["go", "test", "./..."]), ["go", "test", "-shuffle=on", "./..."]);
  assertEquals(inAnotherOrder("npx vitest run"), "npx vitest run --sequence.shuffle");
  for (const other of ["npm test", "deno test && rm -rf x", "deno testing", "make test"]) {
    assertEquals(inAnotherOrder(other), undefined, other);
  }
});

Deno.test("a runner that is called by itself names its tests, unless it was told how much to tell", () => {
  assertEquals(namingTests("python3 -m unittest"), "python3 -m unittest -v");
  const words: readonly [string, ...string[]] = ["python3", "-m", "unittest", "discover", "-s", "tests"];
  assertEquals(namingTests(words), ["python3", "-m", "unittest", "discover", "-v", "-s", "tests"]);
  assertEquals(namingTests("npx jest --ci"), "npx jest --verbose --ci");
  for (const same of ["python3 -m unittest -q", "npx jest --silent", "npx vitest run --reporter=dot", "npm test"]) {
    assertEquals(namingTests(same), same);
  }
});

Deno.test("a file that could not be loaded is no test that is gone afterwards", () => {
  const before = resultsIn("# Subtest: /a/b.test.js\nnot ok 1 - /a/b.test.js\n# tests 1\n")!;
  assertEquals([before.tests.size, remarksOnResults(tap("ok 1 a"), before)], [0, []]);
  const in24 = resultsIn("✖ b.test.mjs (40.1ms)\nℹ tests 1\n")!;
  assertEquals([in24.tests.size, remarksOnResults(tap("ok 1 a"), in24)], [0, []]);
});

Deno.test("what is no runner's output has no results", () => {
  for (
    const text of [
      "",
      "all fine\n",
      "- a list\n- of things\n",
      "ok\n",
      "1) first\n2) second\n",
      "✓ 34 modules transformed.\n",
      "checking gcc ... ok\n",
    ]
  ) {
    assertEquals(resultsIn(text), undefined, text);
  }
});

Deno.test("what an agent has a program write takes no time to read, and is kept in bounds", () => {
  const spaces = " ".repeat(1900);
  const hostile = ["ok 1", "Tests: 1", "  Tests (1", "✓ ", "test ", "=== 1 passed", "PASSED "].map((start) =>
    `${start}${spaces}x\n${start}${"1".repeat(1900)}\n`
  ).join("");
  const { tests } = resultsIn(`${hostile.repeat(100)}${"ok 1 a".padEnd(1000, "b")}\n1..1\n`)!;
  assertEquals(Math.max(...[...tests.keys()].map((name) => name.length)) <= 220, true);
});

Deno.test("how long a test took is no part of its name", () => {
  assertEquals([
    ...resultsIn("ok 1 - adds # time=12.5ms\nok 2 - waits 5 ms and goes on # time=6ms\n1..2\n")!.tests.keys(),
  ], [
    "adds",
    "waits 5 ms and goes on",
  ]);
  const listed = resultsIn("✔ waits 5 ms and goes on (6.1ms)\n✔ adds (0.1ms)\nℹ tests 2\n")!;
  assertEquals([...listed.tests.keys()], ["waits 5 ms and goes on", "adds"]);
});
