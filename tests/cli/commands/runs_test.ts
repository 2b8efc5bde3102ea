import { assert, assertEquals, assertMatch, assertStringIncludes } from "@std/assert";
import { runCli } from "../../../lib/cli/main.ts";
import { tryLockFile } from "../../../lib/base/ports/lock_file.ts";
import { runFolderAt } from "../../../lib/run/run_folder.ts";
import type { Condition } from "../../../lib/run/condition.ts";
import { fakeIo, type FakeIoOptions } from "../../support/fake_io.ts";
import {
  agentReady,
  dialogWaiting,
  execWaiting,
  PROGRAMMER_AT_WORK,
  reviewFinished,
  reviewStarted,
  writeReview,
  writeRun,
} from "../../support/run_folders.ts";
import { type TempDir, tempDir } from "../../support/temp_dir.ts";

/** An id of a run of 20 November 2026; those with a greater number are newer. */
function runId(number: number): string {
  return `20261120-0${number}0000-aaa${number}`;
}

async function runs(dir: TempDir, options: FakeIoOptions & { readonly args?: readonly string[] } = {}) {
  const io = fakeIo({ cwd: dir.path, ...options });
  assertEquals(await runCli(["runs", ...options.args ?? []], io), 0, io.written.stderr);
  return io.written.stdout;
}

/** The states by the numbers of the runs. */
async function states(dir: TempDir): Promise<readonly (readonly [number, Condition])[]> {
  const rows = (await runs(dir, { args: ["--json"] })).trimEnd().split("\n").map((line) => JSON.parse(line));
  return rows.map(({ run, state }) => [Number(run[10]), state]);
}

Deno.test("runs: each state of a run of the review loop has its word, the newest first", async () => {
  await using dir = await tempDir();
  await writeReview(dir, [reviewFinished("pass")], runId(1));
  await writeReview(dir, [reviewFinished("fail")], runId(2));
  await writeReview(dir, [reviewFinished("needs_human")], runId(3));
  await writeReview(dir, [reviewFinished("error")], runId(4));
  await writeReview(dir, [reviewFinished("interrupted")], runId(5));
  await writeReview(dir, [...agentReady(), ...PROGRAMMER_AT_WORK], runId(6));
  const executed = await writeReview(dir, [...agentReady(), ...PROGRAMMER_AT_WORK], runId(7));
  using _held = await tryLockFile(executed.lockPath, "process 1");
  const asked = await writeReview(
    dir,
    [...agentReady(), ...PROGRAMMER_AT_WORK, dialogWaiting(runId(8), "q1")],
    runId(8),
  );
  using _alsoHeld = await tryLockFile(asked.lockPath, "process 1");
  assertEquals(await states(dir), [
    [8, "waiting"],
    [7, "running"],
    [6, "killed"],
    [5, "stopped"],
    [4, "error"],
    [3, "needs_person"],
    [2, "failed"],
    [1, "passed"],
  ]);
});

Deno.test("runs: a dialog of a killed run waits for nothing, the question of a step that was left does", async () => {
  await using dir = await tempDir();
  await writeReview(dir, [...agentReady(), ...PROGRAMMER_AT_WORK, dialogWaiting(runId(1), "q1")], runId(1));
  const id = runId(2);
  await writeRun({ workdir: dir.path, id, events: execWaiting(dir.path, id).slice(0, -2) });
  const interrupted = {
    type: "run_finished",
    outcome: "interrupted",
    tasks: 0,
    reason: "Ctrl-C",
    usage: {},
    seconds: 1,
  } as const;
  const left = runId(3);
  await writeRun({ workdir: dir.path, id: left, events: [...execWaiting(dir.path, left).slice(0, -2), interrupted] });
  assertEquals(await states(dir), [[3, "waiting"], [2, "waiting"], [1, "killed"]]);
});

Deno.test("runs: the table tells what a run waits for, is at, or ended with", async () => {
  await using dir = await tempDir();
  const [first, second] = [runId(1), runId(2)];
  await writeRun({ workdir: dir.path, id: first, events: execWaiting(dir.path, first) });
  await writeReview(dir, [...agentReady(), ...PROGRAMMER_AT_WORK], runId(2));
  await writeReview(dir, [reviewFinished("fail", "the tests fail\x1b[31m")], runId(3));
  const text = (await runs(dir)).replaceAll(/ {2}\d+ (?:s|min|h|d) +/g, "  AGE  ");
  assertEquals(text.split("\n").map((line) => line.replaceAll(/ {2,}/g, "  ")), [
    "RUN  JOB  STATE  AGE",
    `${runId(3)}  run  failed  AGE  the tests fail\\x1b[31m`,
    `${second}  run  killed  AGE  round 2 of 8, cycle 1, programmer`,
    `${first}  exec  waiting for q1  AGE  build: Which database?`,
    "",
  ]);
});

Deno.test("runs: columns are aligned, and cut to the width of a terminal only", async () => {
  await using dir = await tempDir();
  await writeReview(dir, [reviewFinished("pass", "x".repeat(200))], runId(1));
  const id = runId(2);
  await writeRun({ workdir: dir.path, id, events: execWaiting(dir.path, id) });
  const narrow = (await runs(dir, { terminal: true, columns: 50, env: { NO_COLOR: "1" } })).trimEnd().split("\n");
  assertEquals(narrow.map((line) => line.length <= 50), [true, true, true]);
  assertEquals(new Set(narrow.map((line) => /(?:JOB|exec|run {2}) /.exec(line)?.index)).size, 1);
  assert(narrow.at(-1)?.endsWith("…"));
  assertStringIncludes(await runs(dir, { columns: 50 }), "x".repeat(200));
});

Deno.test("runs: a damaged, an empty and a foreign folder do not keep the others from being listed", async () => {
  await using dir = await tempDir();
  await writeReview(dir, [reviewFinished("pass")], runId(1));
  const damaged = await writeReview(dir, [...agentReady()], runId(2));
  await Deno.writeTextFile(damaged.journalPath, "no record\n", { append: true });
  await Deno.mkdir(runFolderAt(dir.path, runId(3)).path);
  await dir.write({
    [`.panewright/runs/${runId(4)}/journal.ndjson`]:
      '{"at":"2026-11-20T07:00:00Z","type":"journal_opened"}\n{"at":"","type":"x"}\n',
    [`.panewright/runs/${runId(5)}/journal.ndjson`]: "\u0000\u0000\n",
    ".panewright/runs/notes/todo.md": "Mine.\n",
    ".panewright/runs/file": "Also mine.\n",
  });
  await Deno.mkdir(`${runFolderAt(dir.path, runId(6)).path}/journal.ndjson`, { recursive: true });
  assertEquals(await states(dir), [
    [6, "unreadable"],
    [5, "unreadable"],
    [4, "unreadable"],
    [3, "empty"],
    [2, "unreadable"],
    [1, "passed"],
  ]);
  assertMatch(await runs(dir), /aaa2 +run +unreadable .*line 8 \(byte \d+\) is not a record/);
});

Deno.test("runs: nothing to list is said, and with --json nothing", async () => {
  await using dir = await tempDir();
  assertEquals(await runs(dir), `There are no runs in ${dir.path}.\n`);
  assertEquals(await runs(dir, { args: ["--json"] }), "");
});

Deno.test("runs: of a long journal of a run that is over only the ends are read", async () => {
  await using dir = await tempDir();
  const folder = await writeReview(
    dir,
    [{ type: "warning", message: "x".repeat(100_000) }, reviewFinished("pass")],
    runId(1),
  );
  const text = await Deno.readTextFile(folder.journalPath);
  // Damage in the middle shows only where the middle is read.
  await Deno.writeTextFile(folder.journalPath, text.replace('"warning"', '"warn'));
  assertEquals(await states(dir), [[1, "passed"]]);
  const io = fakeIo({ cwd: dir.path });
  await runCli(["status", "--json"], io);
  assertEquals(JSON.parse(io.written.stdout).state, "unreadable");
});

Deno.test("runs, status: found from a folder below, and beside a configuration that names another folder", async () => {
  await using dir = await tempDir();
  const id = runId(1);
  await dir.write({ "project/src/a.ts": "", "elsewhere/b.ts": "", "panewright.jsonc": '{"wd": "project"}' });
  const workdir = `${dir.path}/project`;
  await writeRun({ workdir, id, events: [reviewStarted(workdir, id), reviewFinished("pass")] });
  for (const cwd of [workdir, `${workdir}/src`, dir.path]) {
    const io = fakeIo({ cwd });
    assertEquals(await runCli(["status"], io), 0, io.written.stderr);
    assertStringIncludes(io.written.stdout, `run ${id} (run): passed\n`);
  }
  await dir.write({ "panewright.jsonc": '{"wd": "project", "no_such_key": 1}' });
  const io = fakeIo({ cwd: dir.path });
  assertEquals(await runCli(["status"], io), 2);
  assertStringIncludes(io.written.stderr, `Cannot find a run in ${dir.path}`);
});
