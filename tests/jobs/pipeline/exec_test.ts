import { assert, assertEquals, assertMatch, assertNotMatch, assertRejects, assertStringIncludes } from "@std/assert";
import { RuntimeError, UsageError } from "../../../lib/base/errors.ts";
import { claudeCodeProvider } from "../../../lib/agents/claude_code/provider.ts";
import { leaveAnswerFor } from "../../support/run_mail.ts";
import { tempDir } from "../../support/temp_dir.ts";
import { createFakeClock } from "../../support/fake_clock.ts";
import { asks, cast, fails, only, resumeIn, runIn, says, step } from "./support.ts";

const NOW = () => new Date("2026-11-20T10:00:00Z");

Deno.test("the steps of a pipeline run in their order, each with a prompt of its own", async () => {
  await using dir = await tempDir();
  await dir.write({ "task.md": "Add a login.", "plan.md": "Write a plan to PLAN.md." });
  const agents = cast(says(), says());
  const { report, events } = await runIn(dir, [
    step("plan", { prompt: { kind: "file", path: `${dir.path}/plan.md` }, model: "m1" }),
    step("build", { provider: claudeCodeProvider, args: ["--x"], env: { A: "b" }, command: ["my-claude", "y"] }),
  ], agents);
  assertEquals(report.outcome, "pass");
  const [plan, build] = agents.requests;
  assertEquals([plan?.provider.id, plan?.model, plan?.workdir], ["codex", "m1", dir.path]);
  assertEquals(
    [build?.provider.id, build?.model, build?.args, build?.env, build?.command],
    ["claude_code", undefined, ["--x"], { A: "b" }, ["my-claude", "y"]],
  );
  assertStringIncludes(plan?.prompt ?? "", "Write a plan to PLAN.md.");
  assertStringIncludes(plan?.prompt ?? "", "Add a login.");
  assertStringIncludes(build?.prompt ?? "", "YOUR STEP IS THE TASK ITSELF");
  assertEquals(only(events, "step_finished").map(({ name, outcome }) => [name, outcome]), [
    ["plan", "pass"],
    ["build", "pass"],
  ]);
  assertEquals(plan?.stepFolder, `${report.folder.path}/steps/01-plan/attempt-1`);
  assertEquals(await Deno.readTextFile(`${plan?.stepFolder}/prompt.md`), plan?.prompt);
  assertEquals(only(events, "run_finished")[0]?.usage, {
    "test-model": { inputTokens: 200, cachedInputTokens: 20, outputTokens: 10 },
  });
});

Deno.test("seed 004: autonomyLevel, the ask command and the way to ask are in every step's prompt, for Codex as for Claude Code", async () => {
  await using dir = await tempDir();
  await dir.write({ "task.md": "---\nautonomy_level: 4\n---\nWork." });
  const agents = cast(says(), says(), says());
  await runIn(dir, [
    step("a"),
    step("b", { provider: claudeCodeProvider }),
    step("c", { autonomyLevel: 5 }),
  ], { ...agents, settings: { askCommands: [["cat-herder", "ask"]] } });
  assertEquals(
    agents.requests.map(({ prompt }) => /AUTONOMY LEVEL: (\d)/.exec(prompt)?.[1]),
    ["4", "4", "5"],
  );
  for (const { prompt, ask } of agents.requests) {
    assertStringIncludes(prompt, 'cat-herder ask "YOUR QUESTION"');
    assertEquals(ask.commands, [["cat-herder", "ask"]]);
  }
  const forced = cast(says(), says(), says());
  await runIn(dir, [step("a"), step("b"), step("c", { autonomyLevel: 5 })], {
    ...forced,
    overrides: { autonomyLevel: 2 },
  });
  assert(forced.requests.every(({ prompt }) => prompt.includes("AUTONOMY LEVEL: 2")));
});

Deno.test("the pipeline is chosen by the flag, before the front matter, before the default, before the first", async () => {
  await using dir = await tempDir();
  await dir.write({ "task.md": "---\npipeline: second\n---\nWork.", "plain.md": "Work." });
  const pipelines = { first: [step("one")], second: [step("two")], third: [step("three")], fourth: [step("four")] };
  const chosen = async (options: { task?: string; flag?: string; defaultPipeline?: string }) => {
    const { events } = await runIn(dir, [], {
      ...cast(says()),
      pipelines,
      task: options.task ?? "task.md",
      ...(options.defaultPipeline === undefined ? {} : { defaultPipeline: options.defaultPipeline }),
      overrides: options.flag === undefined ? {} : { pipeline: options.flag },
    });
    return only(events, "task_started")[0]?.pipeline;
  };
  assertEquals(await chosen({ flag: "fourth", defaultPipeline: "third" }), "fourth");
  assertEquals(await chosen({ defaultPipeline: "third" }), "second");
  assertEquals(await chosen({ task: "plain.md", defaultPipeline: "third" }), "third");
  assertEquals(await chosen({ task: "plain.md" }), "first");
  const error = await assertRejects(() => chosen({ flag: "fith" }), UsageError, '--pipeline names "fith"');
  assertEquals(error.hint, "The pipelines are first, second, third, fourth.");
});

Deno.test("checks run in their order, and the first that fails ends the step; what it showed is in the next prompt", async () => {
  await using dir = await tempDir();
  await dir.write({ "task.md": "Work." });
  const agents = cast(says("first try"), async (request) => {
    await Deno.writeTextFile(`${request.workdir}/out.txt`, "right");
    return await says("second try")(request);
  });
  const shell = (command: string, expect: "pass" | "fail" = "pass") =>
    ({ type: "shell", command, expect, timeLimitSeconds: 10 }) as const;
  const { report, events } = await runIn(dir, [
    step("build", {
      retry: 1,
      checks: [
        shell("echo ran >> order; echo looking for right; grep right out.txt"),
        shell(`echo second >> order; false`, "fail"),
        { type: "fileExists", paths: ["out.txt", "order"] },
      ],
    }),
  ], agents);
  assertEquals(report.outcome, "pass");
  assertEquals(await Deno.readTextFile(`${dir.path}/order`), "ran\nran\nsecond\n");
  assertEquals(
    only(events, "check_finished").map(({ check, passed }) => [check, passed]),
    [[1, false], [1, true], [2, true], [3, true]],
  );
  const [first, second] = agents.requests;
  assertNotMatch(first?.prompt ?? "", /looking for right/);
  assertStringIncludes(second?.prompt ?? "", "the check failed with exit code");
  assertStringIncludes(second?.prompt ?? "", "looking for right");
  assertStringIncludes(second?.prompt ?? "", "said: first try");
  assertEquals(only(events, "step_finished")[0]?.attempts, 2);
});

Deno.test("retry n: a step has failed after n attempts more, and the steps behind it do not begin", async () => {
  await using dir = await tempDir();
  await dir.write({ "task.md": "Work." });
  const agents = cast(says(), says(), says());
  const { report, events } = await runIn(dir, [
    step("build", { retry: 2, checks: [{ type: "fileExists", paths: ["never.txt"] }] }),
    step("later"),
  ], agents);
  assertEquals(report.outcome, "fail");
  assertEquals(agents.requests.length, 3);
  assertEquals(report.reason, 'step "build" failed: there is no file never.txt');
  assertEquals(only(events, "step_started").length, 1);
  assertEquals(only(events, "task_finished").map(({ outcome }) => outcome), ["fail"]);
});

Deno.test("a turn that ended in an error is a failure, never a completion: the check is not even run", async () => {
  await using dir = await tempDir();
  await dir.write({ "task.md": "Work." });
  const { report, events } = await runIn(dir, [step("build")], cast(fails("stream disconnected")));
  assertEquals(report.outcome, "fail");
  assertStringIncludes(report.reason, "stream disconnected");
  assertEquals(only(events, "check_started"), []);
});

Deno.test("a folder's tasks are done in the order of their names, _… left out, and looked at again after each", async () => {
  await using dir = await tempDir();
  await dir.write({ "t/b.md": "B.", "t/_a.md": "no", "t/.c.md": "no", "t/notes.txt": "no", "t/d.md": "D." });
  const agents = cast(
    async (request) => {
      // The agent of the first task adds two: one after it, one before it.
      await dir.write({ "t/c.md": "C.", "t/a.md": "A." });
      return await says()(request);
    },
    says(),
    says(),
    says(),
  );
  const { report, events } = await runIn(dir, [step("s")], { ...agents, task: "t/" });
  assertEquals(report.outcome, "pass");
  assertEquals(
    only(events, "task_started").map(({ task, file }) => [task, file.split("/").at(-1)]),
    [[1, "b.md"], [2, "a.md"], [3, "c.md"], [4, "d.md"]],
  );
  assertEquals(agents.requests[1]?.stepFolder, `${report.folder.path}/steps/task-002/01-s/attempt-1`);
});

Deno.test("a sequence stops at the task that fails, and goes on with it when it is resumed", async () => {
  await using dir = await tempDir();
  await dir.write({ "t/a.md": "A.", "t/b.md": "B.", "t/c.md": "C." });
  const { report } = await runIn(dir, [step("s")], { ...cast(says(), fails("no")), task: "t/" });
  assertEquals(report.outcome, "fail");
  const again = cast(says(), says());
  const resumed = await resumeIn(dir, [step("s")], { ...again, run: report.folder.id });
  assertEquals(resumed.report.outcome, "pass");
  assertEquals(again.requests.map(({ prompt }) => /```text\n([A-C])\./.exec(prompt)?.[1]), ["B", "C"]);
  assertEquals(only(resumed.events, "run_finished")[0]?.tasks, 3);
});

Deno.test("a task that an agent added and that cannot be used fails the run, for the command line was right", async () => {
  await using dir = await tempDir();
  await dir.write({ "t/a.md": "A." });
  await assertRejects(
    () =>
      runIn(dir, [step("s")], {
        ...cast(async (request) => {
          await dir.write({ "t/b.md": "---\npipeline: nope\n---\nB." });
          return await says()(request);
        }),
        task: "t/",
      }),
    RuntimeError,
    'names "nope"',
  );
});

Deno.test("a usage limit is waited for where that is set, and fails the step where it is not", async () => {
  await using dir = await tempDir();
  await dir.write({ "task.md": "Build it." });
  using clock = createFakeClock();
  const resetsAt = new Date(Date.now() + 3600_000);
  const limit = fails("You've hit your usage limit", { usageLimit: { message: "usage limit", resetsAt } });
  const agents = cast(limit, says());
  const { report, events } = await clock.runUntilSettled(
    runIn(dir, [step("a")], {
      ...agents,
      clock,
      settings: { waitForUsageLimitReset: true },
      wallClock: () => new Date(),
    }),
  );
  assertEquals([report.outcome, Math.round(clock.elapsedSeconds())], ["pass", 3630]);
  assertEquals(only(events, "usage_limit_reached").map((event) => event.resetsAt), [resetsAt.toISOString()]);
  assertEquals(only(events, "attempt_started").map(({ reason }) => reason), ["first", "limit_reset"]);

  const failed = await runIn(dir, [step("a", { retry: 3 })], cast(limit));
  assertEquals(failed.report.outcome, "fail");
  assertMatch(failed.report.reason, /the account's usage limit was reached \(until .*\): usage limit/);
});

Deno.test("several runs in one directory at once have folders, questions and answers of their own", async () => {
  await using dir = await tempDir();
  await dir.write({ "a.md": "Task A.", "b.md": "Task B." });
  const steps = [step("s")];
  const run = (task: string, question: string) => runIn(dir, steps, { ...cast(asks(question)), task });
  const [a, b] = await Promise.all([run("a.md", "A?"), run("b.md", "B?")]);
  assert(a.report.folder.id !== b.report.folder.id);
  for (const [{ report }, answer] of [[a, "answer to A"], [b, "answer to B"]] as const) {
    await leaveAnswerFor(report.folder, { question: "q1", answer, by: "command", answeredAt: NOW().toISOString() });
  }
  const [castA, castB] = [cast(says()), cast(says())];
  await Promise.all([
    resumeIn(dir, steps, { ...castA, run: a.report.folder.id }),
    resumeIn(dir, steps, { ...castB, run: b.report.folder.id }),
  ]);
  for (const [agents, own, other] of [[castA, "A", "B"], [castB, "B", "A"]] as const) {
    const prompt = agents.requests[0]?.prompt ?? "";
    for (const text of [`Task ${own}.`, `${own}?`, `answer to ${own}`]) assertStringIncludes(prompt, text);
    assertNotMatch(prompt, new RegExp(`Task ${other}|answer to ${other}`));
  }
});

Deno.test("another agent plays a step whose account is used up, and the steps after it have their own again once that is reset", async () => {
  await using dir = await tempDir();
  await dir.write({ "task.md": "Build it." });
  using clock = createFakeClock();
  const startedMs = Date.now();
  const wallClock = () => new Date(startedMs + clock.elapsedSeconds() * 1000);
  const resetsAt = new Date(startedMs + 3600_000);
  const limit = fails("You've hit your usage limit", { usageLimit: { message: "usage limit", resetsAt } });
  const fallbacks = [{ provider: claudeCodeProvider, args: ["--x"], env: { A: "b" }, command: ["other"] as const }];
  const steps = ["a", "b", "c"].map((name) => step(name, { model: "m1", fallbacks }));
  const late = async () => {
    await clock.sleep(2 * 3600_000);
    return await says()({} as never);
  };
  const agents = cast(limit, asks("Which?"), says(), late, says());
  const options = { clock, wallClock, person: () => Promise.resolve("this") };
  const { report, events } = await clock.runUntilSettled(runIn(dir, steps, { ...agents, ...options }));
  assertEquals(report.outcome, "pass");
  assertEquals(agents.requests.map(({ provider: { id }, model, command }) => [id, model, command]), [
    ["codex", "m1", undefined],
    ["claude_code", undefined, ["other"]],
    ["claude_code", undefined, ["other"]],
    ["claude_code", undefined, ["other"]],
    ["codex", "m1", undefined],
  ]);
  const own = ["claude_code", "claude_code", "claude_code"];
  assertEquals(only(events, "attempt_started").map(({ login }) => login), [undefined, ...own, undefined]);
});

Deno.test("a login that is refused, and a server that stays down, are an agent's of which another one takes the place", async () => {
  await using dir = await tempDir();
  await dir.write({ "task.md": "Build it." });
  for (const failure of ["auth", "overloaded", "model"] as const) {
    using clock = createFakeClock();
    const fallbacks = [{ provider: claudeCodeProvider, args: [], env: {} }];
    const agents = cast(fails("refused", { failure }), says());
    const { report, events } = await clock.runUntilSettled(
      runIn(dir, [step("a", { fallbacks })], { ...agents, clock, wallClock: () => new Date() }),
    );
    assertEquals([report.outcome, agents.requests.map(({ provider: { id } }) => id)], [
      "pass",
      ["codex", "claude_code"],
    ]);
    assertEquals(only(events, "attempt_recovering").map((fact) => [fact.class, fact.recovery, fact.login]), [
      [failure, "fallback", "codex"],
    ]);
  }
});

Deno.test("an agent that fails of what nobody knows has the step's own retries, and then another one takes its place", async () => {
  await using dir = await tempDir();
  await dir.write({ "task.md": "Build it." });
  for (const retry of [0, 1]) {
    using clock = createFakeClock();
    const fallbacks = [{ provider: claudeCodeProvider, args: [], env: {} }];
    const unknown = Array.from({ length: retry + 1 }, () => fails("What?", { failure: "other" }));
    const agents = cast(...unknown, says());
    const { report, events } = await clock.runUntilSettled(
      runIn(dir, [step("a", { retry, fallbacks })], { ...agents, clock, wallClock: () => new Date() }),
    );
    const own = unknown.map(() => "codex");
    assertEquals([report.outcome, agents.requests.map(({ provider: { id } }) => id)], [
      "pass",
      [...own, "claude_code"],
    ]);
    assertEquals(only(events, "attempt_recovering").map((fact) => [fact.class, fact.recovery]), [[
      "other",
      "fallback",
    ]]);
  }
});
