import { assertEquals, assertStringIncludes } from "@std/assert";
import { readRecords } from "../../support/journal_records.ts";
import { tempDir } from "../../support/temp_dir.ts";
import { judgeCommand } from "../../../lib/jobs/pipeline/checks.ts";
import type { StepPlan } from "../../../lib/jobs/pipeline/plan.ts";
import { cast, type Ended, only, resumeIn, runIn, says, step } from "./support.ts";

const SHELL = { type: "shell", expect: "pass", timeLimitSeconds: 60 } as const;
/** Programs that cannot be run: none, one that is no program, one that a shell does not find. */
const UNMADE = [
  { ...SHELL, command: ["./check.sh"] },
  { ...SHELL, command: ["./task.md"] },
  { ...SHELL, command: "echo seen; no-such-check-1" },
  { ...SHELL, command: ["./check.sh"], expect: "fail" },
] as const satisfies StepPlan["checks"];

Deno.test("a check whose command cannot be run fails the step with that reason: no retry, no way of next.fail", async (t) => {
  for (const check of UNMADE) {
    await t.step([check.command, check.expect].flat().join(" "), async () => {
      await using dir = await tempDir();
      await dir.write({ "task.md": "Build it." });
      const steps = [step("fix"), step("test", { checks: [check], retry: 3, next: { fail: "fix" } })];
      const agents = cast(says(), says());
      const { report, events } = await runIn(dir, steps, agents);
      assertEquals([report.outcome, agents.requests.length], ["fail", 2]);
      const code = check.command[0] === "./task.md" ? 126 : 127;
      const reason = `the check's command could not be run (exit code ${code})`;
      assertEquals(only(events, "step_finished").map(({ name, reason, next }) => [name, reason, next]), [
        ["fix", undefined, undefined],
        ["test", reason, undefined],
      ]);
      assertEquals(only(events, "check_finished").at(-1)?.notMade, true);
      assertEquals(only(events, "run_finished")[0]?.reason, `step "test" failed: ${reason}`);
    });
  }
});

Deno.test("a command that must fail and is killed has not failed as it must; one that must pass has not passed", async () => {
  await using dir = await tempDir();
  await dir.write({ "task.md": "Build it." });
  const red = { ...SHELL, command: "kill -KILL $$", expect: "fail" } as const;
  const { report } = await runIn(dir, [step("a", { checks: [red], retry: 1 })], cast(says()));
  assertStringIncludes(report.reason, "the check's command was killed (exit code 137): cannot tell whether it fails");
  const ended = { passed: false, timedOut: false, seconds: 1, output: "", truncated: false };
  for (const exitCode of [129, 130, 137, 143]) {
    const { passed, notMade } = judgeCommand(red, { ...ended, exitCode });
    assertEquals([passed, notMade], [false, true]);
    const green = judgeCommand({ ...red, expect: "pass" }, { ...ended, exitCode });
    assertEquals([green.passed, green.notMade], [false, undefined]);
  }
  // SIGABRT is how an assertion of C fails.
  assertEquals(judgeCommand(red, { ...ended, exitCode: 134 }).passed, true);
});

Deno.test("files that cannot be looked for are no missing files", async () => {
  await using dir = await tempDir();
  await dir.write({ "task.md": "Build it." });
  const paths = [`${"x".repeat(300)}.txt`];
  const { report, events } = await runIn(
    dir,
    [step("a", { checks: [{ type: "fileExists", paths }], retry: 1 })],
    cast(says()),
  );
  assertEquals(report.outcome, "fail");
  assertStringIncludes(only(events, "step_finished")[0]?.reason ?? "", "cannot be looked for");
});

/** A run whose step "test" waits for a person to mend what its checks need; the file `check.sh` is missing. */
async function unmade(dir: Awaited<ReturnType<typeof tempDir>>, { allowWrite }: Pick<StepPlan, "allowWrite"> = {}) {
  await dir.write({ "task.md": "Build it." });
  const checks = [{ ...SHELL, command: "echo before >> made" }, { ...SHELL, command: ["./check.sh"] }] as const;
  const steps = [step("test", { checks, retry: 1, ...(allowWrite === undefined ? {} : { allowWrite }) }), step("last")];
  const ended = await runIn(dir, steps, cast(says("Built.")));
  assertEquals(ended.report.outcome, "fail");
  return { steps, ended };
}

/** What a person does between the runs. */
async function mend(path: string, exitCode: number): Promise<void> {
  await Deno.writeTextFile(`${path}/check.sh`, `#!/bin/sh\necho mended\nexit ${exitCode}\n`, { mode: 0o755 });
}

Deno.test("when the run is resumed, the checks are made again, and no agent is started for it", async () => {
  await using dir = await tempDir();
  const { steps, ended: { report } } = await unmade(dir, { allowWrite: ["made"] });
  // What a person mends is not what the agent has written.
  await mend(dir.path, 0);
  const agents = cast(says());
  const resumed = await resumeIn(dir, steps, { ...agents, run: report.folder.id });
  assertEquals([resumed.report.outcome, agents.requests.length], ["pass", 1]);
  assertStringIncludes(agents.requests[0]?.prompt ?? "", 'step 2 of 2, "last"');
  assertEquals(only(resumed.events, "check_finished").map(({ check, passed }) => [check, passed]).slice(0, 2), [
    [1, true],
    [2, true],
  ]);
});

Deno.test("a check that says no once it can be made is told to the agent, the earlier reason is not", async () => {
  await using dir = await tempDir();
  const { steps, ended: { report } } = await unmade(dir);
  await mend(dir.path, 1);
  const agents = cast(says(), says());
  const resumed = await resumeIn(dir, steps, { ...agents, run: report.folder.id });
  assertEquals([resumed.report.outcome, agents.requests.length], ["fail", 1]);
  const [prompt = ""] = agents.requests.map(({ prompt }) => prompt);
  assertStringIncludes(prompt, "the check failed with exit code 1");
  assertEquals(prompt.includes("could not be run"), false);
});

Deno.test("a run that was killed after any record of such a check makes it again, and begins no attempt", async () => {
  await using dir = await tempDir();
  const { steps, ended: { report, events } } = await unmade(dir);
  await mend(dir.path, 0);
  const journal = (await Deno.readTextFile(report.folder.journalPath)).split("\n");
  const records = await readRecords(report.folder.journalPath) as unknown as Ended["events"];
  assertEquals(only(events, "check_finished").length, 2);
  const from = records.findIndex(({ type }) => type === "attempt_finished") + 1;
  for (let kept = from; kept <= records.length; kept++) {
    await Deno.writeTextFile(report.folder.journalPath, `${journal.slice(0, kept).join("\n")}\n`);
    const agents = cast(says());
    const resumed = await resumeIn(dir, steps, { ...agents, run: report.folder.id });
    assertEquals([resumed.report.outcome, agents.requests.length], ["pass", 1], `after ${records[kept - 1]?.type}`);
  }
});
