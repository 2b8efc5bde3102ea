import { assert, assertEquals, assertMatch, assertRejects, assertStringIncludes } from "@std/assert";
import { CapReachedError } from "../../../lib/run/caps.ts";
import type { NoProgressLimits } from "../../../lib/run/no_progress.ts";
import { readRecords } from "../../support/journal_records.ts";
import { type TempDir, tempDir } from "../../support/temp_dir.ts";
import { type Act, cast, only, resumeIn, runIn, says, step } from "./support.ts";

/** The only run of a directory, and how it ended. */
async function endOf(dir: TempDir) {
  const [run] = [...Deno.readDirSync(`${dir.path}/.panewright/runs`)];
  const id = run?.name ?? "";
  return { id, end: (await readRecords(`${dir.path}/.panewright/runs/${id}/journal.ndjson`)).at(-1) };
}

/** A step whose check fails with the same output each time, but for the time that it took. */
const failing = (retry: number) =>
  step("build", {
    retry,
    checks: [{
      type: "shell",
      command: 'test -e fixed || { echo "1 failed in 0.$$ s"; exit 1; }',
      expect: "pass",
      timeLimitSeconds: 60,
    }],
  });

const LIMITS: NoProgressLimits = { maxSameTestOutput: 3 };
const nothing = (times: number) => Array.from({ length: times }, () => says());

Deno.test("max_same_test_output: a check that fails the same way while no file changes stops the run, --raise continues", async () => {
  await using dir = await tempDir();
  await dir.write({ "task.md": "Build it.", "a.txt": "one" });
  const agents = cast(...nothing(3));
  const error = await assertRejects(
    () => runIn(dir, [failing(9)], { ...agents, noProgress: LIMITS }),
    CapReachedError,
    "the cap max_same_test_output (3) is reached: the test failed 3 times in a row, up to check 1 of step build, with " +
      "the same output, and no file changed (files ",
  );
  assertEquals([error.exitCode, agents.requests.length], [3, 3]);
  const { id, end } = await endOf(dir);
  assertEquals(end?.["outcome"], "needs_human");
  assertStringIncludes(String(end?.["resumeCommand"]), `resume ${id} --raise 'max_same_test_output=6'`);

  const idle = cast();
  await assertRejects(() => resumeIn(dir, [failing(9)], { ...idle, run: id, noProgress: LIMITS }), CapReachedError);
  assertEquals(idle.requests, []);
  const fixes: Act = async (request) => {
    await dir.write({ fixed: "" });
    return await says()(request);
  };
  const raise = { max_same_test_output: 5 };
  const { report } = await resumeIn(dir, [failing(9)], { ...cast(fixes), run: id, noProgress: LIMITS, raise });
  assertEquals(report.outcome, "pass");
});

Deno.test("max_same_test_output: attempts that change a file go on, and so does a step without such a limit", async () => {
  for (const noProgress of [LIMITS, { maxSameTestOutput: 0 }]) {
    await using dir = await tempDir();
    await dir.write({ "task.md": "Build it.", "a.txt": "one" });
    let number = 0;
    const changes: Act = async (request) => {
      if (noProgress === LIMITS) await dir.write({ "a.txt": `try ${number++}` });
      return await says()(request);
    };
    const agents = cast(...Array.from({ length: 5 }, () => changes));
    const { report } = await runIn(dir, [failing(4)], { ...agents, noProgress });
    assertEquals([report.outcome, agents.requests.length], ["fail", 5]);
  }
});

Deno.test("a step that has failed gets all its tries again: what was the same before does not count", async () => {
  await using dir = await tempDir();
  await dir.write({ "task.md": "Build it." });
  const noProgress = { maxSameTestOutput: 3 };
  const { report } = await runIn(dir, [failing(1)], { ...cast(...nothing(2)), noProgress });
  assertEquals(report.outcome, "fail");
  const again = cast(...nothing(2));
  await resumeIn(dir, [failing(1)], { ...again, run: report.folder.id, noProgress });
  assertEquals(again.requests.length, 2);
});

/** An agent that runs one command until it is stopped, and makes a file each time if it is to. */
const spins = (
  dir: TempDir,
  { changing = false, times = Infinity, command = "make check" } = {},
): Act =>
async (request) => {
  for (let number = 1; number <= times; number++) {
    request.signal.throwIfAborted();
    // Not one file again and again: a look could see it empty twice, in the middle of a write.
    if (changing) await dir.write({ [`${number}.txt`]: "" });
    request.onProgress?.({ type: "ran", id: `c${number}`, command });
    request.onProgress?.({ type: "saw", id: `c${number}`, command, output: "no", exitCode: 2 });
    // A look at the files takes its time.
    await new Promise((resolve) => setTimeout(resolve, 1));
  }
  return await says()(request);
};

Deno.test("max_same_command: an agent that repeats one command is ended with its step's attempt, --raise continues", async () => {
  await using dir = await tempDir();
  await dir.write({ "task.md": "Build it.", "a.txt": "one" });
  const noProgress = { maxSameCommand: 4 };
  const error = await assertRejects(
    () => runIn(dir, [step("a")], { ...cast(spins(dir)), noProgress }),
    CapReachedError,
    "the cap max_same_command (4) is reached: main/a ran one command ",
  );
  // The agent does not wait for the look at the files: it may have repeated the command more often than that.
  assertMatch(error.message, /\d+ times in a row, with the same output, and no file changed: make check$/);
  const reached = Number(/ran one command (\d+) times/.exec(error.message)?.[1]);
  assert(reached >= 4);
  assertEquals(error.raise, `max_same_command=${reached < 8 ? 8 : 2 * reached}`);
  const { id } = await endOf(dir);
  const idle = cast();
  await assertRejects(() => resumeIn(dir, [step("a")], { ...idle, run: id, noProgress }), CapReachedError);
  assertEquals(idle.requests, []);
  const raise = { max_same_command: Number(error.raise.split("=")[1]) };
  const { report, events } = await resumeIn(dir, [step("a")], { ...cast(says()), run: id, noProgress, raise });
  assertEquals([report.outcome, only(events, "attempt_started")[0]?.reason], ["pass", "interrupted"]);
});

Deno.test("max_same_command: a secret in the command is neither in the journal nor in what is said of it", async () => {
  await using dir = await tempDir();
  await dir.write({ "task.md": "Build it." });
  const agents = cast(spins(dir, { command: "deploy --key correct-horse" }));
  const error = await assertRejects(
    () => runIn(dir, [step("a")], { ...agents, noProgress: { maxSameCommand: 4 }, secrets: ["correct-horse"] }),
    CapReachedError,
    "deploy --key ",
  );
  const { id } = await endOf(dir);
  const journal = await Deno.readTextFile(`${dir.path}/.panewright/runs/${id}/journal.ndjson`);
  assertEquals([error.message, journal].filter((text) => text.includes("correct-horse")), []);
});

Deno.test("max_same_command: a command that makes a file each time is let go on, and so is one below the limit", async () => {
  for (const act of [{ changing: true, times: 7 }, { times: 3 }]) {
    await using dir = await tempDir();
    await dir.write({ "task.md": "Build it.", "a.txt": "0" });
    const { report } = await runIn(dir, [step("a")], { ...cast(spins(dir, act)), noProgress: { maxSameCommand: 4 } });
    assertEquals(report.outcome, "pass");
  }
});
