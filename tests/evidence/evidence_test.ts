import { assertEquals, assertMatch } from "@std/assert";
import { defaultsOf } from "../../lib/base/settings.ts";
import { factsOf, remarksOn } from "../../lib/evidence/remarks.ts";
import { EVIDENCE_SETTINGS } from "../../lib/evidence/settings.ts";
import { partsBy, testPartOf } from "../../lib/evidence/test_files.ts";
import { type Trial, verdictOf } from "../../lib/evidence/verdict.ts";

const SETTINGS = defaultsOf(EVIDENCE_SETTINGS);

Deno.test("what counts as a test is found by the conventions of the runners", () => {
  const tests = [
    ...["a.test.js", "src/a.spec.tsx", "test/a.mjs", "src/__tests__/a.ts", "lib/a_test.ts", "tests/test_a.py"],
    ...[
      "a/b_test.go",
      "tests/it.rs",
      "spec/a_spec.rb",
      "src/test/java/A.java",
      "ATests.cs",
      "test/a_test.exs",
      "run_tests.sh",
    ],
  ];
  assertEquals(tests.filter((path) => testPartOf(path) !== "test"), []);
  const others = ["src/price.js", "README.md", "src/latest.js", "contest.py", "lib/attest.ts", "docs/spec.md"];
  assertEquals(others.filter((path) => testPartOf(path) !== undefined), []);
  assertEquals(
    ["src/__snapshots__/a.snap", "conftest.py", "package.json", "jest.config.cjs", ".github/workflows/ci.yml", ".env"]
      .map(testPartOf),
    ["snapshot", "runner", "runner", "runner", "ci", "runner"],
  );
});

Deno.test("tests, assertions and marks are counted in the languages that are common", async () => {
  const counted: readonly (readonly [string, Partial<Awaited<ReturnType<typeof factsOf>>>])[] = [
    ["test('a', () => { assert.equal(1, 1); expect(x).toBe(1); });\nit.skip('b', f);", {
      tests: 2,
      assertions: 2,
      skipped: 1,
    }],
    ["Deno.test({ name: 'a', ignore: true, fn() { assertEquals(1, 1) } });", { tests: 1, assertions: 1, skipped: 1 }],
    ["describe.only('a', () => { fit('b', () => {}) })", { only: 2 }],
    ["@pytest.mark.skip\ndef test_a():\n    assert 1 == 1\n    self.assertEqual(1, 1)\n", {
      tests: 1,
      assertions: 2,
      skipped: 1,
    }],
    ['func TestA(t *testing.T) {\n\tif x { t.Fatalf("no") }\n\tt.Skip()\n}', { tests: 1, assertions: 1, skipped: 1 }],
    ["#[test]\n#[ignore]\nfn a() { assert_eq!(1, 1); assert!(true); }", { tests: 1, assertions: 2, skipped: 1 }],
    ["  @Test\n  void a() { assertEquals(1, 1); }\n  @Disabled\n", { tests: 1, assertions: 1, skipped: 1 }],
  ];
  for (const [text, expected] of counted) {
    const counts = await factsOf("a", text);
    assertEquals(
      Object.fromEntries(Object.keys(expected).map((key) => [key, counts[key as keyof typeof counts]])),
      expected,
      text,
    );
  }
});

const TEST = "test('a', () => assert(one()));\ntest('b', () => { assert(two()); assert(three()); });\n";

Deno.test("each way of making tests weaker is a remark, in words that accuse nobody; to add tests is none", async () => {
  const manifest = (test: string, version = "1") =>
    `{\n  "version": "${version}",\n  "scripts": {\n    "test": "${test}"\n  }\n}\n`;
  const rows: readonly (readonly [string, string | undefined, string | undefined, RegExp | undefined])[] = [
    ["a.test.js", TEST, undefined, /^a\.test\.js was removed, with 2 tests$/],
    ["a.test.js", TEST, TEST.replace("test('b'", "test.skip('b'"), /1 test more is skipped$/],
    ["a.test.js", TEST, TEST.replace("test('a'", "test.only('a'"), /a mark "only"/],
    ["a.test.js", TEST, TEST.replace(" assert(three());", ""), /1 assertion less$/],
    ["a.test.js", TEST, "test('a', () => assert(one()));\n", /1 test less, 2 assertions less$/],
    ["a.test.js", TEST, TEST.replace("three()", "four()"), /^a\.test\.js was changed$/],
    ["a.test.js", undefined, TEST, undefined],
    ["b.test.js", undefined, "test.only('a', f);", /leave out all other tests/],
    ["src/__snapshots__/a.snap", "1", "2", /tests compare with it/],
    ["package.json", manifest("node --test"), manifest("true"), /may decide how tests run/],
    ["package.json", manifest("node --test"), manifest("node --test", "2"), undefined],
    ["conftest.py", undefined, "import sys", /is new, and may decide how tests run/],
    [".npmrc", undefined, "node-options=--require ./x.js", /is new, and may decide/],
    ["Makefile", "test:\n\t./t\n", "test:\n\ttrue\n", /may decide how tests run/],
    [".github/workflows/ci.yml", "run: npm test", "run: true", /decides what CI checks/],
    ["src/price.js", "1", "2", undefined],
  ];
  for (const [path, before, after, remark] of rows) {
    const known = async (text: string | undefined) => text === undefined ? undefined : await factsOf(path, text);
    const part = testPartOf(path);
    const file = { path, before: await known(before), after: await known(after) };
    const remarks = remarksOn(part === undefined ? [] : [{ ...file, part }]);
    if (remark === undefined) assertEquals(remarks, [], path);
    else assertMatch(remarks.join("\n"), remark, path);
    assertEquals(/cheat|trick|fake/i.test(remarks.join()), false);
  }
});

Deno.test("a PASS is one as far as its trials hold, and the settings say what is none", async () => {
  const facts = await factsOf("a.test.js", TEST);
  const news = [{ path: "new.test.js", part: "test" as const, before: undefined, after: facts }];
  const changed = [{ path: "a.test.js", part: "test" as const, before: facts, after: { ...facts, hash: "" } }];
  const trial = (kind: Trial["kind"], passed: boolean): Trial => ({
    kind,
    passed,
    detail: passed ? "" : "npm test: exit code 1",
  });
  const clean = trial("clean", true);
  const judge = (files: typeof changed | typeof news, trials: readonly Trial[], more: Partial<typeof SETTINGS> = {}) =>
    verdictOf({ files, trials, settings: { ...SETTINGS, ...more } });

  assertEquals(judge([], [clean]), { remarks: [] });
  // What could not be tried has shown nothing, and what cannot be told is said.
  const notMade = { ...trial("red", false), notMade: true };
  assertMatch(judge(news, [clean, notMade]).remarks.join(), /could not be tried: npm test: exit code 1/);
  assertMatch(judge(news, [clean, notMade], { requireRed: true }).problem ?? "", /could not be tried/);
  const untold = (more: Partial<typeof SETTINGS>) =>
    verdictOf({ files: undefined, trials: [], settings: { ...SETTINGS, ...more } });
  assertMatch(untold({}).remarks.join(), /cannot be told/);
  assertMatch(untold({ testsMay: "add" }).problem ?? "", /cannot be told/);
  assertEquals(judge(news, [clean, trial("red", false)]), { remarks: [] });
  assertMatch(judge([], [trial("clean", false)]).problem ?? "", /^it passes only where the agent worked/);
  assertMatch(
    judge(news, [clean, trial("red", true)]).remarks.join(),
    /new\.test\.js passes on the code as it was, too/,
  );
  assertMatch(
    judge(news, [clean, trial("red", true)], { requireRed: true }).problem ?? "",
    /proves nothing of the change/,
  );
  const kept = judge(changed, [clean, trial("original", false), trial("red", false)]);
  assertEquals([kept.problem, kept.remarks.length], [undefined, 2]);
  assertMatch(kept.remarks.join("\n"), /with the tests as they were, it fails: npm test: exit code 1/);
  assertMatch(judge(changed, [clean], { testsMay: "add" }).problem ?? "", /tests_may is "add": a\.test\.js/);
  assertEquals(judge(news, [clean], { testsMay: "add" }).problem, undefined);
  assertMatch(judge(news, [clean], { testsMay: "nothing" }).problem ?? "", /new\.test\.js/);
  assertMatch(judge(changed, [clean], { strict: true }).problem ?? "", /evidence\.strict/);
});

Deno.test("a project says which files are its tests, in place of the runners' conventions", () => {
  const partOf = partsBy(["checks/**/*.lua"]);
  const paths = ["checks/a.lua", "checks/b/c.lua", "src/a.lua", "a.test.js", "package.json"];
  assertEquals(paths.map(partOf), ["test", "test", undefined, undefined, "runner"]);
});
