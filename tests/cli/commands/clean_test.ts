import { assertEquals, assertMatch, assertStringIncludes } from "@std/assert";
import { runCli } from "../../../lib/cli/main.ts";
import { tryLockFile } from "../../../lib/base/ports/lock_file.ts";
import { type RunFolder, runFolderAt } from "../../../lib/run/run_folder.ts";
import { findProcess } from "../../../lib/base/ports/process_table.ts";
import type { ReviewFact } from "../../../lib/journal/loop/facts.ts";
import { fakeIo } from "../../support/fake_io.ts";
import { agentReady, execWaiting, reviewFinished, reviewStarted, writeRun } from "../../support/run_folders.ts";
import { type TempDir, tempDir } from "../../support/temp_dir.ts";

const DAY_MS = 86_400_000;

/** A run that ended some days ago; its id is as old. */
async function writeReview(
  dir: TempDir,
  { daysAgo, events = [reviewFinished("pass")] }: {
    readonly daysAgo: number;
    readonly events?: readonly ReviewFact[];
  },
): Promise<RunFolder> {
  const startedAt = new Date(Date.now() - daysAgo * DAY_MS);
  const id = idAt(startedAt);
  return await writeRun({ workdir: dir.path, id, startedAt, events: [reviewStarted(dir.path, id), ...events] });
}

function idAt(moment: Date): string {
  return `${moment.toISOString().slice(0, 19).replaceAll(/[-:]/g, "").replace("T", "-")}-aaaa`;
}

async function clean(dir: TempDir, ...args: readonly string[]): Promise<string> {
  const io = fakeIo({ cwd: dir.path });
  assertEquals(await runCli(["clean", ...args], io), 0, io.written.stderr);
  return io.written.stdout;
}

async function left(dir: TempDir): Promise<readonly string[]> {
  const names: string[] = [];
  for await (const { name } of Deno.readDir(`${dir.path}/.panewright/runs`)) names.push(name);
  return names.sort();
}

Deno.test("clean: old runs that are over go, the newest stay whatever their age", async () => {
  await using dir = await tempDir();
  const oldest = await writeReview(dir, { daysAgo: 59.5 });
  const old = await writeReview(dir, { daysAgo: 29.5, events: [reviewFinished("fail")] });
  const kept = await writeReview(dir, { daysAgo: 20 });
  const young = await writeReview(dir, { daysAgo: 3 });
  const output = await clean(dir, "--keep", "2");
  assertEquals(await left(dir), [kept.id, young.id]);
  assertMatch(
    output,
    new RegExp(`^${oldest.id} {2}passed, ended 59 d ago, .* KiB\n${old.id} {2}failed, ended 29 d ago`),
  );
  assertMatch(output, /\n2 runs were removed: \d\.\d KiB\.\n$/);
});

Deno.test("clean: 14 days and 5 runs where nothing else is said", async () => {
  await using dir = await tempDir();
  for (const daysAgo of [40, 30, 20, 10]) await writeReview(dir, { daysAgo });
  await clean(dir);
  assertEquals((await left(dir)).length, 4);
  await clean(dir, "--keep", "0");
  assertEquals((await left(dir)).length, 1);
});

Deno.test("clean --dry-run tells the same and removes nothing", async () => {
  await using dir = await tempDir();
  await writeReview(dir, { daysAgo: 30 });
  const dry = await clean(dir, "--keep", "0", "--dry-run");
  assertEquals((await left(dir)).length, 1);
  assertEquals(dry.replace("1 run would be removed", "1 run was removed"), await clean(dir, "--keep", "0"));
  assertEquals(await left(dir), []);
});

Deno.test("clean: what could be resumed stays, and goes with --all; so does a damaged run", async () => {
  await using dir = await tempDir();
  await writeReview(dir, { daysAgo: 50, events: [] });
  await writeReview(dir, { daysAgo: 40, events: [reviewFinished("interrupted")] });
  const damaged = await writeReview(dir, { daysAgo: 30 });
  await Deno.writeTextFile(damaged.journalPath, "no record\n", { append: true });
  const startedAt = new Date(Date.now() - 20 * DAY_MS);
  const id = idAt(startedAt);
  await writeRun({ workdir: dir.path, id, startedAt, events: execWaiting(dir.path, id) });
  assertMatch(await clean(dir, "--keep=0"), /^0 runs were removed: 0 bytes\.\nKept: 4 old runs that could be resumed/);
  assertEquals((await left(dir)).length, 4);
  await clean(dir, "--keep=0", "--all");
  assertEquals(await left(dir), []);
});

Deno.test("clean --all: never a run that is executed, or whose agents are alive", async () => {
  await using dir = await tempDir();
  const executed = await writeReview(dir, { daysAgo: 40 });
  using _held = await tryLockFile(executed.lockPath, "process 1");
  const self = await findProcess(Deno.pid);
  const alive = agentReady({ pid: Deno.pid, processStart: self?.startTime ?? "" });
  await writeReview(dir, { daysAgo: 30, events: alive });
  const output = await clean(dir, "--keep=0", "--all");
  assertEquals((await left(dir)).length, 2);
  assertStringIncludes(output, "Kept: 1 old run that is executed.\n");
  assertStringIncludes(output, "Kept: 1 old run that has agents that are alive (panewright stop ends them).\n");
});

Deno.test("clean: what is no run's folder is left alone, and links are not followed", async () => {
  await using dir = await tempDir();
  const run = await writeReview(dir, { daysAgo: 30 });
  await dir.write({
    "outside/precious.txt": "mine",
    "outside/journal.ndjson": "",
    ".panewright/runs/notes/journal.ndjson": "mine",
    ".panewright/runs/20261120-072605-3fa9.old/journal.ndjson": "mine",
    ".panewright/runs/20200101-000000-0000/todo.md": "no journal",
  });
  await Deno.symlink(`${dir.path}/outside`, `${run.path}/link`);
  await Deno.symlink(`${dir.path}/outside`, runFolderAt(dir.path, "20200102-000000-0000").path);
  await Deno.mkdir(runFolderAt(dir.path, "20200103-000000-0000").path);
  await Deno.symlink(`${dir.path}/outside/precious.txt`, runFolderAt(dir.path, "20200103-000000-0000").journalPath);
  assertMatch(await clean(dir, "--keep=0", "--all", "--older-than=0h"), /1 run was removed/);
  assertEquals(await left(dir), [
    "20200101-000000-0000",
    "20200102-000000-0000",
    "20200103-000000-0000",
    "20261120-072605-3fa9.old",
    "notes",
  ]);
  assertEquals(await Deno.readTextFile(`${dir.path}/outside/precious.txt`), "mine");
});

Deno.test("clean: a folder of runs that is a link is refused", async () => {
  await using dir = await tempDir();
  await using other = await tempDir();
  await writeReview(other, { daysAgo: 30 });
  await Deno.symlink(`${other.path}/.panewright`, `${dir.path}/.panewright`);
  const io = fakeIo({ cwd: dir.path });
  assertEquals(await runCli(["clean", "--keep=0"], io), 2);
  assertStringIncludes(io.written.stderr, "links are not followed");
  assertEquals((await left(other)).length, 1);
});

Deno.test("clean: an age that is none", async () => {
  await using dir = await tempDir();
  for (const age of ["3", "3m", "-1d", "d", "1.5d"]) {
    const io = fakeIo({ cwd: dir.path });
    assertEquals(await runCli(["clean", `--older-than=${age}`], io), 2);
    assertStringIncludes(io.written.stderr, "12h, 3d, 2w");
  }
});

Deno.test("clean --json: an object a run, and one for all", async () => {
  await using dir = await tempDir();
  const run = await writeReview(dir, { daysAgo: 30 });
  const [removed, cleaned] = (await clean(dir, "--keep=0", "--json")).trimEnd().split("\n").map((one) =>
    JSON.parse(one)
  );
  assertEquals([removed.type, removed.run, removed.state, removed.dryRun], ["removed", run.id, "passed", false]);
  assertEquals(cleaned, { type: "cleaned", v: 1, runs: 1, bytes: removed.bytes, kept: {}, dryRun: false });
});
