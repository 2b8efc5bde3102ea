import { assertEquals, assertMatch, assertNotMatch, assertStringIncludes } from "@std/assert";
import { walk } from "@std/fs";
import { runCli } from "../../../lib/cli/main.ts";
import { openAuditLog } from "../../../lib/turn/desk/audit.ts";
import type { RunFolder } from "../../../lib/run/run_folder.ts";
import { VERSION } from "../../../lib/base/version.ts";
import { fakeIo } from "../../support/fake_io.ts";
import { agentReady, execWaiting, PROGRAMMER_AT_WORK, reviewStarted, writeRun } from "../../support/run_folders.ts";
import { type TempDir, tempDir } from "../../support/temp_dir.ts";

const ID = "20261120-072605-3fa9";

async function call(dir: TempDir, ...args: readonly string[]) {
  const io = fakeIo({ cwd: dir.path });
  const code = await runCli(args, io);
  return { code, ...io.written };
}

const JOBS = {
  run: (dir: TempDir) => [reviewStarted(dir.path, ID), ...agentReady(), ...PROGRAMMER_AT_WORK],
  exec: (dir: TempDir) => execWaiting(dir.path, ID),
};

/** A run in whose journal there is a record of another version, with more after it. */
async function leaveRun(dir: TempDir, job: keyof typeof JOBS, record: object): Promise<RunFolder> {
  const events = JOBS[job](dir);
  const folder = await writeRun({ workdir: dir.path, id: ID, events });
  using _audit = await openAuditLog(folder.auditPath, { run: ID, secrets: [] });
  const more = { at: "2026-11-20T08:00:00.000Z", type: "warning", message: "afterwards" };
  for (const one of [{ at: "2026-11-20T07:59:00.000Z", ...record }, more]) {
    await Deno.writeTextFile(folder.journalPath, `${JSON.stringify(one)}\n`, { append: true });
  }
  return folder;
}

/** Every file below a folder, with what is in it; who holds a lock does not count. */
async function contentOf({ path }: RunFolder): Promise<readonly string[]> {
  const files: string[] = [];
  for await (const { path: file } of walk(path, { includeDirs: false })) {
    if (!file.endsWith(".lock")) files.push(`${file}: ${await Deno.readTextFile(file)}`);
  }
  return files.sort();
}

const COMMANDS: readonly (readonly string[])[] = [
  ["status", ID],
  ["status", ID, "--json"],
  ["status", ID, "--watch"],
  ["logs", ID],
  ["logs", ID, "--json"],
  ["resume", ID],
  ["resume"],
  ["resume", ID, "--from-last-good"],
  ["answer", ID, "yes"],
  ["stop", ID],
  ["stop", ID, "--force"],
  ["attach", ID, "--print"],
  ["audit", "verify", ID],
];

for (const job of ["run", "exec"] as const) {
  Deno.test(`a record of ${job} that only a later version knows is refused by every command, and nothing is touched`, async () => {
    await using dir = await tempDir();
    const folder = await leaveRun(dir, job, { type: "agents_swapped", roles: ["tester"] });
    const before = await contentOf(folder);
    const line = JOBS[job](dir).length + 2;
    for (const args of COMMANDS) {
      const { code, stderr } = await call(dir, ...args);
      assertEquals(code, 2, `${args.join(" ")}: ${stderr}`);
      assertMatch(stderr, new RegExp(`^panewright: Cannot read the journal .*: line ${line} \\(byte \\d+\\) `, "m"));
      assertStringIncludes(stderr, 'has the type "agents_swapped"');
      assertStringIncludes(stderr, "the journal has version 2");
      assertStringIncludes(stderr, `a later version than ${VERSION}`);
      assertNotMatch(stderr, /panewright resume|start it again|error is unexpected/);
      assertEquals(await contentOf(folder), before, args.join(" "));
    }
  });

  Deno.test(`lists show a run of ${job} that only a later version can read as such, and clean keeps it`, async () => {
    await using dir = await tempDir();
    const folder = await leaveRun(dir, job, { type: "agents_swapped" });
    const before = await contentOf(folder);
    const runs = await call(dir, "runs");
    assertEquals(runs.code, 0);
    assertMatch(runs.stdout, /3fa9 .* unreadable .*has the type "agents_swapped".*the journal has version 2/);
    const questions = await call(dir, "questions");
    assertStringIncludes(questions.stderr, 'has the type "agents_swapped"');
    assertEquals(questions.code, 0);
    const clean = await call(dir, "clean", "--all", "--keep", "0", "--older-than", "0h");
    assertStringIncludes(clean.stdout, "Kept: 1 old run that was written by a later panewright");
    assertEquals(await contentOf(folder), before);
  });

  Deno.test(`a record of ${job} that may be passed over changes nothing`, async () => {
    await using dir = await tempDir();
    const folder = await leaveRun(dir, job, { type: "agents_swapped", passable: true });
    await using plain = await tempDir();
    await leaveRun(plain, job, { type: "warning", message: "instead" });
    const conditions: unknown[] = [];
    for (const one of [dir, plain]) {
      const { code, stdout } = await call(one, "status", ID, "--json");
      const { state, place, question } = JSON.parse(stdout);
      conditions.push([code, state, place, question]);
    }
    assertEquals(conditions[0], conditions[1]);
    const logs = await call(dir, "logs", ID);
    assertEquals(logs.code, 0);
    assertStringIncludes(logs.stdout, "afterwards");
    assertNotMatch(logs.stdout, /agents_swapped/);
    // Resuming comes as far as the configuration, which this folder does not have.
    assertNotMatch((await call(dir, "resume", ID)).stderr, /agents_swapped|journal/);
    assertEquals((await call(dir, "runs")).stdout.includes("unreadable"), false);
    assertStringIncludes(await Deno.readTextFile(folder.journalPath), "agents_swapped");
  });

  Deno.test(`a record of ${job} with a field that is not what it must be is damage, with line and byte`, async () => {
    await using dir = await tempDir();
    await leaveRun(dir, job, { type: "run_finished", outcome: "splendid" });
    const line = JOBS[job](dir).length + 2;
    const { code, stderr } = await call(dir, "resume", ID);
    assertEquals(code, 1);
    assertMatch(
      stderr,
      new RegExp(`line ${line} \\(byte \\d+\\) is not a valid record: its "outcome" is not that of run_finished`),
    );
    assertStringIncludes(stderr, "--from-last-good");
  });
}

Deno.test("a journal of a later version, or of a job that is not known, names the version that is needed", async () => {
  await using dir = await tempDir();
  const folder = await leaveRun(dir, "run", { type: "journal_opened", version: 7, panewright: "3.2.1" });
  const later = await call(dir, "status", ID);
  assertEquals(later.code, 2);
  assertStringIncludes(later.stderr, "opens a journal of version 7");
  assertStringIncludes(later.stderr, "Use version 3.2.1 or later");

  const lines = (await Deno.readTextFile(folder.journalPath)).split("\n");
  const started = { ...JSON.parse(lines[1]!), job: "swarm" };
  await Deno.writeTextFile(folder.journalPath, `${lines[0]}\n${JSON.stringify(started)}\n`);
  const other = await call(dir, "resume", ID);
  assertEquals(other.code, 2);
  assertStringIncludes(other.stderr, 'line 2 (byte 70) starts the job "swarm"');
});

Deno.test("the version that wrote a run is the one that is asked for", async () => {
  await using dir = await tempDir();
  const folder = await leaveRun(dir, "exec", { type: "run_resumed", runId: ID, folder: "f", panewright: "4.0.0" });
  await Deno.writeTextFile(folder.journalPath, '{"at":"2026-11-20T09:00:00.000Z","type":"toString"}\n', {
    append: true,
  });
  const { code, stderr } = await call(dir, "logs", ID);
  assertEquals(code, 2);
  assertStringIncludes(stderr, 'has the type "toString"');
  assertStringIncludes(stderr, "Use version 4.0.0 or later");
});
