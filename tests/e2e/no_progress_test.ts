import { assertEquals, assertMatch, assertStringIncludes } from "@std/assert";
import { passAfter, type ScriptStep, setUpFailureStage } from "./failures_stage.ts";

const LIMITS = { max_rounds: 9, min_review_cycles_before_approval: 1, max_review_cycles: 1, max_agent_restarts: 0 };
const FAILS: readonly ScriptStep[] = [{ think: 100 }, { respond: ["RESULT: FAIL", "It is rude."] }, {
  stream: "It fails.",
}];

/** Stops at a limit and continues beyond it; what differs is the limit and what is told of it. */
interface Case {
  readonly limits: Readonly<Record<string, number>>;
  readonly config?: Readonly<Record<string, unknown>>;
  readonly told: string;
  readonly rounds: number;
  readonly raise: string;
}

const CASES: readonly Case[] = [
  {
    limits: { max_same_test_output: 2 },
    config: { project_test_cmd: 'echo "1 failed in $(date +%s%N) ns"; exit 1' },
    told: "the test failed 2 times in a row, up to round 2, with the same output, which is in evidence/r2-test.txt",
    rounds: 2,
    raise: "max_same_test_output=4",
  },
  {
    limits: { max_same_test_output: 2 },
    told: "with the same output, which is in responses/004-tester.md",
    rounds: 2,
    raise: "max_same_test_output=4",
  },
  {
    limits: { max_rounds_without_change: 1, max_same_test_output: 0 },
    told: "round 2 ended with FAIL, and no file changed (files ",
    rounds: 2,
    raise: "max_rounds_without_change=2",
  },
  {
    limits: { max_turns_without_change: 2, max_same_test_output: 0 },
    told: "no file changed in 2 turns in a row, up to r3-programmer-c1 (files ",
    rounds: 3,
    raise: "max_turns_without_change=4",
  },
];

for (const { limits, config = {}, told, rounds, raise } of CASES) {
  const [name = ""] = Object.keys(limits);
  const by = "project_test_cmd" in config ? ", by the test command's output" : "";
  Deno.test(`${name}${by}: the run stops with what it has seen, and --raise continues it`, async () => {
    await using stage = await setUpFailureStage({
      tester: FAILS,
      config: { ...config, limits: { ...LIMITS, max_turns_without_change: 0, ...limits } },
    });
    await using run = stage.run();
    const { code, stderr } = await run.ended();
    assertEquals(code, 3, stderr);
    assertStringIncludes(stderr, `Cannot continue: the cap ${name} (`);
    assertStringIncludes(stderr, told);
    const end = run.facts().findLast(({ type }) => type === "run_finished");
    assertEquals([end?.["outcome"], end?.["rounds"] === rounds || end?.["rounds"] === rounds + 1], [
      "needs_human",
      true,
    ]);
    assertMatch(String(end?.["resumeCommand"]), new RegExp(` resume \\S+ --raise '${raise}'$`));
    const file = /which is in (\S+?)\.?(?:\s|$)/.exec(stderr)?.[1];
    if (file !== undefined) {
      const text = await Deno.readTextFile(`${await run.folder()}/${file}`);
      assertMatch(text, /^exit code 1\n1 failed in \d+ ns|It is rude/);
    }
    await stage.sandbox.assertNothingLeft();

    const repaired = "project_test_cmd" in config ? { project_test_cmd: "true" } : {};
    await stage.configure({ ...repaired, limits: { ...LIMITS, max_turns_without_change: 0, ...limits } });
    await stage.script(passAfter(100));
    const id = (await run.folder()).split("/").at(-1)!;
    await using refused = stage.start("resume", id, "--json", "--accept-changes");
    assertEquals((await refused.ended()).code, 3);
    assertEquals(refused.facts().filter(({ type }) => type === "agent_starting"), []);
    await using resumed = stage.start("resume", id, "--json", "--accept-changes", "--raise", raise);
    const ended = await resumed.ended();
    assertEquals(ended.code, 0, ended.stderr);
    await stage.sandbox.assertNothingLeft();
  });
}

Deno.test("a run whose programmer changes a file goes on to its last round", async () => {
  const writes = { writeFile: { path: "notes.txt", text: "One." } };
  await using stage = await setUpFailureStage({
    tester: FAILS,
    others: { programmer: [{ think: 100 }, writes, { respond: "Done." }, { stream: "Done." }] },
    config: { limits: { ...LIMITS, max_rounds: 2, max_rounds_without_change: 1, max_turns_without_change: 1 } },
  });
  await using run = stage.run();
  const { code, stderr } = await run.ended();
  assertEquals(code, 1, stderr);
  assertEquals(run.facts().filter(({ type }) => type === "round_finished").length, 2);
});
