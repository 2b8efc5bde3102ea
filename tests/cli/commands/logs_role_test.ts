import { assert, assertEquals, assertMatch, assertStringIncludes } from "@std/assert";
import { Interruption } from "../../../lib/cli/console/command.ts";
import { runCli } from "../../../lib/cli/main.ts";
import type { AcpActivity } from "../../../lib/agents/acp/activity.ts";
import { createRedactor } from "../../../lib/base/redact/redactor.ts";
import { activityPathOf } from "../../../lib/run/activity_file.ts";
import { type ActivityWriter, openActivityWriter } from "../../../lib/run/activity_writer.ts";
import { tryLockFile } from "../../../lib/base/ports/lock_file.ts";
import type { RunFolder } from "../../../lib/run/run_folder.ts";
import { callCli } from "../../support/call_cli.ts";
import { fakeIo } from "../../support/fake_io.ts";
import { agentReady, PROGRAMMER_AT_WORK, RUN_ID, writeReview } from "../../support/run_folders.ts";
import { tempDir } from "../../support/temp_dir.ts";
import { until } from "../../support/until.ts";

const AT = "2026-11-20T07:26:05.000Z";

const STARTING = agentReady().filter(({ type }) => type === "agent_starting");

const SESSION = { type: "session", agent: "Some CLI 1.0", sessionId: "s1", resumed: false } as const;
const HOSTILE = "\x1b[2J\x1b]52;c;cm0=\x07\x9b2J\u202etxt";

function writerOf(folder: RunFolder): ActivityWriter {
  return openActivityWriter(activityPathOf(folder, "programmer"), {
    redactor: createRedactor([]),
    onProblem: (message) => assert(false, message),
    wallClock: () => new Date(AT),
  });
}

async function writeActivities(folder: RunFolder, ...activities: readonly AcpActivity[]): Promise<void> {
  using writer = writerOf(folder);
  for (const activity of activities) writer.write(activity);
  await Promise.resolve();
}

Deno.test("logs --role: what the agent did, each row with its time, where nobody looks", async () => {
  await using dir = await tempDir();
  const folder = await writeReview(dir, [...STARTING, ...PROGRAMMER_AT_WORK]);
  await writeActivities(
    folder,
    SESSION,
    { type: "message", text: "I look.\nThen I work.\n" },
    { type: "tool_call", id: "1", kind: "execute", title: "", status: "in_progress", command: "npm test" },
  );
  const { code, stdout, stderr } = await callCli(["logs", "--role", "programmer"], { cwd: dir.path });
  assertEquals([code, stderr], [0, ""]);
  const rows = ["Some CLI 1.0, session s1", "• I look.", "  Then I work.", "$ npm test"];
  assertEquals(stdout, rows.map((row) => `${AT} ${row}\n`).join(""));
});

Deno.test("logs --role --json: each activity as an object of its own", async () => {
  await using dir = await tempDir();
  const folder = await writeReview(dir, STARTING);
  await writeActivities(folder, SESSION, { type: "message", text: HOSTILE });
  const { stdout } = await callCli(["logs", "--role", "programmer", "--json"], { cwd: dir.path });
  assertMatch(stdout, /^[\n\x20-\x7e]+$/);
  const head = { type: "role_activity", v: 1, run: RUN_ID, role: "programmer", at: AT };
  const [first, second] = stdout.trimEnd().split("\n").map((line) => JSON.parse(line));
  assertEquals(first, { ...head, activity: SESSION });
  assertEquals(second.activity.type, "message");
});

Deno.test("logs --role: in a terminal rows are wrapped, and nothing in the file acts on it, whoever wrote it", async () => {
  await using dir = await tempDir();
  const folder = await writeReview(dir, [...STARTING, ...PROGRAMMER_AT_WORK]);
  await Deno.mkdir(folder.agentsDir);
  const lines = [
    { at: AT, ...SESSION, agent: HOSTILE },
    { at: HOSTILE, type: "message", text: "word" },
    { at: AT, type: "message", text: `${HOSTILE} ${"long ".repeat(60)}` },
    { at: AT, type: "turn_ended", reason: HOSTILE, isGood: false },
    { at: AT, type: "turn_begun", text: "x".repeat(500) },
  ];
  const text = lines.map((line) => `${JSON.stringify(line)}\n`).join("");
  await Deno.writeTextFile(activityPathOf(folder, "programmer"), `${text}\x1b[2J\n`);
  for (const terminal of [true, false]) {
    const options = { cwd: dir.path, terminal, columns: 60, env: { NO_COLOR: "1" } };
    const { code, stdout } = await callCli(["logs", "--role", "programmer"], options);
    assertEquals(code, 0);
    assertMatch(stdout, /^[\n\P{C}]*$/u);
    assertStringIncludes(stdout, "\\x1b[2J");
    // Its time is not one.
    assert(!stdout.includes("word"));
    if (terminal) assert(stdout.split("\n").every((row) => row.length <= 60), stdout);
  }
});

Deno.test("logs --role --follow: what the agent does as it comes, with its state, until nobody executes the run", async () => {
  await using dir = await tempDir();
  const folder = await writeReview(dir, [...STARTING, ...PROGRAMMER_AT_WORK]);
  const lock = await tryLockFile(folder.lockPath, "process 1");
  const io = fakeIo({ cwd: dir.path, terminal: true, columns: 200, env: { NO_COLOR: "1" } });
  let ended = false;
  const following = runCli(["logs", "-f", "--role", "programmer"], io).finally(() => ended = true);
  await until(() => io.written.stderr.includes("programmer: working"));
  using writer = writerOf(folder);
  writer.write(SESSION);
  writer.write({ type: "turn_begun", text: "Do it." });
  writer.write({ type: "tool_call", id: "1", kind: "execute", title: "", status: "in_progress", command: "npm test" });
  await until(() => io.written.stdout.includes("$ npm test\n"));
  await until(() => io.written.stderr.includes(" · $ npm test"));
  assertEquals(ended, false);
  writer.write({ type: "message", text: "The last word" });
  writer[Symbol.dispose]();
  lock?.[Symbol.dispose]();
  assertEquals(await following, 0);
  assertStringIncludes(io.written.stdout, "• The last word\n");
  // The line with the state is gone.
  assert(io.written.stderr.endsWith("\r\x1b[2K"));
});

Deno.test("logs --role --follow: Ctrl-C leaves with 130 and no message", async () => {
  await using dir = await tempDir();
  const folder = await writeReview(dir, STARTING);
  using _held = await tryLockFile(folder.lockPath, "process 1");
  await writeActivities(folder, SESSION);
  const controller = new AbortController();
  const io = fakeIo({ cwd: dir.path, signal: controller.signal });
  const following = runCli(["logs", "-f", "--role", "programmer"], io);
  await until(() => io.written.stdout !== "");
  controller.abort(new Interruption("SIGINT"));
  assertEquals([await following, io.written.stderr], [130, ""]);
});

Deno.test("logs --role: a role with a terminal, and one that has done nothing", async () => {
  await using dir = await tempDir();
  await writeReview(dir, agentReady());
  const inPane = await callCli(["logs", "--role", "programmer", "--follow"], { cwd: dir.path });
  assertEquals(inPane.code, 2);
  assertStringIncludes(inPane.stderr, "it works in a terminal of its own");
  assertStringIncludes(inPane.stderr, `attach ${RUN_ID} programmer`);
  const nothing = await callCli(["logs", "--role", "tester"], { cwd: dir.path });
  assertEquals(nothing.code, 2);
  assertStringIncludes(nothing.stderr, "nothing of it is kept");
});
