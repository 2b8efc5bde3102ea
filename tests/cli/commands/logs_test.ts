import { assertEquals, assertMatch, assertNotMatch, assertStringIncludes } from "@std/assert";
import { Interruption } from "../../../lib/cli/console/command.ts";
import { runCli } from "../../../lib/cli/main.ts";
import { openJournal } from "../../../lib/journal/journal.ts";
import { tryLockFile } from "../../../lib/base/ports/lock_file.ts";
import { runFolderAt } from "../../../lib/run/run_folder.ts";
import { callCli } from "../../support/call_cli.ts";
import { fakeIo, type FakeIoOptions } from "../../support/fake_io.ts";
import {
  agentReady,
  dialogWaiting,
  execWaiting,
  PROGRAMMER_AT_WORK,
  reviewFinished,
  RUN_ID,
  writeReview,
  writeRun,
} from "../../support/run_folders.ts";
import { tempDir } from "../../support/temp_dir.ts";
import { until } from "../../support/until.ts";

async function logs(cwd: string, args: readonly string[] = [], options: FakeIoOptions = {}) {
  return await callCli(["logs", ...args], { cwd, ...options });
}

Deno.test("logs: the run's own lines with their times; details only with --verbose", async () => {
  await using dir = await tempDir();
  const events = [
    ...agentReady(),
    ...PROGRAMMER_AT_WORK,
    reviewFinished("fail", "it is red"),
  ];
  await writeReview(dir, events);
  const { code, stdout } = await logs(dir.path);
  assertEquals(code, 0);
  const lines = stdout.trimEnd().split("\n");
  assertEquals(
    lines[1],
    "2026-11-20T07:26:09.000Z watch the agents with: tmux -L panewright-no-such-server attach-session -t =panewright",
  );
  assertEquals(lines.at(-1), "2026-11-20T07:26:17.000Z FAIL after 2 rounds, 1m 00s: it is red");
  assertNotMatch(stdout, /working/);
  const verbose = await logs(dir.path, ["--verbose"]);
  assertStringIncludes(verbose.stdout, "programmer: working\n");
});

Deno.test("logs: control characters of agents never reach the terminal, nor a program's JSON", async () => {
  await using dir = await tempDir();
  await writeReview(dir, [dialogWaiting(RUN_ID, "q1")]);
  for (const args of [[], ["--json"], ["--verbose"]]) {
    const { stdout } = await logs(dir.path, args, { terminal: true, env: { NO_COLOR: "1" } });
    assertStringIncludes(stdout, "rm -rf ");
    assertEquals(stdout.includes("\x1b"), false);
  }
});

Deno.test("logs --json: the records as they are, each with the version of its form", async () => {
  await using dir = await tempDir();
  const folder = await writeReview(dir, [...agentReady()]);
  const { stdout } = await logs(dir.path, ["--json", RUN_ID]);
  const parse = (text: string) => text.trimEnd().split("\n").map((line) => JSON.parse(line));
  const records = parse(await Deno.readTextFile(folder.journalPath));
  assertEquals(parse(stdout), records.map((record) => ({ ...record, v: 1 })));
});

Deno.test("logs: a run of exec names the files that have what its agents said", async () => {
  await using dir = await tempDir();
  const folder = await writeRun({ workdir: dir.path, id: RUN_ID, events: execWaiting(dir.path, RUN_ID) });
  const { stdout } = await logs(dir.path);
  assertStringIncludes(stdout, `what it says and runs is in ${folder.path}/steps/02-build/attempt-1/log.txt\n`);
  assertMatch(stdout, /question q1 of step "build": Which database\?\n/);
});

Deno.test("logs: records of a later version that may be passed over are, a last one that is torn does not count", async () => {
  await using dir = await tempDir();
  const folder = await writeReview(dir, []);
  const more =
    '{"at":"2026-11-20T08:00:00Z","type":"new_thing","passable":true}\n{"at":"2026-11-20T08:00:01Z","type":"round_started","round":1,"maxRounds":8}\n{"at":"20';
  await Deno.writeTextFile(folder.journalPath, more, { append: true });
  const { code, stdout } = await logs(dir.path, ["--verbose"]);
  assertEquals(code, 0);
  assertEquals(stdout.trimEnd().split("\n").slice(-2), [
    "2026-11-20T08:00:00Z new_thing",
    "2026-11-20T08:00:01Z round 1 of 8",
  ]);
});

Deno.test("logs: a record that this version does not know ends them, and says which version is needed", async () => {
  await using dir = await tempDir();
  const folder = await writeReview(dir, []);
  const more = '{"at":"2026-11-20T08:00:00Z","type":"new_thing"}\n';
  await Deno.writeTextFile(folder.journalPath, more, { append: true });
  const { code, stdout, stderr } = await logs(dir.path);
  assertEquals(code, 2);
  assertStringIncludes(stdout, `run ${RUN_ID}, starting with analyst`);
  assertStringIncludes(stderr, 'has the type "new_thing"');
  assertStringIncludes(stderr, "later version");
});

Deno.test("logs: a damaged journal is shown up to the damage, which is named", async () => {
  await using dir = await tempDir();
  const folder = await writeReview(dir, []);
  const byte = (await Deno.stat(folder.journalPath)).size;
  await Deno.writeTextFile(folder.journalPath, "no record\n", { append: true });
  const { code, stdout, stderr } = await logs(dir.path);
  assertEquals(code, 1);
  assertStringIncludes(stdout, `run ${RUN_ID}, starting with analyst`);
  assertStringIncludes(stderr, `line 3 (byte ${byte}) is not a record`);
});

Deno.test("logs: a run that was broken off before it began", async () => {
  await using dir = await tempDir();
  await Deno.mkdir(runFolderAt(dir.path, RUN_ID).path, { recursive: true });
  const { code, stderr } = await logs(dir.path);
  assertEquals(code, 1);
  assertStringIncludes(stderr, "it does not exist");
});

Deno.test("logs --follow: new lines as they come, until no process executes the run", async () => {
  await using dir = await tempDir();
  const folder = await writeReview(dir, []);
  const lock = await tryLockFile(folder.lockPath, "process 1");
  const io = fakeIo({ cwd: dir.path });
  let ended = false;
  const following = runCli(["logs", "--follow"], io).finally(() => ended = true);
  await until(() => io.written.stdout.includes("starting with analyst"));
  using journal = openJournal(folder.journalPath);
  journal.append({ type: "round_started", round: 1, maxRounds: 8 } as { type: string });
  await until(() => io.written.stdout.includes("round 1 of 8"));
  journal.append(reviewFinished("pass"));
  await until(() => io.written.stdout.includes("PASS"));
  assertEquals(ended, false);
  lock?.[Symbol.dispose]();
  assertEquals(await following, 0);
  assertEquals(io.written.stdout.trimEnd().split("\n").length, 3);
});

Deno.test("logs --follow: Ctrl-C leaves with 130 and no message", async () => {
  await using dir = await tempDir();
  const folder = await writeReview(dir, []);
  using _held = await tryLockFile(folder.lockPath, "process 1");
  const controller = new AbortController();
  const io = fakeIo({ cwd: dir.path, signal: controller.signal });
  const following = runCli(["logs", "-f"], io);
  await until(() => io.written.stdout !== "");
  controller.abort(new Interruption("SIGINT"));
  assertEquals([await following, io.written.stderr], [130, ""]);
});
