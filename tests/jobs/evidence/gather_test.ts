import { assertEquals, assertMatch } from "@std/assert";
import { defaultsOf } from "../../../lib/base/settings.ts";
import { EVIDENCE_SETTINGS } from "../../../lib/evidence/settings.ts";
import { createJudge, withEvidence } from "../../../lib/jobs/evidence/gather.ts";
import { noteCheckout } from "../../../lib/jobs/evidence/noted.ts";
import type { RunFactOf } from "../../../lib/journal/run_facts.ts";
import { createRunFolder } from "../../../lib/run/run_folder.ts";
import { runProgram } from "../../support/program.ts";
import { useStateHome } from "../../support/state_home.ts";
import { tempDir } from "../../support/temp_dir.ts";
import { listWorkspaces } from "../../../lib/workspace/workspace.ts";
import { judged as judgedIn, type Judging, type Left, PASS, recordingRun } from "./support.ts";

/** A project whose tests are a script for each behaviour. */
const PROJECT = {
  "double.sh": 'echo "$(($1 * 2))"\n',
  "tests/double_test.sh": 'test "$(sh double.sh 2)" = 4 && test "$(sh double.sh 3)" = 6\n',
  "test.sh": 'for t in tests/*_test.sh; do sh "$t" || exit 1; done\n',
  ".gitignore": "cache\n",
};

/** Has an agent work in a workspace of the project, and looks at its PASS. */
async function judged(left: Left, settings: Judging["settings"] = {}) {
  const { base: _b, found: _f, how: _h, output: _o, passesThere, problem: _p, ...found } = await judgedIn(left, {
    project: PROJECT,
    check: "sh test.sh",
    settings: { canaries: false, ...settings },
  });
  assertEquals(passesThere, true);
  return found;
}

const HALF = { "half.sh": 'echo "$(($1 / 2))"\n' };
const HALF_TEST = { "tests/half_test.sh": 'test "$(sh half.sh 4)" = 2\n' };

Deno.test("honest work is a plain PASS: a feature with its test, a change without one, nothing at all", async () => {
  const feature = await judged({ ...HALF, ...HALF_TEST });
  assertEquals(feature, { result: PASS, remarks: [], trials: [["clean", true], ["red", false]] });
  const refactored = await judged({ "double.sh": 'echo "$(($1 + $1))"\n' });
  assertEquals(refactored, { result: PASS, remarks: [], trials: [["clean", true]] });
  assertEquals(await judged({}), { result: PASS, remarks: [], trials: [] });
});

Deno.test("what passes only by what is in no commit is no PASS", async () => {
  // The result works with a file that git ignores, and that nobody else will have.
  const { result, trials } = await judged({
    "cache": "4\n",
    "double.sh": "cat cache\n",
    "tests/double_test.sh": "sh double.sh\n",
  });
  assertEquals([result.outcome, trials], ["fail", [["clean", false]]]);
  assertMatch(
    result.reason,
    /^it passes only where the agent worked; on a fresh checkout of its result: sh test\.sh: exit code 1$/,
  );
});

Deno.test("the tests as they were decide as well: where they fail, the PASS has a remark that says so", async () => {
  const weakened = await judged({ "double.sh": "echo 4\n", "tests/double_test.sh": 'test "$(sh double.sh 2)" = 4\n' });
  assertEquals([weakened.result, weakened.trials], [PASS, [["clean", true], ["original", false], ["red", true]]]);
  assertMatch(
    weakened.remarks.join("\n"),
    /tests\/double_test\.sh was changed[^]*with the tests as they were, it fails: sh test\.sh/,
  );
  const removed = await judged({ "double.sh": "echo 4\n", "tests/double_test.sh": undefined, ...HALF, ...HALF_TEST });
  assertMatch(
    removed.remarks.join("\n"),
    /tests\/double_test\.sh was removed[^]*with the tests as they were, it fails/,
  );
  const script = await judged({ "double.sh": "echo 4\n", "test.sh": "true\n" });
  assertMatch(script.remarks.join("\n"), /test\.sh was changed[^]*with the tests as they were, it fails/);
});

Deno.test("a new test that passes on the code as it was proves nothing, and is said to", async () => {
  const empty = await judged({ ...HALF, "tests/half_test.sh": "true\n" });
  assertEquals([empty.result, empty.trials], [PASS, [["clean", true], ["red", true]]]);
  assertMatch(
    empty.remarks.join(),
    /tests\/half_test\.sh passes on the code as it was, too: it proves nothing of the change/,
  );
  const required = await judged({ ...HALF, "tests/half_test.sh": "true\n" }, { requireRed: true });
  assertEquals(required.result.outcome, "fail");
});

Deno.test("the settings say what of it is a FAIL, and without the clean room what was changed is told all the same", async () => {
  const weaker = { "tests/double_test.sh": 'test "$(sh double.sh 2)" = 4\n' };
  assertEquals((await judged(weaker, { testsMay: "add" })).result.outcome, "fail");
  assertEquals((await judged({ ...HALF, ...HALF_TEST }, { testsMay: "add" })).result, PASS);
  const { remarks, trials } = await judged(weaker, { cleanRoom: false });
  assertEquals([remarks, trials], [["tests/double_test.sh was changed"], []]);
});

/** Has an agent work in the checkout itself, and looks at its PASS. */
async function judgedInCheckout(
  left: Left,
  { begun = true, hide, isPlain = false, odd, settings = {} }: {
    readonly settings?: Judging["settings"];
    readonly begun?: boolean;
    /** A shell script that puts something odd into the checkout before the run begins. */
    readonly odd?: string;
    /** A shell script by which the agent has git pass by what it changes then. */
    readonly hide?: string;
    /** Whether it is a folder without git. @default {false} */
    readonly isPlain?: boolean;
  } = {},
) {
  await using dir = await tempDir();
  using _state = useStateHome(`${dir.path}/state`);
  const repo = `${dir.path}/repo`;
  await dir.write(Object.fromEntries(Object.entries(PROJECT).map(([name, text]) => [`repo/${name}`, text])));
  const env = { HOME: "/nowhere", PATH: Deno.env.get("PATH") ?? "" };
  const git = async (...args: readonly string[]) => {
    const who = ["-c", "user.name=A", "-c", "user.email=a@example.com"];
    const { code, stdout } = await runProgram(["git", ...who, ...args], { cwd: repo, env, timeoutMs: 20_000 });
    assertEquals(code, 0);
    return stdout;
  };
  const stateOfGit = async () => isPlain ? "" : await git("status", "--porcelain=v2", "--branch");
  if (!isPlain) {
    await git("init", "-q");
    await git("add", "double.sh");
    await git("commit", "-q", "-m", "first");
    // What is in no commit yet was there before as well, and what a person has put into their index stays in it.
    await git("add", "tests");
  }
  const before = await stateOfGit();
  const records: { readonly type: string }[] = [];
  const run = recordingRun(await createRunFolder(repo, { now: new Date() }), records);
  const plan = { workdir: repo, evidence: { ...defaultsOf(EVIDENCE_SETTINGS), canaries: false, ...settings } };
  if (odd !== undefined) await runProgram(["sh", "-c", odd], { cwd: repo, env, timeoutMs: 20_000 });
  if (begun) await noteCheckout(run, plan);
  if (odd === undefined) assertEquals(await stateOfGit(), before);
  if (hide !== undefined) await runProgram(["sh", "-c", hide], { cwd: repo, env, timeoutMs: 20_000 });
  for (const [name, text] of Object.entries(left)) {
    if (text === undefined) await Deno.remove(`${repo}/${name}`, { recursive: true });
    else await Deno.writeTextFile(`${repo}/${name}`, text);
  }
  const checks = [{ command: "sh test.sh", timeLimitSeconds: 60 }];
  const judge = createJudge({ run, plan });
  await judge(checks);
  // The same is looked at, and told, once.
  const result = await withEvidence(PASS, () => judge(checks));
  assertEquals(records.filter(({ type }) => type === "evidence_gathered").length <= 1, true);
  // Each is a trial of its own, and nothing of it is left.
  assertEquals(listWorkspaces(), []);
  const found = records.find(({ type }) => type === "evidence_gathered") as RunFactOf<"evidence_gathered"> | undefined;
  if (isPlain) assertEquals([...Deno.readDirSync(repo)].some(({ name }) => name === ".git"), false);
  else if (!(".git" in left)) assertEquals(await git("for-each-ref", "refs/panewright"), "");
  return { result, remarks: found?.remarks, trials: found?.trials.map(({ kind, passed }) => [kind, passed]) };
}

Deno.test("where agents work in the checkout itself, what they have made is tried on a fresh checkout as well", async () => {
  const feature = await judgedInCheckout({ ...HALF, ...HALF_TEST });
  assertEquals(feature, { result: PASS, remarks: [], trials: [["clean", true], ["red", false]] });
  assertEquals(await judgedInCheckout({}), { result: PASS, remarks: undefined, trials: undefined });
  const weakened = await judgedInCheckout({ "double.sh": "echo 4\n", "tests/double_test.sh": "true\n" });
  assertEquals(weakened.result, PASS);
  assertEquals(weakened.remarks?.slice(0, 2), [
    "tests/double_test.sh was changed",
    "with the tests as they were, it fails: sh test.sh: exit code 1",
  ]);
  const strict = { ...HALF, "tests/half_test.sh": "true\n" };
  assertEquals((await judgedInCheckout(strict, { settings: { requireRed: true } })).result.outcome, "fail");
  assertEquals(
    (await judgedInCheckout({ "tests/double_test.sh": "true\n" }, {
      settings: { testsMay: "add", cleanRoom: false },
    })).result.outcome,
    "fail",
  );
});

for (const flag of ["--assume-unchanged", "--skip-worktree"]) {
  Deno.test(`a test that says less in the checkout itself is no plain PASS, also where git is told to pass it by: ${flag}`, async () => {
    const cheat = { "double.sh": "echo 4\n", "tests/double_test.sh": "true\n" };
    const { remarks } = await judgedInCheckout(cheat, { hide: `git update-index ${flag} tests/double_test.sh` });
    assertEquals(remarks?.slice(0, 2), [
      "tests/double_test.sh was changed",
      "with the tests as they were, it fails: sh test.sh: exit code 1",
    ]);
  });
}

Deno.test("a folder without git is judged as a checkout is, and stays one without git", async () => {
  const feature = await judgedInCheckout({ ...HALF, ...HALF_TEST }, { isPlain: true });
  assertEquals(feature, { result: PASS, remarks: [], trials: [["clean", true], ["red", false]] });
  const weakened = await judgedInCheckout(
    { "double.sh": "echo 4\n", "tests/double_test.sh": "true\n" },
    { isPlain: true },
  );
  assertEquals(weakened.remarks?.slice(0, 2), [
    "tests/double_test.sh was changed",
    "with the tests as they were, it fails: sh test.sh: exit code 1",
  ]);
  const begun = await judgedInCheckout(HALF, { isPlain: true, odd: "truncate -s 65M data" });
  assertMatch(begun.remarks?.join("\n") ?? "", /once more: Cannot take .*: 65 MB of it are in no commit/);
});

Deno.test("what passes in the checkout only by what git ignores is a remark: it may be what a person has there, too", async () => {
  const left = { cache: "4\n", "double.sh": "cat cache\n", "tests/double_test.sh": "sh double.sh\n" };
  const { remarks, result, trials } = await judgedInCheckout(left);
  assertEquals([result, trials], [PASS, [["clean", false]]]);
  assertEquals(
    remarks?.at(-1),
    "on a fresh checkout, without what git ignores, it does not pass: sh test.sh: exit code 1",
  );
  assertEquals((await judgedInCheckout(left, { settings: { strict: true } })).result.outcome, "fail");
});

Deno.test("what the checks are given of what git ignores is a remark where it was changed after the run began", async () => {
  const about = {
    project: { "double.sh": "cat node_modules/dep\n", ".gitignore": "node_modules\n" },
    isCheckout: true,
  };
  const ignored = { "node_modules/dep": "4\n", "node_modules/other": "" };
  const check = 'test "$(sh double.sh)" = 4';
  const settings = { canaries: false };
  const left = { "double.sh": "cat node_modules/dep # as before\n" };
  const kept = await judgedIn(left, { ...about, check, settings, ignored });
  assertEquals([kept.trials, kept.remarks], [[["clean", true]], []]);
  const patched = await judgedIn({ ...left, "node_modules/dep": "4\n" }, { ...about, check, settings, ignored });
  assertEquals(patched.remarks, [
    "the checks were given what git ignores, and it was changed while agents worked: node_modules/dep",
  ]);
});

Deno.test("what a checkout was is noted before agents work, once; where that is not known any more, that is said", async () => {
  const unknown = await judgedInCheckout(HALF, { begun: false });
  assertEquals(unknown.result, PASS);
  assertMatch(unknown.remarks?.join("\n") ?? "", /nothing was run once more: what was there before is not known/);
  const { remarks, result } = await judgedInCheckout({ ".git": undefined });
  assertEquals(result, PASS);
  assertMatch(remarks?.join("\n") ?? "", /what was done to the tests cannot be told[^]*nothing was run once more: /);
  for (
    const [odd, why] of [
      [
        "mkfifo deep && mkdir fifo && mkfifo fifo/.gitignore",
        /once more: Cannot take .*fifo\/\.gitignore, which is not a file/,
      ],
      [
        "truncate -s 300M data",
        /once more: Cannot take .*: 300 MB of it are in no commit, and git does not ignore them/,
      ],
    ] as const
  ) {
    const begunOddly = await judgedInCheckout(HALF, { odd });
    assertEquals(begunOddly.result, PASS);
    assertMatch(begunOddly.remarks?.join("\n") ?? "", why);
    assertEquals((await judgedInCheckout(HALF, { odd, settings: { strict: true } })).result.outcome, "fail");
  }
});

Deno.test("tests that cannot be run on the code as it was prove nothing, and are said not to have been tried", async () => {
  const { remarks, trials } = await judged({ ...HALF, "tests/half_test.sh": "test -e half.sh || exit 127\n" });
  assertEquals(trials, [["clean", true], ["red", false]]);
  // The script of all tests ends with 1 then: that is a test that failed.
  assertEquals(remarks, []);
  const { remarks: untried } = await judgedIn({ ...HALF, "tests/half_test.sh": "test -e half.sh || exit 127\n" }, {
    ...{ project: PROJECT, check: 'for t in tests/*_test.sh; do sh "$t" || exit $?; done' },
    settings: { canaries: false },
  });
  assertMatch(untried.join(), /could not be tried: .*exit code 127/);
});
