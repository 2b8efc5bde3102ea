import { assert, assertEquals, assertMatch, assertNotMatch, assertStringIncludes, assertThrows } from "@std/assert";
import { actionsIo } from "../../../lib/cli/console/actions_io.ts";
import { jobSummary } from "../../../lib/cli/reports/job_summary.ts";
import { junitXml } from "../../../lib/cli/reports/junit.ts";
import { openReports } from "../../../lib/cli/reports/mod.ts";
import { summaryTable } from "../../../lib/cli/reports/table.ts";
import { UsageError } from "../../../lib/base/errors.ts";
import type { ExecFact } from "../../../lib/journal/exec/facts.ts";
import { NO_SUMMARY, summarize, wholeSummary } from "../../../lib/journal/exec/summary.ts";
import { plainRow } from "../../../lib/base/text/ansi.ts";
import { placesIn } from "../../../lib/base/text/places_in.ts";
import { fakeIo } from "../../support/fake_io.ts";
import { tempDir } from "../../support/temp_dir.ts";

const HOSTILE = 'x\x1b[2J\u202e | `a` <b>\n::add-mask::y\n##[error]z ]]> & "q" 100%';

function started(workdir = "/w"): ExecFact {
  return {
    type: "run_started",
    job: "exec",
    runId: "r1",
    workdir,
    folder: `${workdir}/.panewright/runs/r1`,
    target: { kind: "folder", path: `${workdir}/tasks` },
    configFile: null,
    overrides: {},
  };
}

function attempt(step: number, seconds: number): readonly ExecFact[] {
  const place = { task: 1, step, attempt: 1 };
  const usage = { m: { inputTokens: 100, cachedInputTokens: 0, outputTokens: 7 } };
  return [
    { type: "attempt_started", ...place, reason: "first", native: false, folder: "f", promptBytes: 1 },
    { type: "tokens_counted", usage: { m: { ...usage.m, inputTokens: 40 } }, passable: true },
    {
      type: "attempt_finished",
      ...place,
      outcome: "completed",
      timedOut: false,
      exitCode: 0,
      finalText: "",
      usage,
      attemptLog: "",
      seconds,
    },
  ];
}

/** A folder of four tasks: one left out, one whose second step fails, and two that were not begun. */
function facts({ output = HOSTILE, workdir = "/w" } = {}): readonly ExecFact[] {
  const file = `${workdir}/tasks/2-b.md`;
  const check = { type: "check_finished", task: 1, step: 2, check: 1, passed: false, seconds: 5, output } as const;
  return [
    started(workdir),
    { type: "task_skipped", task: 1, file: `${workdir}/tasks/1-a.md`, run: "r0", of: 4 },
    { type: "task_started", task: 2, file, pipeline: "main", steps: ["plan", "build", "last"], text: "", of: 4 },
    { type: "step_started", task: 2, step: 1, name: "plan", provider: "codex", autonomyLevel: 1, startedAt: "" },
    ...attempt(1, 60),
    { type: "step_finished", task: 2, step: 1, name: "plan", outcome: "pass", attempts: 1 },
    { type: "step_started", task: 2, step: 2, name: "build", provider: "codex", autonomyLevel: 1, startedAt: "" },
    ...attempt(2, 1),
    { ...check, description: "npm test", detail: "the check failed with exit code 3" },
    ...attempt(2, 2),
    { ...check, description: "npm test", detail: "the check failed with exit code 3" },
    { type: "step_finished", task: 2, step: 2, name: "build", outcome: "fail", attempts: 2, reason: HOSTILE },
    { type: "task_finished", task: 2, file, outcome: "fail", reason: HOSTILE },
    { type: "run_finished", outcome: "fail", tasks: 0, reason: HOSTILE, usage: {}, seconds: 61, resumeCommand: "p r" },
  ];
}

const SUMMARY = facts().reduce(summarize, NO_SUMMARY).summary;

Deno.test("the end of a folder's run is a table with task, step, result, duration and tokens", () => {
  assertEquals(summaryTable(SUMMARY), [
    "TASK  STEP   RESULT   TIME    TOKENS",
    "1-a          SKIPPED",
    "2-b   plan   PASS     1m 00s  100 in, 7 out",
    "      build  FAIL     13 s    200 in, 14 out",
    "      last   -",
    "1 of 4 tasks done",
  ]);
  const coloured = summaryTable(SUMMARY, { color: true });
  assertStringIncludes(coloured.join("\n"), "2-b   plan   \x1b[32mPASS\x1b[0m     1m 00s");
  assertEquals(coloured.map(plainRow), summaryTable(SUMMARY));
});

Deno.test("the columns of the table are as wide as a terminal shows their cells", () => {
  const text = JSON.stringify(facts()).replaceAll('"plan"', '"計画計画"');
  const rows = summaryTable((JSON.parse(text) as ExecFact[]).reduce(summarize, NO_SUMMARY).summary);
  assertEquals(rows.slice(2, 4), [
    "2-b   計画計画  PASS     1m 00s  100 in, 7 out",
    "      build     FAIL     13 s    200 in, 14 out",
  ]);
});

Deno.test("a task that is tried anew has the time and the tokens of its earlier try, too", () => {
  const [run, , begun, ...rest] = facts();
  if (run === undefined || begun?.type !== "task_started") throw new TypeError("the facts are others");
  const again = { ...begun, task: 3 };
  const tried = [run, begun, ...rest, { type: "run_resumed", runId: "r1", folder: "/w" } as const, again, ...rest];
  const { tasks } = tried.reduce(summarize, NO_SUMMARY).summary;
  assertEquals(tasks.map(({ number, steps }) => [number, ...steps.map(({ seconds }) => seconds)]), [[3, 120, 26, 0]]);
  assertEquals(tasks.flatMap(({ steps }) => steps.map(({ usage }) => usage["m"]?.inputTokens)), [200, 400, undefined]);
});

Deno.test("JUnit XML has a suite for each task and a case for each step; what programs wrote cannot end its element", () => {
  const xml = junitXml(SUMMARY, "it failed");
  assertStringIncludes(xml, '<testsuite name="1-a" tests="1" failures="0" errors="0" skipped="1" time="0.000">');
  assertStringIncludes(xml, '<testsuite name="2-b" tests="3" failures="1" errors="0" skipped="1" time="73.000">');
  assertStringIncludes(xml, "npm test: the check failed with exit code 3\nx\ufffd[2J");
  assertStringIncludes(xml, "##[error]z ]]&gt; &amp; &quot;q&quot; 100%</failure>");
  // What fails a later attempt is not what the check of an earlier one has found.
  const checked = facts().findLastIndex(({ type }) => type === "check_finished");
  const later = junitXml(facts().toSpliced(checked, 1).reduce(summarize, NO_SUMMARY).summary, "it failed");
  assertMatch(later, /<failure message="[^"]*"><\/failure>/);
  const waiting = facts().slice(0, -3).reduce(summarize, NO_SUMMARY).summary;
  assertStringIncludes(junitXml(waiting, "a question waits"), '<error message="a question waits"></error>');
  // deno-lint-ignore no-control-regex -- these are what must not get through
  assertNotMatch(xml, /[\x00-\x08\x0b-\x1f]/);
  const tags = [...xml.matchAll(/<(\/?)(\w+)[^<>]*?(\/?)>/g)].filter(([, , , isEmpty]) => isEmpty === "");
  const depth = tags.reduce((level, [, ends]) => level + (ends === "" ? 1 : -1), 0);
  assertEquals(depth, 0, "every element that begins also ends");
});

Deno.test("the job summary shows what agents and programs wrote as text", () => {
  const markdown = jobSummary(SUMMARY, {
    ...{ outcome: "fail", reason: HOSTILE, resumeCommand: "panewright resume r1" },
    answerCommand: (id) => `panewright answer r1 --question ${id}`,
  });
  assertStringIncludes(markdown, "| Task | Step | Result | Time | Tokens |\n| --- | --- | --- | --- | --- |\n");
  assertStringIncludes(markdown, "| 2-b | plan | PASS | 1m 00s | 100 in, 7 out |");
  assertStringIncludes(markdown, "(1 of 4 tasks done)");
  assertStringIncludes(markdown, "```text\npanewright resume r1\n```");
  const outsideOfBlocks = markdown.replaceAll(/^(`{3,})text\n[\s\S]*?\n\1$/gm, "");
  assertNotMatch(outsideOfBlocks, /(?<!\\)(?:<b>|`a)/);
});

/** A folder of two tasks: the first one waits at its first step, the second one is not begun. */
function asking(): readonly ExecFact[] {
  const file = "/w/tasks/1-a.md";
  const place = { task: 1, step: 1, attempt: 1 } as const;
  return [
    started("/w"),
    { type: "task_started", task: 1, file, pipeline: "main", steps: ["build", "last"], text: "", of: 2 },
    { type: "step_started", task: 1, step: 1, name: "build", provider: "codex", autonomyLevel: 1, startedAt: "" },
    { type: "attempt_started", ...place, reason: "first", native: false, folder: "f", promptBytes: 9 },
    {
      ...{ type: "question_asked", ...place, stepName: "build", attemptLog: "", usage: {}, seconds: 3, askedAt: "" },
      ...{ question: "q1", text: "Which <database>?\nOne of both.", others: [{ question: "q2", text: "Which port?" }] },
    },
    { type: "task_parked", task: 1, file, questions: ["q1", "q2"] },
    { type: "tasks_left", files: [file, "/w/tasks/2-b.md"], passable: true },
  ] as const;
}

Deno.test("a task that waits for answers says so with the questions' words, and is told from one that is not begun", () => {
  const summaryOf = (facts: readonly ExecFact[]) => wholeSummary(facts.reduce(summarize, NO_SUMMARY));
  const waiting = summaryOf(asking());
  assertEquals(summaryTable(waiting).slice(1), [
    "1-a   build  WAITS for q1, q2  3 s",
    "      last   -",
    "2-b          -",
    "0 of 2 tasks done",
  ]);
  const xml = junitXml(waiting, "both wait");
  assertStringIncludes(
    xml,
    '<error message="questions q1, q2 wait for their answers: &quot;Which &lt;database&gt;?&quot;">' +
      "q1: Which &lt;database&gt;?\nOne of both.\nq2: Which port?</error>",
  );
  assertEquals(xml.match(/<skipped message="not begun"\/>/g)?.length, 2);
  const markdown = jobSummary(waiting, {
    ...{ outcome: "waiting", reason: "both wait" },
    answerCommand: (id) => `panewright answer r1 --question ${id}`,
  });
  const head = markdown.slice(0, markdown.indexOf("| Task"));
  assertStringIncludes(
    head,
    "**1-a, build** waits for an answer to q1:\n\n```text\nWhich <database>?\nOne of both.\n```",
  );
  assertStringIncludes(head, "panewright answer r1 --question q2");
  const given = { type: "question_answered", question: "q1", answer: "a", by: "command", answeredAt: "" } as const;
  assertStringIncludes(summaryTable(summaryOf([...asking(), given])).join(), "WAITS for q2  3 s");
});

Deno.test("in GitHub Actions: a group a step, an error at the place that the check names, and no command of others", async () => {
  await using dir = await tempDir();
  await dir.write({ "src/a.ts": "", "summary.md": "before\n" });
  const env = { GITHUB_ACTIONS: "true", GITHUB_WORKSPACE: dir.path, GITHUB_STEP_SUMMARY: `${dir.path}/summary.md` };
  const raw = fakeIo({ cwd: dir.path, env });
  const io = actionsIo(raw);
  const reports = openReports({ io, junit: "report.xml" });
  for (const event of facts({ output: `gone.ts:9: no\nat src/a.ts:3:7\n${HOSTILE}`, workdir: dir.path })) {
    reports.before(event);
    io.stderr(`12:00 said: ${HOSTILE}\n`);
    reports.after(event);
  }
  await reports.write();
  const commands = raw.written.stderr.split("\n").filter((row) => /^\s*::|##\[/.test(row));
  assertEquals(commands.slice(0, 3), ["::group::2-b: plan", "::endgroup::", "::group::2-b: build"]);
  assertEquals(commands.length, 5, commands.join("\n"));
  assertEquals(commands[3], "::endgroup::");
  assertMatch(
    commands[4] ?? "",
    /^::error title=2-b%3A build,file=src\/a\.ts,line=3::npm test: .*%0A::add-mask::y%0A.*100%25$/,
  );
  assertMatch(await Deno.readTextFile(`${dir.path}/summary.md`), /^before\n## panewright: fail\n/);
  assertMatch(await Deno.readTextFile(`${dir.path}/report.xml`), /^<\?xml .*\n<testsuites name="panewright r1">/);
});

Deno.test("outside of GitHub Actions nothing is a command, and text stays as it is", () => {
  const raw = fakeIo();
  const io = actionsIo(raw);
  const reports = openReports({ io });
  for (const event of facts()) {
    reports.before(event);
    reports.after(event);
  }
  assertEquals([io === raw, raw.written.stderr, raw.written.stdout], [true, "", ""]);
});

Deno.test("a JUnit file without a name is refused before the run", () => {
  assertThrows(() => openReports({ io: fakeIo(), junit: "" }), UsageError, 'Cannot write --junit "": it names no file');
});

Deno.test("a JUnit file that cannot be written is refused before the run where its folder is missing", async () => {
  await using dir = await tempDir();
  const cwd = `${dir.path}/missing`;
  assertThrows(() => openReports({ io: fakeIo({ cwd }), junit: "a.xml" }), UsageError, "no folder");
});

Deno.test("security: a JUnit file never takes the place of a device, a link or a folder", async () => {
  await using dir = await tempDir();
  await Deno.symlink("/dev/null", `${dir.path}/link.xml`);
  for (const junit of ["/dev/null", "/dev/zero", `${dir.path}/link.xml`, dir.path]) {
    assertThrows(() => openReports({ io: fakeIo(), junit }), UsageError, `Cannot write --junit ${junit}: it is `);
  }
  assert((await Deno.lstat("/dev/null")).isCharDevice);
});

Deno.test("places are found as compilers and test programs write them, in proportion to the text", () => {
  const text = [
    "src/a.ts(12,5): error TS2322: no",
    "  --> src/main.rs:4:9",
    '  File "app/b.py", line 7, in f',
    "./c.go:10: x",
    "    at file:///w/src/d.ts:3:7",
    "    at load (file://host/e.ts:1:1) (node:internal/f.js:2:1)",
    "12:30:05 https://example.org:443/x version 1.2.3:4 http:///g.ts:5",
  ].join("\n");
  assertEquals(placesIn(text).map(({ path, line }) => `${path}:${line}`), [
    "src/a.ts:12",
    "src/main.rs:4",
    "app/b.py:7",
    "./c.go:10",
    "/w/src/d.ts:3",
    "internal/f.js:2",
  ]);
});

/** The first review leads back, `fix` is never needed, and the run is broken off in the second round or passes. */
function loop(hasPassed: boolean): readonly ExecFact[] {
  const file = "/w/tasks/1-a.md";
  const begun = (step: number, name: string, round?: number): ExecFact => ({
    type: "step_started",
    task: 1,
    step,
    name,
    provider: "codex",
    autonomyLevel: 1,
    startedAt: "",
    ...(round === undefined ? {} : { round }),
  });
  const ended = { type: "step_finished", task: 1, attempts: 1 } as const;
  return [
    started(),
    { type: "task_started", task: 1, file, pipeline: "main", steps: ["build", "review", "fix"], text: "", of: 1 },
    begun(1, "build"),
    ...attempt(1, 60),
    { ...ended, step: 1, name: "build", outcome: "pass" },
    begun(2, "review"),
    ...attempt(2, 1),
    {
      ...ended,
      step: 2,
      name: "review",
      outcome: "fail",
      reason: "the review says REVISE",
      next: { step: 1, name: "build", round: 2 },
    },
    begun(1, "build", 2),
    ...attempt(1, 30),
    ...(hasPassed
      ? [
        { ...ended, step: 1, name: "build", outcome: "pass" },
        begun(2, "review", 2),
        ...attempt(2, 2),
        { ...ended, step: 2, name: "review", outcome: "pass", next: { step: 4, round: 1 } },
        { type: "task_finished", task: 1, file, outcome: "pass" },
      ] as const
      : []),
  ];
}

Deno.test("rounds: a step is one row, with the time and the tokens of all its rounds", () => {
  assertEquals(summaryTable(loop(true).reduce(summarize, NO_SUMMARY).summary), [
    "TASK  STEP    RESULT          TIME    TOKENS",
    "1-a   build   PASS (round 2)  1m 30s  200 in, 14 out",
    "      review  PASS (round 2)  3 s     200 in, 14 out",
    "      fix     SKIPPED",
    "1 of 1 tasks done",
  ]);
  assertEquals(summaryTable(loop(false).reduce(summarize, NO_SUMMARY).summary), [
    "TASK  STEP    RESULT            TIME    TOKENS",
    "1-a   build   - (round 2)       1m 30s  200 in, 14 out",
    "      review  FAIL, then build  1 s     100 in, 7 out",
    "      fix     -",
    "0 of 1 tasks done",
  ]);
});

Deno.test("rounds in JUnit XML: what led back is no failure of the run, and what was not needed is skipped", () => {
  const passed = junitXml(loop(true).reduce(summarize, NO_SUMMARY).summary, "");
  assertStringIncludes(passed, 'tests="3" failures="0" errors="0" skipped="1"');
  assertStringIncludes(passed, '<testcase classname="1-a" name="review" time="3.000"/>');
  assertStringIncludes(passed, '<skipped message="the task passed without it"/>');
  const broken = junitXml(loop(false).reduce(summarize, NO_SUMMARY).summary, "stopped");
  assertStringIncludes(broken, 'tests="3" failures="0" errors="1" skipped="2"');
  assertMatch(broken, /name="build" time="90\.000">\s*<error message="stopped">/);
  assertStringIncludes(broken, '<skipped message="it led to build: the review says REVISE"/>');

  const raw = fakeIo({ env: { GITHUB_ACTIONS: "true" } });
  const reports = openReports({ io: actionsIo(raw) });
  for (const fact of loop(true)) {
    reports.before(fact);
    reports.after(fact);
  }
  const groups = ["build", "review", "build", "review"].flatMap((name) => [`::group::1-a: ${name}`, "::endgroup::"]);
  assertEquals(raw.written.stderr.trimEnd().split("\n"), groups);
});

Deno.test("tasks that are done side by side are in the table and in JUnit, each as one step, whatever its attempts came to", () => {
  const a = { task: 1, file: "/w/tasks/a.md" };
  const b = { task: 2, file: "/w/tasks/b.md" };
  const usage = (inputTokens: number) => ({ m: { inputTokens, cachedInputTokens: 0, outputTokens: 7 } });
  const begins = (lane: typeof a, more: object = {}): ExecFact => ({
    ...{ type: "lane_started", ...lane, of: 3, purpose: "task", workspace: "w", workdir: "/s/w", base: "1", ...more },
  } as ExecFact);
  const turn = (lane: typeof a & { attempt?: number }, tokens: number): readonly ExecFact[] => [
    { type: "lane_turn_started", ...lane, run: "r2", step: "work", stepAttempt: 1, provider: "codex" },
    { type: "lane_counted", ...lane, usage: usage(tokens - 1), passable: true },
    { type: "lane_turn_ended", ...lane, outcome: "completed", seconds: 60, usage: usage(tokens) },
  ];
  const folded = [
    started(),
    { type: "lanes_opened", target: "tasks", base: "1", parallel: 2 },
    ...[begins(a), begins(b, { attempt: 1 }), begins(b, { attempt: 2 })],
    ...[...turn(a, 100), ...turn({ ...b, attempt: 1 }, 50), ...turn({ ...b, attempt: 2 }, 40)],
    { type: "lane_ended", ...a, outcome: "pass", reason: "", commit: "2" },
    { type: "merge_finished", ...a, outcome: "failed", detail: "npm test: the check failed", output: "1 test fails" },
    begins(a, { purpose: "merge" }),
    ...turn(a, 30),
    {
      type: "lane_asked",
      ...a,
      run: "r9",
      text: "Which?",
      answerCommand: "panewright answer r9 --question q1 --wd /s/w",
    },
    { type: "lane_ended", ...b, attempt: 1, outcome: "fail", reason: "it does not work" },
    { type: "lane_ended", ...b, attempt: 2, outcome: "pass", reason: "", commit: "3" },
    { type: "merge_finished", ...b, attempt: 2, outcome: "landed", detail: "npm test: passed", output: "" },
    { type: "task_finished", ...b, outcome: "pass" },
    { type: "tasks_left", files: ["/w/tasks/c.md"], passable: true },
  ] as readonly ExecFact[];
  const summary = wholeSummary(folded.reduce(summarize, NO_SUMMARY));
  assertEquals(summaryTable(summary), [
    "TASK  STEP       RESULT  TIME    TOKENS",
    "a     all steps  -       2m 00s  130 in, 14 out",
    "b     all steps  PASS    2m 00s  90 in, 14 out",
    "c                -",
    "1 of 3 tasks done",
  ]);
  const xml = junitXml(summary, "a waits for an answer");
  assertStringIncludes(xml, '<testsuite name="a" tests="1" failures="0" errors="1" skipped="0"');
  assertStringIncludes(xml, '<error message="a waits for an answer">');
  assertStringIncludes(xml, '<testsuite name="b" tests="1" failures="0" errors="0" skipped="0"');
  assertStringIncludes(xml, '<testsuite name="c" tests="1" failures="0" errors="0" skipped="1"');
  const failed = [...folded, { type: "task_finished", ...a, outcome: "fail", reason: "it is not merged" } as ExecFact];
  const ended = junitXml(wholeSummary(failed.reduce(summarize, NO_SUMMARY)), "1 of 2 tasks failed: a");
  assertStringIncludes(ended, '<failure message="it is not merged">');
});

Deno.test("what was found of a PASS: a suite in JUnit, annotations in GitHub Actions, lines in the job summary", () => {
  const judged = (remark: string, problem?: string): ExecFact => ({
    ...{ type: "evidence_gathered", trials: [], remarks: [remark], passable: true },
    ...(problem === undefined ? {} : { problem }),
  });
  const io = fakeIo();
  const commands: string[] = [];
  const workflow = (command: { readonly name: string; readonly message?: string }) =>
    void commands.push(`${command.name}: ${command.message}`);
  const reports = openReports({ io: { ...io, workflow } });
  const all = [started(), judged("a <b> was changed", "no test runs"), judged("c was changed")];
  let fold = NO_SUMMARY;
  for (const event of all) {
    reports.before(event);
    reports.after(event);
    fold = summarize(fold, event);
  }
  assertEquals(commands, ["error: no test runs", "warning: a <b> was changed", "warning: c was changed"]);
  const xml = junitXml(wholeSummary(fold), "");
  assertStringIncludes(xml, '<testsuite name="evidence" tests="1" failures="0"');
  assertStringIncludes(xml, "<system-out>c was changed</system-out>");
  assertEquals(xml.includes("<b>"), false);
  assertStringIncludes(
    junitXml(wholeSummary(summarize(NO_SUMMARY, judged("a", "no test runs"))), ""),
    '<failure message="no test runs"></failure>',
  );
  const summary = jobSummary(wholeSummary(fold), { outcome: "pass", reason: "it passed", answerCommand: () => "" });
  assertMatch(summary, /^- Remark: c was changed$/m);
});
