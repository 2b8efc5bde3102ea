import { describeRecord } from "../../../lib/journal/describe.ts";
import { assertEquals, assertStringIncludes } from "@std/assert";
import { FakeTime } from "@std/testing/time";
import { NO_COLORS } from "../../../lib/cli/console/color.ts";
import { type GlobalFlags, Interruption } from "../../../lib/cli/console/command.ts";
import { openLiveOutput } from "../../../lib/cli/show/live_output.ts";
import { liveText } from "../../../lib/api/show/run_words.ts";
import { REVIEW_LOOP } from "../../../lib/jobs/review_loop/mod.ts";
import { initialProgress, type Progress } from "../../../lib/journal/progress.ts";
import { type Clock, sleepWithTimer } from "../../../lib/base/ports/clock.ts";
import { DEFAULT_REVIEW_LOOP_SETTINGS, type ReviewLoopSettings } from "../../../lib/jobs/review_loop/settings.ts";
import { REVIEW_FOLDS, type ReviewFact } from "../../../lib/journal/loop/facts.ts";
import { fakeIo } from "../../support/fake_io.ts";

const FLAGS: GlobalFlags = { json: false, quiet: false, verbose: false, color: NO_COLORS };
const fakeClock: Clock = { now: () => Date.now(), sleep: sleepWithTimer };
const noon = () => new Date(2026, 10, 20, 12, 0, 5);

const TURN = {
  type: "turn_started",
  turnId: "t1",
  role: "programmer",
  round: 1,
  cycle: 2,
  promptBytes: 3276,
} satisfies ReviewFact;

const SENT = {
  type: "message_sent",
  turnId: "t1",
  role: "programmer",
  what: "prompt",
  round: 1,
  cycle: 2,
  bytes: 3276,
} satisfies ReviewFact;

const HELD = {
  type: "message_held",
  turnId: "t1",
  role: "programmer",
  terminalId: "%1",
  what: "prompt",
  attachCommand: "tmux attach",
  passable: true,
} as const;

/** As a journal has them: what is undefined is left out. */
const SETTINGS: ReviewLoopSettings = JSON.parse(JSON.stringify(DEFAULT_REVIEW_LOOP_SETTINGS));

const RUN: readonly ReviewFact[] = [
  {
    type: "run_started",
    job: "run",
    runId: "r1",
    workdir: "/w",
    folder: "/w/.panewright/runs/r1",
    startAgent: "analyst",
    task: { introduction: "", exploreSummary: "a", scenarioTest: "b" },
    settings: SETTINGS,
    origin: { configFile: null, cwd: "/w", flags: {} },
  },
  { type: "run_resumed", runId: "r1", folder: "/w/.panewright/runs/r1", settings: SETTINGS },
  { type: "session_opening", socket: "s", session: "p", existing: false, mark: "m" },
  { type: "session_opened", attachCommand: "tmux -L s attach-session -t =p" },
  { type: "agent_starting", role: "analyst", provider: "codex" },
  { type: "agent_starting", role: "analyst", provider: "codex", resumes: "u1" },
  { type: "agent_ready", role: "analyst", terminalId: "%1", seconds: 0.62, pid: 7, launchedAtMs: 0 },
  { type: "agent_adopted", role: "tester", terminalId: "%2" },
  { type: "agent_session", role: "analyst", sessionId: "u1" },
  { type: "agent_rules_seen", role: "analyst", rules: ["title-spinner"] },
  { type: "agent_lost", role: "analyst", terminalId: "%1", reason: "exit code 1", restart: 1, maxRestarts: 2 },
  { type: "round_started", round: 1, maxRounds: 8 },
  TURN,
  { type: "turn_resumed", turnId: "t1", role: "programmer", round: 1, cycle: 2 },
  {
    type: "message_sending",
    turnId: "t1",
    role: "programmer",
    terminalId: "%1",
    what: "prompt",
    step: "paste",
    file: "messages/t1.md",
    bytes: 3276,
    sha256: "0",
  },
  { ...HELD, obstacle: "at_work", timeoutSeconds: 1800 },
  { ...HELD, obstacle: "draft", timeoutSeconds: 600 },
  { type: "message_released", turnId: "t1", role: "programmer", passable: true },
  SENT,
  { type: "turn_time", turnId: "t1", role: "programmer", usedSeconds: 61, passable: true },
  { type: "status_changed", turnId: "t1", role: "programmer", status: "processing" },
  { type: "status_changed", turnId: "t1", role: "programmer", status: "waiting_user_answer" },
  { type: "reminder_sent", turnId: "t1", role: "programmer", reminder: 1 },
  {
    type: "response_received",
    turnId: "t1",
    role: "programmer",
    bytes: 2150,
    archivedAs: "/a/002.md",
    sha256: "0",
    seconds: 65,
  },
  { type: "review_decided", role: "programmer_review", round: 1, cycle: 1, verdict: "REVISE", note: "no verdict" },
  { type: "review_limit_reached", role: "programmer_review", round: 1, then: "proceed" },
  { type: "test_command_started", round: 1, command: "npm test" },
  {
    type: "test_command_finished",
    round: 1,
    passed: false,
    exitCode: 2,
    seconds: 3.4,
    timedOut: false,
    output: "1 failed\n",
    truncated: false,
  },
  { type: "round_finished", round: 1, verdict: "FAIL" },
  { type: "note", message: "Auto-accepting the command `cat > a <<E`\nE", role: "programmer", passable: true },
  { type: "warning", message: "the status could not be read", role: "tester" },
  { type: "panes_left", attachCommand: "tmux -L s attach-session -t =p" },
  { type: "run_finished", outcome: "fail", rounds: 1, seconds: 3700, reason: "no round is left" },
];

Deno.test("how a person or a model has decided is told without flags; what the policy has decided is a detail", () => {
  const answered = {
    type: "dialog_answered",
    turnId: "t1",
    role: "tester",
    terminalId: "%1",
    kind: "command",
    subject: "curl x",
    answer: "accept",
    result: "closed",
  } as const;
  const told = (
    more: {
      readonly rule: "person" | "model" | "allow_list";
      readonly by?: "http" | "mcp" | "command";
      readonly who?: string;
    },
  ) => describeRecord({ ...answered, ...more }).map(({ text, importance }) => [text, importance]);
  assertEquals(told({ rule: "person", by: "http" }), [
    ["tester: dialog (command) accepted by person, over HTTP", "normal"],
  ]);
  assertEquals(told({ rule: "model", by: "mcp", who: "codex" }), [
    ["tester: dialog (command) accepted by model, by a model over MCP (codex)", "normal"],
  ]);
  assertEquals(told({ rule: "person", by: "command" }), [["tester: dialog (command) accepted by person", "normal"]]);
  assertEquals(told({ rule: "allow_list" }), [["tester: dialog (command) accepted by allow_list", "detail"]]);
});

Deno.test("the end of a run tells what it has used, by role, and what that has cost", () => {
  const tokens = { inputTokens: 1200, cachedInputTokens: 200, outputTokens: 40 };
  const used = { usage: { m: tokens }, usageByRole: { analyst: { m: tokens }, tester: { n: tokens } } };
  const cost = { total: 1.5, byWorker: { analyst: 1.49, tester: 0.01 }, pricesOf: "2026-11-01" };
  const end = {
    type: "run_finished",
    outcome: "pass",
    rounds: 1,
    seconds: 60,
    reason: "all is well",
    ...used,
  } as const;
  assertEquals(describeRecord({ ...end, cost }).map(({ text, importance }) => [text, importance]), [
    [
      "PASS after 1 round, 1m 00s · 1200 tokens in (200 cached), 40 out (m), cost 1.50 by the prices of 2026-11-01",
      "result",
    ],
    ["analyst: 1200 tokens in (200 cached), 40 out (m), cost 1.49", "result"],
    ["tester: 1200 tokens in (200 cached), 40 out (n), cost 0.01", "result"],
  ]);
  assertEquals(describeRecord({ ...end, usage: {}, usageByRole: {} }).length, 1);
});

Deno.test("where stderr is no terminal, each fact is a line with its time, and the result is left to the card", () => {
  const io = fakeIo();
  using progress = openLiveOutput(REVIEW_LOOP, {
    io,
    global: FLAGS,
    attachCommand: (runId) => `npx panewright attach ${runId}`,
    wallClock: () => new Date("2026-11-20T12:00:05Z"),
  });
  RUN.forEach((event) => progress.onEvent(event));
  const stamped = [
    "run r1, starting with analyst; its records are in /w/.panewright/runs/r1",
    "run r1 resumed; its records are in /w/.panewright/runs/r1",
    "watch the agents with: npx panewright attach r1",
    "analyst: starting codex again, with its session u1",
    "analyst: ready after 0.6 s",
    "tester: still alive in terminal %2",
    "analyst: its program has ended (exit code 1); starting it again (restart 1 of at most 2)",
    "round 1 of 8",
    "programmer: continues its turn (round 1, cycle 2)",
    "programmer: at work on something else; its prompt waits, for at most 30m 00s",
    "programmer: a person's draft is in its composer (terminal %1), and its prompt waits, for at most 10m 00s; submit it or delete it with: tmux attach",
    "programmer: prompt of 3.2 KiB sent (round 1, cycle 2)",
    "programmer: waiting for an answer to its dialog",
    "programmer: reminded of its response file (reminder 1)",
    "programmer: response of 2.1 KiB after 1m 05s, kept as 002.md",
    "programmer_review: REVISE (round 1, cycle 1): no verdict",
    "programmer_review: no approval by the last cycle; the work continues",
    "project tests: npm test",
    "project tests failed after 3 s: exit code 2",
    "round 1: FAIL",
    "programmer: Auto-accepting the command `cat > a <<E`",
    "warning: tester: the status could not be read",
    "the panes stay open; look at them with: tmux -L s attach-session -t =p",
  ].map((line) => `2026-11-20T12:00:05.000Z ${line}\n`);
  assertEquals(io.written.stderr, stamped.join(""));
  assertEquals(io.written.stdout, "");
});

Deno.test("--quiet leaves the warnings and what was left open", () => {
  const io = fakeIo({ terminal: true });
  using progress = openLiveOutput(REVIEW_LOOP, { io, global: { ...FLAGS, quiet: true }, wallClock: noon });
  RUN.forEach((event) => progress.onEvent(event));
  assertEquals(io.written, {
    // At words, as the terminal is 80 columns wide; what is to be copied stays in one row.
    stderr: "12:00:05 programmer: a person's draft is in its composer (terminal %1), and its\n" +
      "  prompt waits, for at most 10m 00s; submit it or delete it with:\n" +
      "  tmux attach\n" +
      "12:00:05 warning: tester: the status could not be read\n" +
      "12:00:05 the panes stay open; look at them with: tmux -L s attach-session -t =p\n",
    stdout: "",
  });
});

Deno.test("--verbose adds every status change and the output of the tests", () => {
  const io = fakeIo();
  using progress = openLiveOutput(REVIEW_LOOP, { io, global: { ...FLAGS, verbose: true }, wallClock: noon });
  RUN.forEach((event) => progress.onEvent(event));
  assertStringIncludes(io.written.stderr, " programmer: working\n");
  assertStringIncludes(io.written.stderr, " analyst: starting codex\n");
  assertStringIncludes(io.written.stderr, " 1 failed\n");
});

Deno.test("--json writes each event as a line of JSON to stdout, and nothing to stderr", () => {
  const io = fakeIo({ terminal: true });
  using progress = openLiveOutput(REVIEW_LOOP, {
    io,
    global: { ...FLAGS, json: true },
    wallClock: () => new Date("2026-11-20T12:00:05Z"),
  });
  RUN.forEach((event) => progress.onEvent(event));
  const lines = io.written.stdout.trimEnd().split("\n").map((line) => JSON.parse(line));
  assertEquals(lines, RUN.map((event) => ({ v: 1, at: "2026-11-20T12:00:05.000Z", ...event })));
  assertEquals(io.written.stderr, "");
});

Deno.test("text of agents reaches neither terminal nor log with control characters", () => {
  for (const json of [false, true]) {
    const io = fakeIo();
    using progress = openLiveOutput(REVIEW_LOOP, { io, global: { ...FLAGS, json, verbose: true } });
    progress.onEvent({ type: "warning", message: "\x1b]0;title\x07 \u009b2J \u202e and\nmore" });
    progress.onEvent({ type: "round_finished", round: 1, verdict: "FAIL", note: "a\r\nb\x1b[2J" });
    // deno-lint-ignore no-control-regex
    assertEquals(/[\x00-\x09\x0b-\x1f\x7f-\x9f\u202e]/.test(io.written.stdout + io.written.stderr), false);
  }
});

const AGENT = { provider: "codex", terminalId: "%1", seconds: 1, pid: 7, launchedAtMs: 0 } as const;

/** A moment of the test: seconds after noon. */
function at(seconds: number): string {
  return new Date(Date.UTC(2026, 10, 20, 12) + seconds * 1000).toISOString();
}

/** The progress after a record that is written at a moment. */
function after(before: Progress, fact: ReviewFact, seconds: number): Progress {
  return REVIEW_FOLDS.progress(before, { ...fact, at: at(seconds) });
}

function shown(progress: Progress, seconds: number, columns = 200): string {
  return liveText(progress, { now: new Date(at(seconds)), columns });
}

Deno.test("what the live line says follows the records", () => {
  let progress = after(initialProgress("run"), RUN[0]!, 0);
  const shownAfter = (event: ReviewFact, seconds: number) => {
    progress = after(progress, event, seconds);
    return shown(progress, seconds);
  };
  assertEquals(
    shownAfter({ ...AGENT, type: "agent_starting", role: "analyst" }, 0),
    "starting analyst · 0 s (run 0 s)",
  );
  assertEquals(
    shownAfter({ ...AGENT, type: "agent_starting", role: "programmer" }, 1),
    "starting analyst, programmer · 1 s (run 1 s)",
  );
  assertEquals(
    shownAfter({ ...AGENT, type: "agent_ready", role: "analyst" }, 2),
    "starting programmer · 2 s (run 2 s)",
  );
  assertEquals(shownAfter({ ...AGENT, type: "agent_ready", role: "programmer" }, 3), "");
  assertEquals(shownAfter({ type: "round_started", round: 1, maxRounds: 8 }, 3), "");
  const place = "round 1/8, cycle 2, programmer";
  assertEquals(shownAfter(TURN, 4), `${place} · about to be sent its prompt · 0 s (run 4 s)`);
  const status = { type: "status_changed", turnId: "t1", role: "programmer" } as const;
  assertEquals(
    shownAfter({ ...status, status: "idle" }, 5),
    `${place} · about to be sent its prompt · 1 s (run 5 s)`,
  );
  assertEquals(shownAfter(SENT, 6), `${place} · prompt sent · 2 s (run 6 s)`);
  assertEquals(
    shownAfter({ ...status, status: "idle" }, 7),
    `${place} · prompt sent · 3 s (run 7 s)`,
    "it has shown no sign of work yet",
  );
  assertEquals(shownAfter({ ...status, status: "processing" }, 9), `${place} · working · 5 s (run 9 s)`);
  const rest = `${place} · at rest, waiting for its response file · 6 s (run 10 s)`;
  assertEquals(shownAfter({ ...status, status: "completed" }, 10), rest);
  assertEquals(
    shownAfter({ ...status, role: "analyst", status: "error" }, 10),
    rest,
    "another role's status says nothing about this turn",
  );
  assertEquals(
    shownAfter({ type: "test_command_started", round: 1, command: "npm test" }, 11),
    "round 1/8, cycle 2, project tests · 0 s (run 11 s)",
  );
  assertEquals(
    shownAfter({ type: "run_finished", outcome: "pass", rounds: 1, seconds: 1, reason: "all tests pass" }, 12),
    "",
  );
});

Deno.test("what is as it should be is one line and not a warning; the rest of it is for --verbose", () => {
  const note = RUN.find(({ type }) => type === "note")!;
  const [first, rest] = describeRecord(note);
  assertEquals([first?.text, first?.tone, first?.importance], [
    "programmer: Auto-accepting the command `cat > a <<E`",
    "plain",
    "normal",
  ]);
  assertEquals([rest?.text, rest?.importance], ["E", "detail"]);
});

Deno.test("every record has its own words", () => {
  const texts = RUN.map((event) => describeRecord(event)[0]?.text);
  assertEquals(new Set(texts).size, RUN.length);
});

Deno.test("in a terminal a live line stands below the log, ticks once a second and is taken away at the end", async () => {
  using time = new FakeTime(0);
  const io = fakeIo({ terminal: true, columns: 52 });
  const screen = () => lastScreen(io.written.stderr);
  {
    const wallClock = () => new Date(noon().getTime() + Date.now());
    using progress = openLiveOutput(REVIEW_LOOP, { io, global: FLAGS, clock: fakeClock, wallClock });
    progress.onEvent({ type: "agent_starting", role: "programmer", provider: "codex" });
    progress.onEvent({ type: "round_started", round: 1, maxRounds: 8 });
    progress.onEvent(TURN);
    progress.onEvent(SENT);
    const logged = ["12:00:05 round 1 of 8", "12:00:05 programmer: prompt of 3.2 KiB sent (round", "  1, cycle 2)"];
    assertEquals(screen(), [...logged, "round 1/8, cycle 2, programmer · prompt se… · 0 …"]);
    for (let second = 0; second < 3; second++) await time.tickAsync(1000);
    assertEquals(screen(), [...logged, "round 1/8, cycle 2, programmer · prompt se… · 3 …"]);
    progress.onEvent({ type: "run_finished", outcome: "pass", rounds: 1, seconds: 3, reason: "all tests pass" });
    assertEquals(screen(), [...logged, ""]);
  }
  const before = io.written.stderr;
  await time.tickAsync(1000);
  assertEquals(io.written.stderr, before, "nothing is drawn after the end");
});

Deno.test("under TERM=dumb there are plain lines: no live line, no control sequence", () => {
  const io = fakeIo({ terminal: true, env: { TERM: "dumb" } });
  {
    using progress = openLiveOutput(REVIEW_LOOP, { io, global: FLAGS, clock: fakeClock, wallClock: noon });
    RUN.forEach((event) => progress.onEvent(event));
  }
  assertStringIncludes(io.written.stderr, "12:00:05 round 1 of 8\n");
  for (const control of ["\r", "\x1b"]) {
    assertEquals(`${io.written.stderr}${io.written.stdout}`.includes(control), false);
  }
});

Deno.test("each role has its colour, which who reviews it shares, and each line the colour of its tone", () => {
  const io = fakeIo();
  using progress = openLiveOutput(REVIEW_LOOP, {
    io,
    global: { ...FLAGS, color: { stdout: true, stderr: true } },
    wallClock: noon,
  });
  RUN.forEach((event) => progress.onEvent(event));
  const programmer = "\x1b[34mprogrammer\x1b[0m";
  assertStringIncludes(io.written.stderr, ` ${programmer}: prompt of 3.2 KiB sent`);
  assertStringIncludes(io.written.stderr, " \x1b[34mprogrammer_review\x1b[0m\x1b[33m: REVISE (round 1, cycle 1)");
  assertStringIncludes(io.written.stderr, " \x1b[1mround 1 of 8\x1b[0m\n");
});

Deno.test("the live line has its roles in their colours, and what an agent does as it is", () => {
  const io = fakeIo({ terminal: true });
  const color = { stdout: true, stderr: true };
  using progress = openLiveOutput(REVIEW_LOOP, { io, global: { ...FLAGS, color }, wallClock: noon });
  RUN.slice(0, 6).forEach((event) => progress.onEvent(event));
  assertStringIncludes(io.written.stderr, "starting \x1b[36manalyst\x1b[0m · 0 s (run 0 s)");
});

Deno.test("nothing is written while nothing goes on, and a forced exit takes the live line away", async () => {
  using time = new FakeTime(0);
  const io = fakeIo({ terminal: true });
  using progress = openLiveOutput(REVIEW_LOOP, { io, global: FLAGS, clock: fakeClock });
  await time.tickAsync(1000);
  assertEquals(io.written.stderr, "");
  progress.onEvent(TURN);
  io.forceExit();
  assertEquals(lastScreen(io.written.stderr).at(-1), "");
});

Deno.test("a signal is answered at once: what is being ended, and what forces it; the live line is gone", () => {
  const ready = (role: "analyst" | "programmer", terminalId: string) =>
    [
      { type: "agent_starting", role, provider: "codex" },
      { type: "agent_ready", role, terminalId, seconds: 1, pid: 7, launchedAtMs: 0 },
    ] as const;
  const cases = [
    [{}, [], "SIGINT", "stopping; Ctrl-C again forces it"],
    [{}, ready("analyst", "%1"), "SIGINT", "stopping: ending 1 agent; Ctrl-C again forces it"],
    [
      {},
      [...ready("analyst", "%1"), ...ready("programmer", "%2"), TURN],
      "SIGTERM",
      "stopping: ending 2 agents; a second SIGTERM forces it",
    ],
    [
      { leavesAgents: true },
      ready("analyst", "%1"),
      "SIGINT",
      "stopping: leaving 1 agent; Ctrl-C again forces it",
    ],
  ] as const;
  for (const [options, facts, signalName, told] of cases) {
    for (const json of [false, true]) {
      const stop = new AbortController();
      const io = fakeIo({ terminal: true, signal: stop.signal });
      using output = openLiveOutput(REVIEW_LOOP, { io, global: { ...FLAGS, json }, ...options, wallClock: noon });
      [RUN[0]!, ...facts].forEach((fact) => output.onEvent(fact));
      stop.abort(new Interruption(signalName));
      assertEquals(lastScreen(io.written.stderr).slice(-2), [told, ""]);
      output.onEvent({ type: "warning", message: "one more" });
      assertEquals(lastScreen(io.written.stderr).at(-1), "", "no live line is drawn any more");
    }
  }
});

Deno.test("a live line leaves room for the ^C that a terminal writes behind it: one that wraps could not be erased", () => {
  const io = fakeIo({ terminal: true, columns: 50 });
  using progress = openLiveOutput(REVIEW_LOOP, { io, global: FLAGS, wallClock: noon });
  const starting = { type: "agent_starting", role: "programmer", provider: "codex" } as const;
  [RUN[0]!, starting, TURN, SENT].forEach((fact) => progress.onEvent(fact));
  const line = lastScreen(io.written.stderr).at(-1) ?? "";
  assertStringIncludes(line, "round 1/8, cycle 2, programmer");
  assertEquals([line.endsWith("…"), line.length <= 50 - 3], [true, true], line);
});

Deno.test("a signal before a run has begun, or after its end, is no stop of a run; nor is an error of our own", () => {
  const end = { type: "run_finished", outcome: "pass", rounds: 1, seconds: 1, reason: "" } as const;
  const cases = [[[], "SIGINT"], [[RUN[0]!, end], "SIGINT"], [[RUN[0]!], undefined]] as const;
  for (const [facts, signalName] of cases) {
    const stop = new AbortController();
    const io = fakeIo({ signal: stop.signal });
    using output = openLiveOutput(REVIEW_LOOP, { io, global: FLAGS, wallClock: noon });
    facts.forEach((fact) => output.onEvent(fact));
    stop.abort(signalName === undefined ? new Error("a defect") : new Interruption(signalName));
    assertEquals(io.written.stderr.includes("stopping"), false);
  }
});

Deno.test("colours are used only where they are wanted", () => {
  const io = fakeIo({ terminal: true });
  using progress = openLiveOutput(REVIEW_LOOP, {
    io,
    global: { ...FLAGS, color: { stdout: false, stderr: true } },
    clock: fakeClock,
    wallClock: noon,
  });
  progress.onEvent({ type: "round_finished", round: 1, verdict: "PASS" });
  assertStringIncludes(io.written.stderr, "\x1b[2m12:00:05\x1b[0m \x1b[32mround 1: PASS\x1b[0m\n");
});

/** What a terminal shows after text in which only carriage return and "erase line" act. */
function lastScreen(text: string): string[] {
  const rows = [""];
  // deno-lint-ignore no-control-regex
  for (const part of text.match(/\r\x1b\[2K|\n|[^\r\n\x1b]+/g) ?? []) {
    if (part === "\n") rows.push("");
    else if (part.startsWith("\r")) rows[rows.length - 1] = "";
    else rows[rows.length - 1] += part;
  }
  return rows;
}

const DIALOG = {
  type: "dialog_waiting",
  turnId: "t1",
  role: "programmer",
  terminalId: "%3",
  kind: "command",
  subject: "npm test\n\x1b[2Jrm x",
  fingerprint: "f",
  reason: "AUTO_ACCEPT_PERMISSIONS is off.",
  question: "q1",
  runId: "r1",
  attachCommand: "tmux -L s attach-session",
  timeoutSeconds: 600,
} satisfies ReviewFact;

Deno.test("a dialog that waits for a person is told with what it asks, how to attach and how to answer, also with --quiet", () => {
  const io = fakeIo();
  using progress = openLiveOutput(REVIEW_LOOP, { io, global: { ...FLAGS, quiet: true }, wallClock: noon });
  const { question: _, ...unanswerable } = DIALOG;
  progress.onEvent(DIALOG);
  progress.onEvent({ type: "dialog_closed", turnId: "t1", role: "programmer", question: "q1", seconds: 65 });
  progress.onEvent(unanswerable);
  const lines = io.written.stderr.split("\n").map((line) => line.trim());
  assertEquals(lines.slice(1, 6), [
    "| npm test",
    "| \\x1b[2Jrm x",
    "not decided automatically: AUTO_ACCEPT_PERMISSIONS is off.",
    "look at it with: tmux -L s attach-session",
    "answer it there, or with: panewright answer r1 --question q1 yes|no",
  ]);
  assertStringIncludes(
    lines[0]!,
    "programmer wants to run a command (terminal %3; waits for a person for at most 10m 00s)",
  );
  assertEquals(lines.filter((line) => line.includes("panewright answer")).length, 1);
  assertEquals(
    describeRecord({ type: "dialog_closed", turnId: "t1", role: "programmer", seconds: 65 })[0]?.text,
    "programmer: the dialog waited for 1m 05s",
  );
});

Deno.test("the live line makes way for the question, and says how long a dialog waits that only the pane answers", () => {
  const starting = { ...AGENT, type: "agent_starting", role: "programmer" } as const;
  const started = [RUN[0]!, starting, TURN, SENT].reduce(
    (before, fact) => after(before, fact, 0),
    initialProgress("run"),
  );
  const { question: _, ...unanswerable } = DIALOG;
  const waiting = after(started, DIALOG, 1);
  assertEquals(shown(waiting, 66, 80), "");
  assertStringIncludes(
    shown(after(started, unanswerable, 1), 66, 80),
    "round 1/8, cycle 2, programmer · waiting for a person · 1m 05s (run 1m 06s)",
  );
  const closed = { type: "dialog_closed", turnId: "t1", role: "programmer", seconds: 5 } as const;
  assertStringIncludes(shown(after(waiting, closed, 6), 66, 80), "prompt sent");
});
