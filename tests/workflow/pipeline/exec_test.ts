import { assert, assertEquals, assertMatch, assertNotMatch, assertRejects, assertStringIncludes } from "@std/assert";
import { RuntimeError, UsageError } from "../../../lib/errors.ts";
import { leaveAnswer } from "../../../lib/journal/answers.ts";
import { openJournal } from "../../../lib/journal/journal.ts";
import { readJournal } from "../../../lib/journal/read_journal.ts";
import { lockRun } from "../../../lib/journal/run_lock.ts";
import type { ExecEvent } from "../../../lib/workflow/pipeline/events.ts";
import { executeExec } from "../../../lib/workflow/pipeline/execute.ts";
import { DECIDE_YOURSELF } from "../../../lib/workflow/pipeline/machine.ts";
import { DEFAULT_EXEC_SETTINGS } from "../../../lib/workflow/pipeline/settings.ts";
import { tempDir } from "../../support/temp_dir.ts";
import { createFakeClock } from "../../support/fake_clock.ts";
import { asks, cast, fails, only, resumeIn, runIn, says, step, TOKENS } from "./support.ts";

const NOW = () => new Date("2026-11-20T10:00:00Z");

Deno.test("the steps of a pipeline run in their order, each with a prompt of its own", async () => {
  await using dir = await tempDir();
  await dir.write({ "task.md": "Add a login.", "plan.md": "Write a plan to PLAN.md." });
  const agents = cast(says(), says());
  const { report, events } = await runIn(dir, [
    step("plan", { prompt: { kind: "file", path: `${dir.path}/plan.md` }, model: "m1" }),
    step("build", { provider: "claude_code", args: ["--x"], env: { A: "b" }, command: ["my-claude", "y"] }),
  ], agents);
  assertEquals(report.outcome, "pass");
  const [plan, build] = agents.requests;
  assertEquals([plan?.provider, plan?.model, plan?.workdir], ["codex", "m1", dir.path]);
  assertEquals(
    [build?.provider, build?.model, build?.args, build?.env, build?.command],
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
    step("b", { provider: "claude_code" }),
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

Deno.test("without a person the run stops with the question and the commands that go on", async () => {
  await using dir = await tempDir();
  await dir.write({ "task.md": "Work." });
  const { report, events } = await runIn(dir, [step("a"), step("b")], {
    ...cast(says(), asks("Which database?")),
    whereArguments: ["--wd", "/my dir"],
  });
  assertEquals([report.outcome, report.question?.id, report.question?.text], ["waiting", "q1", "Which database?"]);
  const [waiting] = only(events, "question_waiting");
  assertEquals(
    waiting?.answerCommand,
    `panewright answer ${report.folder.id} --wd '/my dir' --question q1 "YOUR ANSWER"`,
  );
  assertEquals(waiting?.resumeCommand, `panewright resume ${report.folder.id} --wd '/my dir'`);
  assertEquals(only(events, "run_finished").at(-1)?.outcome, "waiting");
});

Deno.test("seed 004: the resumed step's prompt has the question, the answer, the interaction history and previousAttemptLog; later steps see the history", async () => {
  await using dir = await tempDir();
  await dir.write({ "task.md": "Build it." });
  const steps = [step("a"), step("b"), step("c")];
  const first = await runIn(dir, steps, cast(asks("Tabs or spaces?"), says()));
  assertEquals(first.report.outcome, "waiting");
  const { id } = first.report.folder;
  const give = (question: string, answer: string) =>
    leaveAnswer(first.report.folder, { question, answer, by: "command", answeredAt: NOW().toISOString() });
  assert(await give("q1", "Spaces."));

  const second = cast(says(), asks("Which database?", { log: "$ cat schema.sql\nsaid: hm" }));
  assertEquals((await resumeIn(dir, steps, { ...second, run: id })).report.outcome, "waiting");
  assert(await give("q2", "PostgreSQL"));

  const third = cast(says(), says());
  const { report, events } = await resumeIn(dir, steps, { ...third, run: id });
  assertEquals(report.outcome, "pass");
  const [resumed, later] = third.requests;
  assertEquals(resumed?.resumeSessionId, undefined);
  for (
    const text of [
      "Build it.",
      "Tabs or spaces?",
      "Spaces.",
      "Which database?",
      "PostgreSQL",
      "$ cat schema.sql",
      "said: hm",
    ]
  ) {
    assertStringIncludes(resumed?.prompt ?? "", text);
  }
  assertStringIncludes(resumed?.prompt ?? "", "IN THE ATTEMPT THAT YOUR QUESTION STOPPED");
  for (const text of ["Tabs or spaces?", "Spaces.", "Which database?", "PostgreSQL"]) {
    assertStringIncludes(later?.prompt ?? "", text);
  }
  assertNotMatch(later?.prompt ?? "", /cat schema/);
  assertEquals(only(events, "attempt_started").map(({ attempt, reason }) => [attempt, reason]), [
    [2, "answered"],
    [1, "first"],
  ]);
  // Tokens of all processes of the run are counted: five attempts.
  assertEquals(only(events, "run_finished")[0]?.usage["test-model"]?.inputTokens, 500);
});

Deno.test("resume native: the CLI's own session goes on, and is told the answer only", async () => {
  await using dir = await tempDir();
  await dir.write({ "task.md": "Build it." });
  const agents = cast(asks("Which database?", { sessionId: "thread-7" }), says());
  const { report, events } = await runIn(dir, [step("a")], {
    ...agents,
    settings: { resume: "native" },
    person: () => Promise.resolve("PostgreSQL"),
  });
  assertEquals(report.outcome, "pass");
  const [, resumed] = agents.requests;
  assertEquals(resumed?.resumeSessionId, "thread-7");
  assertStringIncludes(resumed?.prompt ?? "", "PostgreSQL");
  assertNotMatch(resumed?.prompt ?? "", /Build it|AUTONOMY/);
  assertEquals(only(events, "attempt_started").map(({ native }) => native), [false, true]);
});

Deno.test("resume native: a session that is gone is replaced by a new process that is told all, at no cost of a retry", async () => {
  await using dir = await tempDir();
  await dir.write({ "task.md": "Build it." });
  const agents = cast(
    asks("Which database?", { log: "$ ls src" }),
    fails("no rollout found for thread id"),
    says(),
  );
  const { report } = await runIn(dir, [step("a")], {
    ...agents,
    settings: { resume: "native" },
    person: () => Promise.resolve("PostgreSQL"),
  });
  assertEquals(report.outcome, "pass");
  const last = agents.requests[2];
  assertEquals(last?.resumeSessionId, undefined);
  for (const text of ["Build it.", "Which database?", "PostgreSQL", "$ ls src"]) {
    assertStringIncludes(last?.prompt ?? "", text);
  }
});

Deno.test("a person at the terminal answers, and the run goes on in the same process", async () => {
  await using dir = await tempDir();
  await dir.write({ "task.md": "Build it." });
  const asked: string[] = [];
  const { report, events } = await runIn(dir, [step("a")], {
    ...cast(asks("Which database?", { log: "$ ls" }), says()),
    person: (question) => {
      asked.push(`${question.step}: ${question.text} after ${question.attemptLog}`);
      return Promise.resolve("PostgreSQL");
    },
  });
  assertEquals([report.outcome, asked], ["pass", ["a: Which database? after $ ls"]]);
  assertEquals(only(events, "question_answered").map(({ by, answer }) => [by, answer]), [["terminal", "PostgreSQL"]]);
});

Deno.test("while a person is asked at the terminal, `panewright answer` may come first", async () => {
  await using dir = await tempDir();
  await dir.write({ "task.md": "Build it." });
  let closed = false;
  const { report, events } = await runIn(dir, [step("a")], {
    ...cast(asks("Which database?"), says()),
    async person(_question, signal) {
      const [run] = [...Deno.readDirSync(`${dir.path}/.panewright/runs`)];
      await Deno.writeTextFile(
        `${dir.path}/.panewright/runs/${run?.name}/answers/q1.json`,
        JSON.stringify({ question: "q1", answer: "SQLite", by: "command", answeredAt: NOW().toISOString() }),
      );
      await new Promise((resolve) => signal.addEventListener("abort", resolve));
      closed = true;
      return undefined;
    },
  });
  assertEquals([report.outcome, closed], ["pass", true]);
  assertEquals(only(events, "question_answered").map(({ by, answer }) => [by, answer]), [["command", "SQLite"]]);
});

Deno.test("a person may leave the question open: the run stops and can be resumed", async () => {
  await using dir = await tempDir();
  await dir.write({ "task.md": "Build it." });
  const { report } = await runIn(dir, [step("a")], {
    ...cast(asks("Which database?")),
    person: () => Promise.resolve(undefined),
  });
  assertEquals(report.outcome, "waiting");
});

Deno.test("Ctrl-C while a person is asked interrupts the run, and the question stays open", async () => {
  await using dir = await tempDir();
  await dir.write({ "task.md": "Build it." });
  const controller = new AbortController();
  const events: ExecEvent[] = [];
  await assertRejects(
    () =>
      runIn(dir, [step("a")], {
        ...cast(asks("Which database?")),
        signal: controller.signal,
        onFact: (event) => events.push(event),
        person(_question, signal) {
          const { promise, resolve } = Promise.withResolvers<undefined>();
          signal.addEventListener("abort", () => resolve(undefined));
          controller.abort(new Error("interrupted"));
          return promise;
        },
      }),
    Error,
    "interrupted",
  );
  assertEquals(only(events, "run_finished").map(({ outcome }) => outcome), ["interrupted"]);
  assertEquals(only(events, "question_waiting"), []);
  const run = only(events, "run_started")[0]?.runId ?? "";
  const resumed = await resumeIn(dir, [step("a")], { ...cast(says()), run, person: () => Promise.resolve("this") });
  assertEquals(resumed.report.outcome, "pass");
});

Deno.test("answer_timeout: after it the default answer is given, without one the run stops", async () => {
  for (const defaultAnswer of ["Take SQLite.", undefined]) {
    await using dir = await tempDir();
    await dir.write({ "task.md": "Build it." });
    using clock = createFakeClock();
    const agents = cast(asks("Which database?"), says());
    const { report, events } = await clock.runUntilSettled(
      runIn(dir, [step("a")], { ...agents, clock, settings: { answerTimeoutSeconds: 900, defaultAnswer } }),
    );
    // The fake time of the waiting goes on while the answer is written to the real disk.
    assert(clock.elapsedSeconds() >= 900 && clock.elapsedSeconds() < 3600, `${clock.elapsedSeconds()} s`);
    if (defaultAnswer === undefined) {
      assertEquals(report.outcome, "waiting");
      continue;
    }
    assertEquals(report.outcome, "pass");
    assertEquals(only(events, "question_answered").map(({ by, answer }) => [by, answer]), [["timeout", defaultAnswer]]);
    assertStringIncludes(agents.requests[1]?.prompt ?? "", "Nobody answered in time");
    assert(!await leaveAnswer(report.folder, { question: "q1", answer: "late", by: "command", answeredAt: "" }));
  }
});

Deno.test('autonomy level 0: a question is answered by "decide yourself" without stopping, unless it is set otherwise', async () => {
  await using dir = await tempDir();
  await dir.write({ "task.md": "Build it." });
  const agents = cast(asks("Which database?"), says());
  const { report, events } = await runIn(dir, [step("a", { autonomyLevel: 0 })], agents);
  assertEquals(report.outcome, "pass");
  assertEquals(only(events, "question_answered").map(({ by, answer }) => [by, answer]), [["level", DECIDE_YOURSELF]]);
  assertStringIncludes(agents.requests[1]?.prompt ?? "", DECIDE_YOURSELF.slice(0, 40));
  const stopped = await runIn(dir, [step("a", { autonomyLevel: 0 })], {
    ...cast(asks("Which database?")),
    settings: { atLevel0: "ask" },
  });
  assertEquals(stopped.report.outcome, "waiting");
});

Deno.test("the questions of a step have a cap: after it the agent must decide, and fails when it goes on asking", async () => {
  await using dir = await tempDir();
  await dir.write({ "task.md": "Build it." });
  let asked = 0;
  const question = asks("Again?");
  const { report, events } = await runIn(dir, [step("a", { retry: 5 }), step("b")], {
    ...cast(question, question, question, question, question, question),
    settings: { maxQuestionsPerStep: 2 },
    person: () => Promise.resolve(`answer ${++asked}`),
  });
  assertEquals(asked, 2);
  assertEquals(only(events, "question_answered").map(({ by }) => by), ["terminal", "terminal", "cap", "cap", "cap"]);
  assertEquals(report.outcome, "fail");
  assertStringIncludes(report.reason, "it asked 6 questions");
});

Deno.test("a crash while the question waits loses nothing: it is asked again, and resumed with its answer", async () => {
  await using dir = await tempDir();
  await dir.write({ "task.md": "Build it." });
  const steps = [step("a")];
  const first = await runIn(dir, steps, cast(asks("Which database?")));
  const { folder } = first.report;
  // As a process leaves it that is killed while it waits: no end, and half a record.
  const lines = (await Deno.readTextFile(folder.journalPath)).split("\n");
  const kept = lines.slice(0, lines.findIndex((line) => line.includes('"question_asked"')) + 1);
  await Deno.writeTextFile(folder.journalPath, `${kept.join("\n")}\n{"at":"2026-11-20T10:0`);

  const asked: string[] = [];
  const agents = cast(says());
  const { report } = await resumeIn(dir, steps, {
    ...agents,
    run: folder.id,
    person: ({ id, text }) => {
      asked.push(`${id} ${text}`);
      return Promise.resolve("PostgreSQL");
    },
  });
  assertEquals([report.outcome, asked], ["pass", ["q1 Which database?"]]);
  assertStringIncludes(agents.requests[0]?.prompt ?? "", "PostgreSQL");
  assertEquals((await readJournal(folder.journalPath)).at(-1)?.type, "run_finished");
});

Deno.test("a crash in the middle of an attempt: the step begins anew with the log of what was broken off", async () => {
  await using dir = await tempDir();
  await dir.write({ "task.md": "Build it." });
  const steps = [step("a"), step("b")];
  const controller = new AbortController();
  await assertRejects(
    () =>
      runIn(dir, steps, {
        ...cast(says(), async ({ stepFolder }) => {
          await Deno.writeTextFile(`${stepFolder}/log.txt`, "said: halfway through\n");
          controller.abort(new Error("crash"));
          throw controller.signal.reason;
        }),
        signal: controller.signal,
      }),
    Error,
    "crash",
  );
  const [run] = [...Deno.readDirSync(`${dir.path}/.panewright/runs`)];
  const agents = cast(says());
  const { report, events } = await resumeIn(dir, steps, { ...agents, run: run?.name ?? "" });
  assertEquals(report.outcome, "pass");
  assertEquals(only(events, "attempt_started").map(({ step, attempt, reason }) => [step, attempt, reason]), [
    [2, 2, "interrupted"],
  ]);
  assertStringIncludes(agents.requests[0]?.prompt ?? "", "said: halfway through");
});

Deno.test("a step that failed gets its tries anew when the run is resumed; a run that passed cannot be resumed", async () => {
  await using dir = await tempDir();
  await dir.write({ "task.md": "Build it." });
  const steps = [step("a"), step("b", { checks: [{ type: "fileExists", paths: ["b.txt"] }], retry: 1 })];
  const { report } = await runIn(dir, steps, cast(says(), says(), says()));
  assertEquals(report.outcome, "fail");
  await dir.write({ "b.txt": "" });
  const again = cast(says());
  const resumed = await resumeIn(dir, steps, { ...again, run: report.folder.id });
  assertEquals([resumed.report.outcome, again.requests.length], ["pass", 1]);
  assertStringIncludes(again.requests[0]?.prompt ?? "", "there is no file b.txt");
  await assertRejects(() => resumeIn(dir, steps, { ...cast(), run: report.folder.id }), UsageError, "it has passed");
});

Deno.test("a run that is being executed cannot be resumed by a second process", async () => {
  await using dir = await tempDir();
  await dir.write({ "task.md": "Build it." });
  const { report } = await runIn(dir, [step("a")], cast(asks("Which database?")));
  using _owner = await lockRun(report.folder);
  await assertRejects(
    () => resumeIn(dir, [step("a")], { ...cast(), run: report.folder.id }),
    UsageError,
    `process ${Deno.pid} executes it`,
  );
});

Deno.test("a pipeline whose steps have other names by now cannot be gone on with", async () => {
  await using dir = await tempDir();
  await dir.write({ "task.md": "Build it." });
  const { report } = await runIn(dir, [step("a")], cast(asks("Which database?")));
  await assertRejects(
    () => resumeIn(dir, [step("a"), step("b")], { ...cast(), run: report.folder.id }),
    UsageError,
    'the pipeline "main" had the steps a when the task was begun, and has a, b now',
  );
});

Deno.test("a run of the review loop is none that can be resumed", async () => {
  await using dir = await tempDir();
  await dir.write({ ".panewright/runs/20261120-072605-aaaa/x": "" });
  using journal = openJournal(`${dir.path}/.panewright/runs/20261120-072605-aaaa/journal.ndjson`);
  journal.append({ type: "run_started" });
  await assertRejects(
    () => resumeIn(dir, [], { ...cast(), run: "20261120-072605-aaaa" }),
    UsageError,
    'none of "panewright exec"',
  );
});

Deno.test("a folder's tasks are done in alphabetical order, _… left out, and looked at again after each", async () => {
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
    await leaveAnswer(report.folder, { question: "q1", answer, by: "command", answeredAt: NOW().toISOString() });
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

Deno.test("each fact is in the journal before it is told, and every prefix of the journal can be gone on from", async () => {
  await using dir = await tempDir();
  await dir.write({ "task.md": "Build it." });
  const steps = [step("a"), step("b")];
  const { report } = await runIn(dir, steps, {
    ...cast(says(), asks("Which database?"), says()),
    person: () => Promise.resolve("PostgreSQL"),
  });
  const { folder } = report;
  const lines = (await Deno.readTextFile(folder.journalPath)).trimEnd().split("\n");
  // The answer that was left counts for as long as its question is not answered.
  for (let length = 2; length < lines.length - 1; length++) {
    await Deno.writeTextFile(folder.journalPath, `${lines.slice(0, length).join("\n")}\n{"at"`);
    const left = lines.slice(length).filter((line) =>
      line.includes('"attempt_finished"') || line.includes('"question_asked"')
    );
    const acts = left.map((line) => line.includes('"question_asked"') ? asks("Which database?") : says());
    const agents = cast(...acts);
    const resumed = await resumeIn(dir, steps, { ...agents, run: folder.id });
    assertEquals([resumed.report.outcome, agents.requests.length], ["pass", left.length], `prefix of ${length}`);
  }
});

Deno.test("tokens that a question cost are counted", async () => {
  await using dir = await tempDir();
  await dir.write({ "task.md": "Build it." });
  const { events } = await runIn(dir, [step("a")], cast(asks("Which database?")));
  assertEquals(only(events, "run_finished")[0]?.usage, TOKENS);
});

Deno.test("a notification tells that a question waits, and how to answer it", async () => {
  await using dir = await tempDir();
  await dir.write({ "task.md": "Build it." });
  const sent: string[] = [];
  const plan = {
    workdir: dir.path,
    pipelines: { main: [step("a")] },
    defaultPipeline: undefined,
    notifications: { url: "http://127.0.0.1:9", topic: "t" },
  };
  const { folder } = await executeExec(
    { target: { kind: "task", path: `${dir.path}/task.md` }, overrides: {}, configFile: null },
    {
      ...cast(asks("Which database?")),
      plan: { ...plan, settings: DEFAULT_EXEC_SETTINGS },
      http: {
        post(_url, { headers, body }) {
          sent.push(`${headers["title"]} ${headers["priority"]}\n${body}`);
          return Promise.resolve();
        },
      },
    },
  );
  assertEquals(sent, [
    `panewright: a question of step a 5\nWhich database?\n\npanewright answer ${folder.id} --question q1 "YOUR ANSWER"`,
  ]);
});
