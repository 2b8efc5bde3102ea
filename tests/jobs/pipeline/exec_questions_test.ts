import { assert, assertEquals, assertNotMatch, assertRejects, assertStringIncludes } from "@std/assert";
import type { ExecEvent } from "../../../lib/journal/exec/facts.ts";
import { executeExec } from "../../../lib/jobs/pipeline/execute.ts";
import { openQuestion } from "../../../lib/journal/exec/state.ts";
import { ASSUME } from "../../../lib/base/terms.ts";
import { DECIDE_YOURSELF } from "../../../lib/jobs/pipeline/machine.ts";
import { EXEC_SETTINGS } from "../../../lib/jobs/pipeline/settings.ts";
import { allWaiting } from "../../../lib/journal/waiting.ts";
import { JOBS } from "../../../lib/jobs/mod.ts";
import { readProgress } from "../../../lib/run/read_progress.ts";
import { findRun } from "../../../lib/run/find_run.ts";
import { defaultsOf } from "../../../lib/base/settings.ts";
import { leaveAnswerFor } from "../../support/run_mail.ts";
import { useStateHome } from "../../support/state_home.ts";
import { tempDir } from "../../support/temp_dir.ts";
import { createFakeClock } from "../../support/fake_clock.ts";
import { asks, cast, fails, only, permitting, resumeIn, runIn, says, step, TOKENS } from "./support.ts";

const NOW = () => new Date("2026-11-20T10:00:00Z");

Deno.test("without a person the run stops with the question and the commands that go on", async () => {
  await using dir = await tempDir();
  await dir.write({ "task.md": "Work." });
  const { report, events } = await runIn(dir, [step("a"), step("b")], {
    ...cast(says(), asks("Which database?")),
    whereArguments: ["--wd", "/my dir"],
  });
  const question = openQuestion(report.state);
  assertEquals([report.outcome, question?.id, question?.text], ["waiting", "q1", "Which database?"]);
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
    leaveAnswerFor(first.report.folder, { question, answer, by: "command", answeredAt: NOW().toISOString() });
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

Deno.test("what is asked at the same time is asked one after another, and the agent continues with all answers", async () => {
  await using dir = await tempDir();
  await dir.write({ "task.md": "Build it." });
  const agents = cast(asks("Which database?", { others: ["Which port?", "Which host?"] }), says());
  const asked: string[] = [];
  const { report, events } = await runIn(dir, [step("a")], {
    ...agents,
    settings: { resume: "native" },
    person: ({ id, text }) => {
      asked.push(`${id} ${text}`);
      return Promise.resolve(`answer to ${text}`);
    },
  });
  assertEquals(report.outcome, "pass");
  assertEquals(asked, ["q1 Which database?", "q2 Which port?", "q3 Which host?"]);
  assertEquals(only(events, "attempt_started").map(({ reason }) => reason), ["first", "answered"]);
  for (const text of ["database", "port", "host"]) {
    assertStringIncludes(agents.requests[1]?.prompt ?? "", `answer to Which ${text}?`);
  }
  assertEquals(only(events, "run_finished")[0]?.usage["test-model"]?.inputTokens, 200);
});

Deno.test("what is asked at the same time waits together: the answer that comes first is kept until the last is there", async () => {
  await using dir = await tempDir();
  await dir.write({ "task.md": "Build it." });
  const { report } = await runIn(dir, [step("a")], cast(asks("Which database?", { others: ["Which port?"] })));
  assertEquals([report.outcome, report.reason], ["waiting", 'questions q1, q2 of step "a" wait for their answers']);
  const give = (question: string, answer: string) =>
    leaveAnswerFor(report.folder, { question, answer, by: "command", answeredAt: NOW().toISOString() });
  const waitingIds = async () => {
    const { progress } = await readProgress(report.folder, JOBS);
    return progress === undefined ? [] : allWaiting(progress).map(({ id }) => id);
  };
  assertEquals(await waitingIds(), ["q1", "q2"]);
  assert(await give("q2", "8080"));
  const early = await resumeIn(dir, [step("a")], { ...cast(), run: report.folder.id });
  assertEquals([early.report.outcome, await waitingIds()], ["waiting", ["q1", "q2"]]);
  assert(await give("q1", "SQLite"));
  const last = cast(says());
  assertEquals((await resumeIn(dir, [step("a")], { ...last, run: report.folder.id })).report.outcome, "pass");
  for (const text of ["8080", "SQLite"]) assertStringIncludes(last.requests[0]?.prompt ?? "", text);
  assertEquals(await waitingIds(), []);
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

Deno.test("a person is told what the task of a question is called: its file, or where it has none its text", async () => {
  await using dir = await tempDir();
  await dir.write({ "task.md": "Build it." });
  for (
    const [text, called] of [[undefined, `${dir.path}/task.md`], ["Fix it now.\nAll of it.", '"Fix it now."']] as const
  ) {
    const tasks: string[] = [];
    await runIn(dir, [step("a")], {
      ...cast(asks("Which database?"), says()),
      ...(text === undefined ? {} : { text }),
      person({ task }) {
        tasks.push(task);
        return Promise.resolve("PostgreSQL");
      },
    });
    assertEquals(tasks, [called]);
  }
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
      const folder = await findRun(dir.path);
      await leaveAnswerFor(folder, {
        question: "q1",
        answer: "SQLite",
        by: "command",
        answeredAt: NOW().toISOString(),
      });
      // The answer may have been seen by now.
      if (!signal.aborted) await new Promise((resolve) => signal.addEventListener("abort", resolve));
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
      runIn(dir, [step("a")], {
        ...agents,
        clock,
        settings: { answerTimeoutSeconds: 900, ...(defaultAnswer === undefined ? {} : { defaultAnswer }) },
      }),
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
    assert(!await leaveAnswerFor(report.folder, { question: "q1", answer: "late", by: "command", answeredAt: "" }));
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

Deno.test("ask_policy assume: an agent continues with its best guess, by its level, and a permission is asked for all the same", async () => {
  await using dir = await tempDir();
  await dir.write({ "task.md": "Build it." });
  const agents = cast(asks("Which database?"), says());
  const assumes = { askPolicy: { "2": "assume" } } as const;
  const { report, events } = await runIn(dir, [step("a", { autonomyLevel: 2 })], { ...agents, ...assumes });
  assertEquals(report.outcome, "pass");
  assertEquals(only(events, "question_answered").map(({ by, answer }) => [by, answer]), [["assume", ASSUME]]);
  assertStringIncludes(agents.requests[1]?.prompt ?? "", "Continue with your best guess");
  const other = await runIn(dir, [step("a", { autonomyLevel: 3 })], { ...cast(asks("Which?")), ...assumes });
  assertEquals(other.report.outcome, "waiting");
  const all = await runIn(dir, [step("a", { autonomyLevel: 3 })], {
    ...cast(asks("Which?"), says()),
    askPolicy: "assume",
  });
  assertEquals(all.report.outcome, "pass");
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
    ...permitting({}),
    caps: {},
    notifications: { ntfy: { url: "http://127.0.0.1:9", topic: "t" } },
  };
  const { folder } = await executeExec(
    { target: { kind: "task", path: `${dir.path}/task.md` }, overrides: {}, configFile: null },
    {
      ...cast(asks("Which database?")),
      plan: { ...plan, settings: defaultsOf(EXEC_SETTINGS) },
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

Deno.test("what keeps notifications from having buttons is told after the first record: the journal stays readable", async () => {
  await using dir = await tempDir();
  await dir.write({ "task.md": "Build it." });
  await using state = await tempDir();
  await Deno.mkdir(`${state.path}/panewright`, { mode: 0o700 });
  await Deno.writeTextFile(`${state.path}/panewright/notify`, "in the way", { mode: 0o600 });
  using _state = useStateHome(state.path);
  const plan = {
    workdir: dir.path,
    pipelines: { main: [step("a")] },
    defaultPipeline: undefined,
    ...permitting({}),
    caps: {},
    notifications: { ntfy: { url: "http://127.0.0.1:9", topic: "t" }, buttons: "all" as const },
  };
  const { folder } = await executeExec(
    { target: { kind: "task", path: `${dir.path}/task.md` }, overrides: {}, configFile: null },
    {
      ...cast(says()),
      plan: { ...plan, settings: defaultsOf(EXEC_SETTINGS) },
      http: { post: () => Promise.resolve() },
    },
  );
  const { progress, problem } = await readProgress(folder, JOBS);
  assertEquals([problem, progress?.finished?.outcome], [undefined, "pass"]);
  assertStringIncludes(progress?.warnings[0]?.message ?? "", "Notifications have no buttons: ");
});
