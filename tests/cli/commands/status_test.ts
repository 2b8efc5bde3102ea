import { assertEquals, assertMatch, assertNotMatch, assertStringIncludes } from "@std/assert";
import { Interruption } from "../../../lib/cli/console/command.ts";
import { runCli } from "../../../lib/cli/main.ts";
import { localTime } from "../../../lib/journal/words/words.ts";
import { openJournal } from "../../../lib/journal/journal.ts";
import { tryLockFile } from "../../../lib/base/ports/lock_file.ts";
import { findProcess } from "../../../lib/base/ports/process_table.ts";
import { fakeIo, type FakeIoOptions } from "../../support/fake_io.ts";
import {
  agentReady,
  dialogWaiting,
  execWaiting,
  PROGRAMMER_AT_WORK,
  reviewFinished,
  reviewStarted,
  RUN_ID,
  writeReview,
  writeRun,
} from "../../support/run_folders.ts";
import { leaveAnswerFor } from "../../support/run_mail.ts";
import { type TempDir, tempDir } from "../../support/temp_dir.ts";
import { until } from "../../support/until.ts";

const PROGRAMMER_TURN = { turnId: "r2-programmer-c1", role: "programmer" } as const;

async function status(dir: TempDir, args: readonly string[] = [], options: FakeIoOptions = {}): Promise<string> {
  const io = fakeIo({ cwd: dir.path, ...options });
  assertEquals(await runCli(["status", ...args], io), 0, io.written.stderr);
  return io.written.stdout;
}

Deno.test("status: a run at work shows its turn, its counts, its agents and how to see them", async () => {
  await using dir = await tempDir();
  const self = await findProcess(Deno.pid);
  const agent = agentReady({ pid: Deno.pid, processStart: self?.startTime ?? "" });
  const folder = await writeReview(dir, [...agent, ...PROGRAMMER_AT_WORK]);
  using _held = await tryLockFile(folder.lockPath, "process 4711");
  const text = await status(dir);
  assertMatch(text, new RegExp(`^run ${RUN_ID} \\(run\\): running, executed by process 4711\\n`));
  assertMatch(text, /^ {2}job +Teach the greeter manners\.$/m);
  assertMatch(text, /^ {2}began +\d{4}-\d\d-\d\d \d\d:\d\d:\d\d, .* ago$/m);
  assertMatch(text, /^ {2}now +round 2 of 8, cycle 1, programmer\n +for .*; working, for /m);
  assertMatch(text, /^ {2}so far +1 turn, 0 responses, 1 reminder, 0 dialogs accepted$/m);
  assertMatch(text, /^ {2}agents +programmer {2}codex {2}%1 {2}alive {2}session 019a-77$/m);
  assertMatch(text, new RegExp(`^ {2}watch +panewright attach ${RUN_ID}\\n +tmux -L `, "m"));
  assertNotMatch(text, /^ {2}resume/m);
});

Deno.test("status: a killed run says so, with its agents gone and the command that goes on", async () => {
  await using dir = await tempDir();
  await writeReview(dir, [...agentReady(), ...PROGRAMMER_AT_WORK]);
  const text = await status(dir, ["--wd", dir.path], { cwd: "/" });
  assertMatch(text, new RegExp(`^run ${RUN_ID} \\(run\\): killed\\n`));
  assertMatch(text, /^ {2}stood at +round 2 of 8/m);
  assertMatch(text, /%1 {2}gone/);
  assertStringIncludes(text, `resume    panewright resume ${RUN_ID} --wd ${dir.path}\n`);
});

Deno.test("status: an open dialog is shown with the command that answers it, and nothing of an agent's reaches the terminal", async () => {
  await using dir = await tempDir();
  const folder = await writeReview(dir, [...agentReady(), ...PROGRAMMER_AT_WORK, dialogWaiting(RUN_ID, "q1")]);
  using _held = await tryLockFile(folder.lockPath, "process 4711");
  const text = await status(dir);
  assertStringIncludes(text, `run ${RUN_ID} (run): waiting for q1, executed by process 4711\n`);
  assertMatch(
    text,
    /^ {2}dialog +q1: the programmer wants to run a command, asked .* ago\n +\| rm -rf \\x1b\[2Jbuild\n +No rule allows it\.$/m,
  );
  assertNotMatch(text, /\bstep\b/);
  assertStringIncludes(text, `answer    panewright answer ${RUN_ID} --question q1 yes|no\n`);
  assertEquals(text.includes("\x1b"), false);
});

Deno.test("status: a dialog that only the pane takes an answer to", async () => {
  await using dir = await tempDir();
  const folder = await writeReview(dir, [...agentReady(), ...PROGRAMMER_AT_WORK, dialogWaiting(RUN_ID, undefined)]);
  using _held = await tryLockFile(folder.lockPath, "process 4711");
  assertMatch(await status(dir), /waiting at a dialog[^]*answer +in the agent's pane\n/);
});

Deno.test("status: a turn that waits to be tried again, and one that waits for the account's limit", async () => {
  for (
    const [failureClass, words] of [
      ["overloaded", "waiting to try again"],
      ["usage_limit", "waiting for the usage limit to be reset"],
    ] as const
  ) {
    await using dir = await tempDir();
    const failed = {
      ...PROGRAMMER_TURN,
      type: "agent_failed",
      class: failureClass,
      message: "API Error: \x1b[2J529",
      evidence: "row 7",
      retryAt: "2026-11-20T09:00:00Z",
      retry: 1,
    } as const;
    const folder = await writeReview(dir, [...agentReady(), ...PROGRAMMER_AT_WORK, failed]);
    using _held = await tryLockFile(folder.lockPath, "process 4711");
    const at = localTime(failed.retryAt);
    assertMatch(
      await status(dir),
      new RegExp(`now +round 2 of 8, cycle 1, programmer, ${words}\\n +for .*; until ${at}: API Error: \\S*529$`, "m"),
    );
  }
});

Deno.test("status: a person's draft that holds a prompt back, and what is to be done about it", async () => {
  await using dir = await tempDir();
  const held = {
    ...PROGRAMMER_TURN,
    type: "message_held",
    what: "prompt",
    obstacle: "draft",
    timeoutSeconds: 600,
    terminalId: "%1",
    attachCommand: "tmux attach",
    passable: true,
  } as const;
  const folder = await writeReview(dir, [...agentReady(), ...PROGRAMMER_AT_WORK, held]);
  using _held = await tryLockFile(folder.lockPath, "process 4711");
  const text = await status(dir);
  assertMatch(text, /: waiting for a person, executed by/);
  assertMatch(
    text,
    /draft +programmer, seen .* ago\n +a person's draft is in its composer, .*\n +submit or delete it in the agent's pane$/m,
  );
  assertNotMatch(text, /\b(?:step|question|answer)\b/);
});

Deno.test("status: a step's question, before and after its answer", async () => {
  await using dir = await tempDir();
  const folder = await writeRun({ workdir: dir.path, id: RUN_ID, events: execWaiting(dir.path, RUN_ID) });
  const before = await status(dir);
  assertStringIncludes(before, `run ${RUN_ID} (exec): waiting for q1\n`);
  assertMatch(before, /^ {2}so far +0 tasks passed, 1200 tokens in, 40 out \(gpt-6\)$/m);
  assertMatch(before, new RegExp(`^ {2}step log +${folder.path}/steps/02-build/attempt-1/log.txt$`, "m"));
  assertStringIncludes(before, `panewright answer ${RUN_ID} --question q1 "YOUR ANSWER"\n`);
  assertStringIncludes(before, `resume    panewright resume ${RUN_ID}\n`);
  await leaveAnswerFor(folder, {
    question: "q1",
    answer: "Postgres",
    by: "command",
    answeredAt: "2026-11-20T08:00:00Z",
  });
  const after = await status(dir);
  assertStringIncludes(after, `run ${RUN_ID} (exec): q1 is answered\n`);
  assertNotMatch(after, /panewright answer/);
});

Deno.test("status: a damaged journal shows what stands before the damage, where it is and what helps", async () => {
  await using dir = await tempDir();
  const folder = await writeReview(dir, [...agentReady(), ...PROGRAMMER_AT_WORK]);
  await Deno.writeTextFile(folder.journalPath, "no record\n", { append: true });
  const text = await status(dir);
  assertMatch(text, /: unreadable\n/);
  assertMatch(text, /^ {2}stood at +round 2 of 8/m);
  assertMatch(text, /^ {2}problem +Cannot read the journal .*: line 12 \(byte \d+\) is not a record$/m);
  assertStringIncludes(text, `resume    panewright resume ${RUN_ID} --from-last-good\n`);
});

Deno.test("status: without RUN it is the run that is executed, otherwise the newest", async () => {
  await using dir = await tempDir();
  const older = await writeReview(dir, []);
  const newer = "20261121-072605-3fa9";
  await writeRun({ workdir: dir.path, id: newer, events: [reviewStarted(dir.path, newer), reviewFinished("pass")] });
  const shown = async () => JSON.parse(await status(dir, ["--json"])).run;
  assertEquals(await shown(), newer);
  {
    using _held = await tryLockFile(older.lockPath, "process 1");
    assertEquals(await shown(), RUN_ID);
  }
  assertEquals(JSON.parse(await status(dir, [older.path, "--json"], { cwd: "/" })).run, RUN_ID);
});

Deno.test("status: counts go on over a resume, and what a dead agent asked is gone with it", async () => {
  await using dir = await tempDir();
  const sha256 = "0".repeat(64);
  const turn = { turnId: "r2-programmer-c1", role: "programmer", round: 2, cycle: 1 } as const;
  const folder = await writeReview(dir, [
    ...agentReady(),
    ...PROGRAMMER_AT_WORK,
    dialogWaiting(RUN_ID, "q1"),
    { type: "run_resumed", runId: RUN_ID, folder: "", settings: reviewSettings(dir) },
    { type: "agent_starting", role: "programmer", provider: "codex", resumes: "019a-77" },
    ...agentReady().slice(3, 4),
    { type: "turn_resumed", ...turn },
    { type: "response_received", ...turn, bytes: 5, archivedAs: "/gone/001-programmer.md", sha256, seconds: 1 },
    {
      type: "turn_started",
      turnId: "r2-programmer_review-c1",
      role: "programmer_review",
      round: 2,
      cycle: 1,
      promptBytes: 1,
    },
  ]);
  using _held = await tryLockFile(folder.lockPath, "process 1");
  const { state, summary } = JSON.parse(await status(dir, ["--json"]));
  assertEquals(state, "running");
  assertEquals(summary.counts, { turns: 2, responses: 1, reminders: 1, acceptedDialogs: 0, declinedDialogs: 0 });
  assertEquals(summary.agents.programmer.sessionId, "019a-77");
  assertEquals(summary.question, undefined);
});

Deno.test("status: a role without a pane has a process for each message, and is not called not started", async () => {
  await using dir = await tempDir();
  const starting = { type: "agent_starting", role: "programmer", provider: "codex", protocol: "process" } as const;
  const ready = {
    ...{
      type: "agent_ready",
      role: "programmer",
      terminalId: "process:1a2b3c4d",
      seconds: 0,
      launchedAtMs: 0,
    } as const,
  };
  await writeReview(dir, [starting, ready, { type: "agent_session", role: "programmer", sessionId: "019a-77" }]);
  assertMatch(await status(dir), /programmer +codex +no pane +a process for each message +session 019a-77/);
});

Deno.test("status: after a resume, an agent is started when its turn comes, and is not called starting until then", async () => {
  await using dir = await tempDir();
  const { turnId, role } = { turnId: "r2-programmer-c1", role: "programmer" } as const;
  const resumed = [
    ...agentReady(),
    ...PROGRAMMER_AT_WORK,
    {
      type: "response_received",
      turnId,
      role,
      round: 2,
      cycle: 1,
      bytes: 5,
      archivedAs: "/gone/001-programmer.md",
      sha256: "0".repeat(64),
      seconds: 1,
    },
    { type: "run_resumed", runId: RUN_ID, folder: "", settings: reviewSettings(dir) },
    ...agentReady({ socket: "panewright-other-server" }).slice(0, 2),
  ] as const;
  const folder = await writeReview(dir, resumed);
  using _held = await tryLockFile(folder.lockPath, "process 1");
  assertMatch(await status(dir), /programmer +codex +not started +session /);
  const starting = { type: "agent_starting", role, provider: "codex", resumes: "019a-77" } as const;
  await using other = await tempDir();
  const again = await writeReview(other, [...resumed, starting]);
  using _held2 = await tryLockFile(again.lockPath, "process 1");
  assertMatch(await status(other), /programmer +codex +starting +session /);
});

function reviewSettings(dir: TempDir) {
  const started = reviewStarted(dir.path, RUN_ID);
  if (started.type !== "run_started") throw new TypeError("the first record is another");
  return started.settings;
}

Deno.test("status --watch: one block a change where there is no terminal, until the run ends", async () => {
  await using dir = await tempDir();
  const folder = await writeReview(dir, [...agentReady()]);
  const io = fakeIo({ cwd: dir.path });
  const lock = await tryLockFile(folder.lockPath, "process 1");
  const watching = runCli(["status", "--watch"], io);
  const blocks = () => io.written.stdout.split(/^(?=run )/m).filter((block) => block !== "");
  await until(() => blocks().length === 1);
  // Nothing changes for more than a tick.
  await new Promise((resolve) => setTimeout(resolve, 1300));
  assertEquals(blocks().length, 1);
  using journal = openJournal(folder.journalPath);
  journal.append({ type: "round_started", round: 1, maxRounds: 8 } as { type: string });
  await until(() => blocks().length === 2);
  journal.append(reviewFinished("pass"));
  await until(() => blocks().length === 3);
  lock?.[Symbol.dispose]();
  assertEquals(await watching, 0);
  assertEquals(blocks().map((block) => block.split("\n")[0]), [
    `run ${RUN_ID} (run): running, executed by process 1`,
    `run ${RUN_ID} (run): running, executed by process 1`,
    `run ${RUN_ID} (run): passed, executed by process 1`,
    `run ${RUN_ID} (run): passed`,
  ]);
});

Deno.test("status --watch --json: one object a change", async () => {
  await using dir = await tempDir();
  const folder = await writeReview(dir, [...agentReady()]);
  const io = fakeIo({ cwd: dir.path });
  const lock = await tryLockFile(folder.lockPath, "process 1");
  const watching = runCli(["status", "--watch", "--json"], io);
  await until(() => io.written.stdout !== "");
  lock?.[Symbol.dispose]();
  assertEquals(await watching, 0);
  assertEquals(io.written.stdout.trimEnd().split("\n").map((line) => JSON.parse(line).state), ["running", "killed"]);
});

Deno.test("status --watch: a run whose folder is removed meanwhile is not called one that never began", async () => {
  await using dir = await tempDir();
  const folder = await writeReview(dir, [...agentReady()]);
  const io = fakeIo({ cwd: dir.path });
  using _held = await tryLockFile(folder.lockPath, "process 1");
  const watching = runCli(["status", "--watch"], io);
  await until(() => io.written.stdout !== "");
  await Deno.remove(folder.path, { recursive: true });
  assertEquals(await watching, 1);
  assertStringIncludes(io.written.stderr, `Cannot show run ${RUN_ID} any longer: its folder was removed`);
});

Deno.test("status --watch: Ctrl-C leaves with 130 and no message, and gives the terminal back as it was", async () => {
  await using dir = await tempDir();
  const folder = await writeReview(dir, [...agentReady()]);
  using _held = await tryLockFile(folder.lockPath, "process 1");
  const controller = new AbortController();
  const io = fakeIo({ cwd: dir.path, terminal: true, rows: 6, columns: 60, signal: controller.signal });
  const watching = runCli(["status", "--watch"], io);
  await until(() => io.written.stdout.includes("\x1b[J"));
  controller.abort(new Interruption("SIGINT"));
  assertEquals(await watching, 130);
  assertEquals(io.written.stderr, "");
  const [first = "", ...rest] = io.written.stdout.split("\x1b[H");
  assertEquals(first, "\x1b[?1049h\x1b[?25l");
  // A line that is wrapped counts as the rows that it takes.
  assertEquals(rest[0]?.split("\r\n").length, 5);
  assertEquals(io.written.stdout.endsWith("\x1b[?25h\x1b[?1049l"), true);
});

Deno.test("status: reasons stand on lines of their own, wrapped at the width of a terminal", async () => {
  await using dir = await tempDir();
  const reason =
    "No round is left: the tests of the last one failed as those of the rounds before it.\nSee 009-tester.md.";
  await writeReview(dir, [
    ...agentReady(),
    { type: "round_finished", round: 1, verdict: "FAIL", note: "scenario step 4 prints nothing" },
    reviewFinished("fail", reason),
  ]);
  const rows = (await status(dir, [], { terminal: true, columns: 60, env: { NO_COLOR: "1" } })).split("\n");
  const at = rows.findIndex((row) => row.startsWith("  because"));
  assertEquals(rows.slice(at, at + 3), [
    "  because   No round is left: the tests of the last one",
    "            failed as those of the rounds before it.",
    "            See 009-tester.md.",
  ]);
  assertStringIncludes(rows.join("\n"), "last: round 1: FAIL\n            scenario step 4 prints nothing\n");
});

Deno.test("status --watch under TERM=dumb: plain blocks, no control sequence", async () => {
  await using dir = await tempDir();
  const folder = await writeReview(dir, [...agentReady()]);
  const io = fakeIo({ cwd: dir.path, terminal: true, env: { TERM: "dumb" } });
  const lock = await tryLockFile(folder.lockPath, "process 1");
  const watching = runCli(["status", "--watch"], io);
  await until(() => io.written.stdout !== "");
  lock?.[Symbol.dispose]();
  assertEquals(await watching, 0);
  assertEquals(io.written.stdout.includes("\x1b"), false);
});
