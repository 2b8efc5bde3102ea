import { assertEquals, assertMatch, assertNotEquals } from "@std/assert";
import { runProgram } from "../../support/program.ts";
import { present } from "../../../lib/base/schema.ts";
import { tempDir } from "../../support/temp_dir.ts";
import { judged, PASS } from "./support.ts";

const TEST = `const { test } = require("node:test");
const assert = require("node:assert/strict");
const { price } = require("./price.js");
test("doubles", () => assert.equal(price(2), 4));
test("stays at none", () => assert.equal(price(0), 0));
`;

const NODE = {
  "price.js": "exports.price = (n) => n * 3;\n",
  "price.test.js": TEST,
};

const FIXED = { "price.js": "exports.price = (n) => n * 2;\n" };

const check = "node --test";

const settings = { canaries: false };

Deno.test("tests that do not run any more, or are skipped, are told by name", async () => {
  const gone = await judged({ ...FIXED, "price.test.js": TEST.replace(/test\("stays.*\n/, "") }, {
    ...{ project: NODE, check, settings },
  });
  assertMatch(gone.remarks.join("\n"), /^1 test that ran before does not run any more: stays at none$/m);
  const skipped = await judged({ ...FIXED, "price.test.js": TEST.replace('test("stays', 'test.skip("stays') }, {
    ...{ project: NODE, check, settings },
  });
  assertMatch(skipped.remarks.join("\n"), /^1 test that ran before is skipped now: stays at none$/m);
});

Deno.test("where the tests as they were fail, it is told which", async () => {
  const { found, remarks } = await judged({ "price.test.js": TEST.replace("price(2), 4", "price(2), 6") }, {
    ...{ project: NODE, check, settings },
  });
  assertMatch(remarks.join("\n"), /^with the tests as they were, it fails: node --test: exit code 1: doubles$/m);
  assertEquals(found?.trials.find(({ kind }) => kind === "original")?.failed, ["doubles"]);
});

Deno.test("what tests have come to is recorded by name", async () => {
  const { found } = await judged(FIXED, { project: NODE, check, settings });
  const { results, total } = found?.tests ?? {};
  assertEquals([total, results], [2, { doubles: "passed", "stays at none": "passed" }]);
});

Deno.test("what was tried on the code as it was while agents worked is told then, and not run again", async () => {
  await using dir = await tempDir();
  const counting = { ...NODE, "count.sh": `cat price.js >> ${dir.path}/runs; node --test` };
  const cases = [["tried", 1, false], ["tried", 1, true], ["given up", 0, false], [undefined, 0, false]] as const;
  for (const [early, told, isCheckout] of cases) {
    const { base, trials } = await judged(FIXED, {
      ...{ project: counting, check: "sh count.sh", settings, isCheckout, ...present({ early }) },
    });
    assertEquals(trials, [["clean", true], ["base", false]]);
    assertEquals(
      base.map(({ passed, failed, total }) => ({ passed, failed, total })),
      told === 0 ? [] : [{ passed: false, failed: ["doubles"], total: 2 }],
    );
    const runs = await Deno.readTextFile(`${dir.path}/runs`);
    // Once where the agent works, once on a fresh checkout.
    assertEquals(runs.split("n * 3").length - 1, 1, `${early}: ${runs}`);
    assertEquals(runs.split("n * 2").length - 1, 2);
    await Deno.remove(`${dir.path}/runs`);
  }
});

Deno.test("unittest is told to name its tests: one that does not run any more has its name", async () => {
  const check = "python3 -m unittest discover";
  const test = (more: string) =>
    `import unittest, price\nclass T(unittest.TestCase):\n  def test_two(self): self.assertEqual(price.of(2), 4)\n${more}`;
  const project = {
    "price.py": "def of(n): return n * 3\n",
    "test_price.py": test("  def test_none(self): self.assertEqual(price.of(0), 0)\n"),
  };
  const done = { "price.py": "def of(n): return n * 2\n" };
  const { found, remarks } = await judged({ ...done, "test_price.py": test("") }, { project, check, settings });
  assertMatch(remarks.join("\n"), /^1 test that ran before does not run any more: .*test_none/m);
  assertEquals([found?.checks?.[0]?.command, Object.values(found?.tests?.results ?? {})], [check, ["passed"]]);
});

Deno.test("a command that runs no test proves nothing: a remark, or a FAIL where tests are required", async () => {
  const project = { "price.js": "exports.price = () => 0;\n", "package.json": "{}\n" };
  const { remarks, result } = await judged(FIXED, { project, check, settings });
  assertEquals([result, remarks], [PASS, ["the checks run no test: nothing is proven but that they end with 0"]]);
  const required = await judged(FIXED, { project, check, settings: { ...settings, requireTests: true } });
  assertEquals(required.result.outcome, "fail");
  const untold = await judged(FIXED, { project, check: "true", settings: { ...settings, requireTests: true } });
  assertEquals(untold.result, {
    outcome: "fail",
    reason: "whether the checks run a test cannot be told, and evidence.require_tests is set",
  });
});

const report = (inner: string) =>
  `printf '<testsuites><testsuite name="a"><testcase classname="a" name="adds">${inner}</testcase></testsuite></testsuites>' > out/junit.xml`;

Deno.test("reports as JUnit has them decide: failures in it, no report, one that came with the commit", async () => {
  const project = { "check.sh": `mkdir -p out; ${report("")}\n`, "price.js": "" };
  const junit = { ...settings, junit: "out/*.xml" };
  const run = (script: string, more: Record<string, string> = {}) =>
    judged({ ...FIXED, "check.sh": script, ...more }, { project, check: "sh check.sh", settings: junit });
  const fine = await judged(FIXED, { project, check: "sh check.sh", settings: junit });
  assertEquals([fine.result, fine.found?.tests?.results], [PASS, { "a > adds": "passed" }]);
  const lies = await run(`mkdir -p out; ${report("<failure/>")}\n`);
  assertMatch(lies.result.reason, /sh check\.sh: its report has tests that failed: a > adds$/);
  const silent = await run("true\n");
  assertMatch(silent.result.reason, /sh check\.sh: no report out\/\*\.xml was written$/);
  const old = await run("true\n", { "out/junit.xml": "<testsuite><testcase name='adds'/></testsuite>" });
  assertMatch(old.result.reason, /sh check\.sh: no report out\/\*\.xml was written$/);
  const elsewhere = await run(`mkdir -p ../elsewhere; ln -s ../elsewhere out; ${report("")}\n`);
  assertMatch(elsewhere.result.reason, /sh check\.sh: no report out\/\*\.xml was written$/);
  const broken = await run("mkdir -p out; echo '<testsuite' > out/junit.xml\n");
  assertMatch(broken.result.reason, /sh check\.sh: the report out\/\*\.xml cannot be read: /);
});

Deno.test("of hidden tests the names are told where the settings say so, and no output", async () => {
  const hidden = { "acceptance/more.test.js": TEST.replace("./price", "../price").replace("2), 4", "3), 6") };
  const project = { ...NODE, ".gitignore": "acceptance/\n" };
  const left = { "price.js": "exports.price = (n) => n === 0 ? 0 : 4;\n" };
  const more = { ...settings, hidden: ["acceptance/"], hiddenTell: "names" as const };
  const { found, output, result } = await judged(left, { project, ignored: hidden, check, settings: more });
  assertEquals(result.reason, "the hidden tests do not pass: node --test: exit code 1: doubles");
  assertEquals([found?.trials.at(-1)?.failed, output], [["doubles"], ""]);
});

Deno.test("a place without which nothing is built is tried with its neighbours, else it is not judged", async () => {
  const project = { "price.js": "exports.price = (n) => n * 3;\n\n\nexports.name = 'a';\n", "price.test.js": TEST };
  const left = {
    "price.js": "const { two } = require('./two.js');\nexports.price = (n) => n * two;\n\n\nexports.name = 'b';\n",
    "two.js": "exports.two = 2;\n",
  };
  const { found } = await judged(left, { project, check, settings: { ...settings, budgetMinutes: 60 } });
  const told = found?.hunks?.map(({ by = [], lines, noticed, path }) => [`${path}:${lines}`, noticed, ...by]) ?? [];
  assertEquals(told.toSorted(), [["price.js:1-2", true, "doubles"], ["price.js:5", false]]);
  assertEquals(found?.untried, 1);
});

Deno.test("a tool that changes the code on purpose is heard", async () => {
  const more = { ...settings, mutationCmd: "echo 3 mutants survived; exit 1" };
  const { remarks, result } = await judged(FIXED, { project: NODE, check, settings: more });
  assertEquals(result, PASS);
  assertMatch(remarks.join("\n"), /^what changes the code on purpose says more: .*: exit code 1$/m);
});

const hasFaketime = await runProgram(["faketime", "--version"], {
  cwd: "/",
  env: { PATH: Deno.env.get("PATH") ?? "" },
  timeoutMs: 20_000,
}).then(({ code }) => code === 0, () => false);

Deno.test({
  name: `what passes on some days only is a remark${hasFaketime ? "" : " (no faketime here)"}`,
  ignore: !hasFaketime,
  async fn() {
    const until = Date.now() + 20 * 86_400_000;
    const left = { "price.js": `exports.price = (n) => Date.now() < ${until} ? n * 2 : 0;\n` };
    const { found, remarks } = await judged(left, { project: NODE, check, settings: { ...settings, repeat: 3 } });
    const again = found?.trials.filter(({ kind }) => kind === "again").map(({ passed }) => passed);
    assertEquals(again, [true, true, false]);
    assertMatch(
      remarks.join("\n"),
      /^it is not the same each time: with TZ=UTC, 40 days later, it fails: .*: doubles$/m,
    );
  },
});

const hasPytest = await runProgram(["python3", "-m", "pytest", "--version"], { cwd: "/", env: {}, timeoutMs: 20_000 })
  .then(({ code }) => code === 0, () => false);

Deno.test({
  name: `pytest names its tests, and is let be where that is what fails${hasPytest ? "" : " (no pytest here)"}`,
  ignore: !hasPytest,
  async fn() {
    const project = {
      "price.py": "def price(n):\n    return n * 3\n",
      "test_price.py":
        "import os\nfrom price import price\n\n\ndef test_doubles():\n    assert price(2) == 4\n\n\ndef test_zero():\n    assert price(0) == 0\n",
    };
    const check = "python3 -m pytest -q -p no:cacheprovider";
    const { found } = await judged({ "price.py": "def price(n):\n    return n + n\n" }, { project, check, settings });
    assertEquals(found?.tests?.results, {
      "test_price.py::test_doubles": "passed",
      "test_price.py::test_zero": "passed",
    });
    assertEquals(found?.trials.find(({ kind }) => kind === "base")?.failed, ["test_price.py::test_doubles"]);
    const touchy = { "price.py": "import os\ndef price(n):\n    return n + n + ('PYTEST_ADDOPTS' in os.environ)\n" };
    const { found: plain, result } = await judged(touchy, { project, check, settings });
    assertEquals([result, plain?.tests?.total], [PASS, 2]);
  },
});

Deno.test("a new test that passes on the code as it was is told by name, and is a FAIL where new tests must fail there", async () => {
  const left = {
    ...FIXED,
    "price.test.js":
      `${TEST}test("doubles three", () => assert.equal(price(3), 6));\ntest("is none", () => assert.equal(price(0), 0));\n`,
  };
  const { remarks } = await judged(left, { project: NODE, check, settings });
  assertMatch(remarks.join("\n"), /^1 new test passes on the code as it was, too: is none$/m);
  const required = await judged(left, { project: NODE, check, settings: { ...settings, requireRed: true } });
  assertEquals(required.result.outcome, "fail");
});

Deno.test("hidden tests are known by their hash, and by nothing else", async () => {
  const hidden = { "acceptance/more.test.js": TEST.replace("./price", "../price") };
  const project = { ...NODE, ".gitignore": "acceptance/\n" };
  const hashOf = async (ignored: Record<string, string>) => {
    const { found } = await judged(FIXED, {
      project,
      ignored,
      check,
      settings: { ...settings, hidden: ["acceptance/"] },
    });
    return found?.trials.find(({ kind }) => kind === "hidden")?.of;
  };
  const first = await hashOf(hidden);
  assertMatch(first ?? "", /^[0-9a-f]{16}$/);
  assertEquals(await hashOf(hidden), first);
  assertNotEquals(await hashOf({ "acceptance/more.test.js": `${hidden["acceptance/more.test.js"]}\n` }), first);
});
