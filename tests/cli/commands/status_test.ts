import { assertEquals, assertMatch, assertNotMatch, assertStringIncludes } from "@std/assert";
import { Interruption } from "../../../lib/cli/console/command.ts";
import { runCli } from "../../../lib/cli/main.ts";
import { openJournal } from "../../../lib/journal/journal.ts";
import { tryLockFile } from "../../../lib/base/ports/lock_file.ts";
import { findProcess } from "../../../lib/base/ports/process_table.ts";
import { fakeIo, type FakeIoOptions } from "../../support/fake_io.ts";
import { agentReady, PROGRAMMER_AT_WORK, reviewFinished, RUN_ID, writeReview } from "../../support/run_folders.ts";
import { type TempDir, tempDir } from "../../support/temp_dir.ts";
import { until } from "../../support/until.ts";

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
