import { describeRecord } from "../../../lib/journal/describe.ts";
import { assert, assertEquals, assertMatch, assertNotMatch, assertStringIncludes } from "@std/assert";
import { NO_COLORS } from "../../../lib/cli/console/color.ts";
import { Interruption } from "../../../lib/cli/console/command.ts";
import { openLiveOutput } from "../../../lib/cli/show/live_output.ts";
import { liveText } from "../../../lib/api/show/run_words.ts";
import { PIPELINE } from "../../../lib/jobs/pipeline/mod.ts";
import { initialProgress } from "../../../lib/journal/progress.ts";
import { EXEC_FOLDS, type ExecEvent } from "../../../lib/journal/exec/facts.ts";
import { fakeIo } from "../../support/fake_io.ts";

const GLOBAL = { json: false, quiet: false, verbose: false, color: NO_COLORS };
const NOW = () => new Date("2026-11-20T12:00:00Z");
const PLACE = { task: 1, step: 2 } as const;
const USAGE = { "gpt-5": { inputTokens: 100, cachedInputTokens: 10, outputTokens: 5 } };
const HOSTILE = "evil\x1b[2J\u202e";

const EVENTS: readonly ExecEvent[] = [
  {
    type: "run_started",
    job: "exec",
    runId: "r1",
    workdir: "/w",
    folder: "/w/.panewright/runs/r1",
    target: { kind: "task", path: "/w/t.md" },
    configFile: null,
    overrides: {},
  },
  { type: "run_resumed", runId: "r1", folder: "/w/.panewright/runs/r1" },
  { type: "task_started", task: 1, file: "/w/t.md", pipeline: "main", steps: ["a", "b"], text: HOSTILE },
  { type: "step_started", ...PLACE, name: HOSTILE, provider: "codex", autonomyLevel: 3, startedAt: "" },
  { type: "attempt_started", ...PLACE, attempt: 1, reason: "first", native: false, folder: "steps/x", promptBytes: 10 },
  { type: "session_found", sessionId: HOSTILE },
  { type: "agent_activity", ...PLACE, attempt: 1, fact: { type: "ran", id: "1", command: `ls ${HOSTILE}` } },
  { type: "agent_activity", ...PLACE, attempt: 1, fact: { type: "said", text: `hello\n${HOSTILE}` } },
  { type: "agent_activity", ...PLACE, attempt: 1, fact: { type: "trouble", text: HOSTILE } },
  {
    type: "agent_activity",
    ...PLACE,
    attempt: 1,
    fact: { type: "saw", id: "1", command: "ls", output: HOSTILE, exitCode: 1 },
  },
  {
    type: "question_asked",
    ...PLACE,
    question: "q1",
    stepName: HOSTILE,
    attempt: 1,
    text: `Which?\n${HOSTILE}`,
    attemptLog: "",
    usage: USAGE,
    seconds: 1,
    askedAt: "",
  },
  { type: "question_answered", question: "q1", answer: HOSTILE, by: "command", answeredAt: "" },
  {
    type: "question_waiting",
    question: "q1",
    text: HOSTILE,
    answerCommand: "panewright answer",
    resumeCommand: "panewright resume",
  },
  {
    type: "attempt_finished",
    ...PLACE,
    attempt: 1,
    outcome: "failed",
    error: HOSTILE,
    timedOut: false,
    exitCode: 1,
    finalText: HOSTILE,
    usage: { [HOSTILE]: USAGE["gpt-5"] },
    attemptLog: "",
    seconds: 1,
  },
  { type: "usage_limit_reached", message: HOSTILE },
  { type: "usage_limit_waited" },
  { type: "writes_checked", ...PLACE, outside: [HOSTILE], enforced: true },
  { type: "writes_checked", ...PLACE, outside: [], enforced: true },
  { type: "check_started", ...PLACE, check: 1, description: HOSTILE },
  { type: "check_finished", ...PLACE, check: 1, passed: false, detail: HOSTILE, output: HOSTILE, seconds: 1 },
  { type: "step_finished", ...PLACE, name: HOSTILE, outcome: "fail", attempts: 1, reason: HOSTILE },
  { type: "task_finished", task: 1, file: "/w/t.md", outcome: "pass" },
  { type: "warning", message: HOSTILE },
  { type: "run_finished", outcome: "fail", tasks: 0, reason: HOSTILE, usage: USAGE, seconds: 61 },
];

Deno.test("every event of exec has words of its own, and none lets control characters through", () => {
  for (const event of EVENTS) {
    const lines = describeRecord(event);
    assert(lines.length > 0, event.type);
    // deno-lint-ignore no-control-regex -- these are what must not get through
    for (const { text } of lines) assertNotMatch(text, /[\x00-\x09\x0b-\x1f\x7f-\x9f\u202e]/);
  }
});

Deno.test("progress of exec goes to stderr, and its result is left to the card; --quiet leaves the warnings", () => {
  const io = fakeIo();
  using progress = openLiveOutput(PIPELINE, { io, global: GLOBAL, wallClock: NOW });
  for (const event of EVENTS) progress.onEvent(event);
  assertEquals(io.written.stdout, "");
  assertMatch(io.written.stderr, /2026-11-20T12:00:00.000Z question q1 of step/);
  assertMatch(io.written.stderr, /^\S+ \$ ls evil\S+\n\S+ said: .*\n.*\n\S+ exit code 1: ls$/m);
  const quiet = fakeIo();
  using short = openLiveOutput(PIPELINE, { io: quiet, global: { ...GLOBAL, quiet: true }, wallClock: NOW });
  for (const event of EVENTS) short.onEvent(event);
  assertEquals(quiet.written.stderr.split("\n").length, 2);
  assertEquals(quiet.written.stdout, io.written.stdout);
});

Deno.test("--json gives each event of exec as a line, what the agent does included", () => {
  const io = fakeIo();
  using progress = openLiveOutput(PIPELINE, { io, global: { ...GLOBAL, json: true }, wallClock: NOW });
  for (const event of EVENTS) progress.onEvent(event);
  const lines = io.written.stdout.trimEnd().split("\n").map((line) => JSON.parse(line));
  assertEquals(lines, EVENTS.map((event) => ({ v: 1, at: "2026-11-20T12:00:00.000Z", ...event })));
  assertEquals(io.written.stderr, "");
});

Deno.test("the live line says what happens, and nothing while a person is asked", () => {
  let progress = initialProgress("exec");
  const shown: string[] = [];
  for (const event of EVENTS) {
    if (event.type !== "agent_activity") {
      progress = EXEC_FOLDS.progress(progress, { ...event, at: "2026-11-20T12:00:01Z" });
    }
    shown.push(liveText(progress, { now: new Date("2026-11-20T12:00:03Z"), columns: 60 }));
  }
  const after = (type: ExecEvent["type"]) => shown[EVENTS.findIndex((event) => event.type === type)];
  assertEquals(after("attempt_started"), "step 2/2, evil\\x1b[2J\\u202e · working · 2 s (run 2 s)");
  assertEquals([after("question_asked"), after("question_waiting"), after("run_finished")], ["", "", ""]);
  for (const line of shown) assert(line.length <= 60, line);
});

Deno.test("the live line says that the files are looked at, which may take a while", () => {
  let progress = initialProgress("exec");
  const events: readonly ExecEvent[] = [
    { type: "task_started", task: 1, file: "/w/t.md", pipeline: "main", steps: ["a"], text: "" },
    { type: "files_look_started", task: 1, step: 1, moment: "before", passable: true },
  ];
  for (const event of events) {
    if (event.type !== "agent_activity") {
      progress = EXEC_FOLDS.progress(progress, { ...event, at: "2026-11-20T12:00:01Z" });
    }
  }
  const shown = liveText(progress, { now: new Date("2026-11-20T12:00:03Z"), columns: 100 });
  assertStringIncludes(shown, "the files of the working directory");
});

Deno.test("the live line says what the agent runs at this moment, until something else happens", () => {
  const io = fakeIo({ terminal: true, columns: 100 });
  using progress = openLiveOutput(PIPELINE, { io, global: GLOBAL, wallClock: NOW });
  const drawn = () => io.written.stderr.split("\r\x1b[2K").at(-1);
  for (const event of EVENTS.slice(0, 7)) progress.onEvent(event);
  assertMatch(drawn() ?? "", /^step 2\/2, evil\S+ · \$ ls evil\S+ · 0 s \(run 0 s\)$/);
  progress.onEvent({ type: "check_started", ...PLACE, check: 1, description: "npm test" });
  assertMatch(drawn() ?? "", /, check: npm test · 0 s \(run 0 s\)$/);
});

Deno.test("a check that failed shows its command, its exit code and its last 20 lines; --verbose shows them all", () => {
  const output = Array.from({ length: 50 }, (_, index) => `row ${index + 1}`).join("\n");
  const detail = "the check failed with exit code 3";
  const event = {
    type: "check_finished",
    ...PLACE,
    check: 1,
    description: "npm test",
    detail,
    output,
    seconds: 2,
  } as const;
  const shown = (verbose: boolean, passed: boolean) => {
    const io = fakeIo();
    using progress = openLiveOutput(PIPELINE, { io, global: { ...GLOBAL, verbose }, wallClock: NOW });
    progress.onEvent({ ...event, passed });
    return io.written.stderr.trimEnd().split("\n").map((row) => row.replace("2026-11-20T12:00:00.000Z ", ""));
  };
  const [head, ...rows] = shown(false, false);
  assertEquals(head, "check 1, npm test: the check failed with exit code 3 (2 s)");
  assertEquals(rows.map((row) => row.trim()), output.split("\n").slice(-20));
  assertEquals(shown(true, false).slice(1).map((row) => row.trim()), output.split("\n"));
  assertEquals(shown(false, true).length, 1);
});

Deno.test("every row of a folder's run names its task, also after a resume; that of a single task does not", () => {
  const io = fakeIo();
  using progress = openLiveOutput(PIPELINE, { io, global: GLOBAL, wallClock: NOW });
  const target = { kind: "folder", path: "/w/tasks" } as const;
  const [started] = EVENTS;
  if (started?.type !== "run_started") throw new TypeError("the first event is another");
  const task = (number: number, name: string) => ({
    type: "task_started" as const,
    task: number,
    file: `/w/tasks/${name}.md`,
    pipeline: "main",
    steps: ["a", "b"],
    text: "",
  });
  const failed = {
    type: "check_finished",
    ...PLACE,
    check: 1,
    passed: false,
    detail: "no",
    output: "x\ny",
    seconds: 1,
  } as const;
  const before = [{ ...started, target }, task(1, "1-a"), failed] as const;
  for (const event of before) progress.onEvent(event);
  progress.onEvent({ type: "task_finished", task: 1, file: "/w/tasks/1-a.md", outcome: "pass" });
  progress.onEvent(task(2, "2-b"));
  progress.onEvent({ type: "warning", message: "late" });
  const rows = io.written.stderr.trimEnd().split("\n").map((row) => row.replace("2026-11-20T12:00:00.000Z ", ""));
  assertEquals(rows.slice(1).map((row) => /^ *\[(\S+)\] /.exec(row)?.[1]), [
    ...Array(5).fill("1-a"),
    ...Array(2).fill("2-b"),
  ]);
  const earlier = before.reduce(
    (all, event) => EXEC_FOLDS.progress(all, { ...event, at: "" }),
    initialProgress("exec"),
  );
  const resumed = fakeIo();
  using later = openLiveOutput(PIPELINE, { io: resumed, global: GLOBAL, wallClock: NOW, earlier });
  later.onEvent({ type: "run_resumed", runId: "r1", folder: "/w/.panewright/runs/r1" });
  assertMatch(resumed.written.stderr, /Z \[1-a\] run r1 resumed/);
});

Deno.test("a signal is answered at once: an agent that works is being ended, and one whose attempt is over is not there", () => {
  const at = (type: ExecEvent["type"]) => EVENTS.findIndex((event) => event.type === type);
  const cases = [
    [at("step_started"), "stopping; Ctrl-C again forces it"],
    [at("agent_activity"), "stopping: ending 1 agent; Ctrl-C again forces it"],
    [at("attempt_finished"), "stopping; Ctrl-C again forces it"],
  ] as const;
  for (const [last, told] of cases) {
    const stop = new AbortController();
    const io = fakeIo({ signal: stop.signal });
    using output = openLiveOutput(PIPELINE, { io, global: GLOBAL, wallClock: NOW });
    EVENTS.slice(0, last + 1).forEach((event) => output.onEvent(event));
    stop.abort(new Interruption("SIGINT"));
    assertEquals(io.written.stderr.trimEnd().split("\n").at(-1), told);
  }
});
