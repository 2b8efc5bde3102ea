import { assertEquals, assertStringIncludes } from "@std/assert";
import { callCli } from "../../support/call_cli.ts";
import { dialogWaiting, execWaiting, writeReview, writeRun } from "../../support/run_folders.ts";
import { holdRun, readAnswerOf } from "../../support/run_mail.ts";
import { startOwner } from "../../support/start_owner.ts";
import { type TempDir, tempDir } from "../../support/temp_dir.ts";

const OLD = "20261119-235959-0000";
const MIDDLE = "20261120-072605-3fa9";
const NEW = "20261120-181500-77c1";

/** The run that a command line about runs is about. */
async function meant(dir: TempDir, ...args: readonly string[]): Promise<string> {
  const { stdout, stderr } = await callCli([...args, "--json"], { cwd: dir.path });
  return JSON.parse(stdout).run ?? stderr;
}

Deno.test("a run is named by its id, the beginning of it, its age or its folder's path", async () => {
  await using dir = await tempDir();
  for (const id of [OLD, MIDDLE, NEW]) await writeReview(dir, [], id);
  await Deno.mkdir(`${dir.path}/.panewright/runs/${NEW}.old`);
  for (
    const [reference, id] of [
      [MIDDLE, MIDDLE],
      ["20261119", OLD],
      ["20261120-07", MIDDLE],
      [NEW, NEW],
      ["@1", NEW],
      ["@3", OLD],
      [`.panewright/runs/${OLD}`, OLD],
    ] as const
  ) {
    assertEquals(await meant(dir, "status", reference), id, reference);
    assertEquals(await meant(dir, "stop", reference), id, reference);
  }
});

Deno.test("a beginning that several runs have, and what no run has, are refused", async () => {
  await using dir = await tempDir();
  for (const id of [OLD, MIDDLE, NEW]) await writeReview(dir, [], id);
  const ambiguous = await callCli(["stop", "20261120"], { cwd: dir.path });
  assertEquals(ambiguous.code, 2);
  assertEquals(
    ambiguous.stderr,
    `panewright: Cannot tell which run "20261120" means: 2 runs begin with it\n  They are ${MIDDLE}, ${NEW}.\n`,
  );
  for (const reference of ["@4", "@0", "@", "2025", "x".repeat(5000), `.panewright/runs/${OLD.slice(0, 8)}`]) {
    const { code, stderr } = await callCli(["status", reference], { cwd: dir.path });
    assertEquals(code, 2, reference);
    assertStringIncludes(stderr, "Cannot find the run", reference);
  }
});

Deno.test("a working directory that cannot be one is refused by every command about runs, not unforeseen", async () => {
  await using dir = await tempDir();
  await dir.write({ file: "" });
  const commands = ["runs", "status", "logs", "attach", "stop", "clean", "questions", "resume", "report", "audit"];
  for (const command of commands) {
    const args = command === "audit" ? ["audit", "show"] : [command];
    const tried = [
      ["file", "it is not a folder"],
      ["/dev/null", ""],
      ["nowhere", "there is no such folder"],
      ["n".repeat(5000), ""],
    ] as const;
    for (const [wd, problem] of tried) {
      const { code, stderr } = await callCli([...args, "--wd", wd], { cwd: dir.path });
      assertEquals(code, 2, stderr);
      assertStringIncludes(stderr, `Cannot use --wd ${wd}: ${problem}`);
    }
  }
  await writeReview(dir, [], NEW);
  const report = await callCli(["report", "--format", "md", "--output", "/dev/full"], { cwd: dir.path });
  assertEquals(report.code, 2, report.stderr);
  assertStringIncludes(
    report.stderr,
    'panewright does not use "/dev/full": it is the system\'s own\n  Name another path.\n',
  );
  const inFile = await callCli(["status", `file/.panewright/runs/${OLD}`], { cwd: dir.path });
  assertEquals(inFile.code, 2, inFile.stderr);
  const empty = await callCli(["status", ""], { cwd: dir.path });
  assertStringIncludes(empty.stderr, "Cannot use the argument RUN: it is empty\n");
});

Deno.test("stop without a run: the one that is executed, else the newest, but none where several are executed", async () => {
  await using dir = await tempDir();
  const old = await writeReview(dir, [], OLD);
  const recent = await writeReview(dir, [], NEW);
  assertEquals(await meant(dir, "stop"), NEW);
  {
    await using owner = await startOwner(old);
    assertEquals(await meant(dir, "stop"), OLD);
    await owner.ended;
  }
  using _first = await holdRun(old);
  using _second = await holdRun(recent);
  const { code, stderr } = await callCli(["stop"], { cwd: dir.path });
  assertEquals(code, 2);
  assertStringIncludes(stderr, "Cannot tell which run to stop: 2 are being executed");
  assertStringIncludes(stderr, `Name one of them: ${OLD}, ${NEW}.`);
});

Deno.test("answer without a run: the only open question is answered, and named", async () => {
  await using dir = await tempDir();
  const none = await callCli(["answer", "PostgreSQL"], { cwd: dir.path });
  assertStringIncludes(none.stderr, `Cannot answer: nothing waits for an answer in ${dir.path}`);
  const folder = await writeRun({ workdir: dir.path, id: OLD, events: execWaiting(dir.path, OLD) });
  await writeReview(dir, [], NEW);
  const other = await callCli(["answer", "--question", "q7", "yes"], { cwd: dir.path });
  assertStringIncludes(other.stderr, "Cannot answer: no question q7 waits");
  const { code, stdout } = await callCli(["answer", "--trust", "2026", "is", "it"], { cwd: dir.path });
  assertEquals(code, 0);
  assertStringIncludes(stdout, `Question q1 of run ${OLD} is answered.`);
  assertStringIncludes(stdout, "\nIt asked: ");
  assertEquals((await readAnswerOf(folder, "q1"))?.answer, "2026 is it");
});

Deno.test("answer without a run: several open questions are listed, each with its command", async () => {
  await using dir = await tempDir();
  for (const id of [OLD, NEW]) await writeRun({ workdir: dir.path, id, events: execWaiting(dir.path, id) });
  const { code, stderr } = await callCli(["answer", "PostgreSQL"], { cwd: dir.path });
  assertEquals(code, 2);
  assertStringIncludes(stderr, "Cannot tell which question is meant: 2 are open");
  for (const id of [OLD, NEW]) assertStringIncludes(stderr, `panewright answer ${id} --question q1`);
  assertEquals((await callCli(["answer", "--trust", "@1", "Postgres"], { cwd: dir.path })).code, 0);
});

Deno.test("answer says yes to what asks for permission only where the run is named by its id, and no in any case", async () => {
  await using dir = await tempDir();
  const folder = await writeReview(dir, [dialogWaiting(NEW, "q1")], NEW);
  using _lock = await holdRun(folder);
  for (const words of [["yes"], ["@1", "yes"], ["--question", "q1", "y"]]) {
    const yes = await callCli(["answer", "--trust", ...words], { cwd: dir.path });
    assertEquals(yes.code, 2);
    assertStringIncludes(yes.stderr, `To permit it: panewright answer ${NEW} --question q1 yes`);
    assertStringIncludes(yes.stderr, "is: rm -rf ");
    assertEquals(await readAnswerOf(folder, "q1"), undefined);
  }
  const no = await callCli(["answer", "--trust", "no,", "not", "now"], { cwd: dir.path });
  assertEquals([no.code, no.stderr], [0, ""]);
});

Deno.test("answer: a word in the form of a run's name is never a part of the answer", async () => {
  await using dir = await tempDir();
  const folder = await writeRun({ workdir: dir.path, id: OLD, events: execWaiting(dir.path, OLD) });
  for (const word of ["20261119-235959-0001", "@2", "20261119-99"]) {
    const { code, stderr } = await callCli(["answer", "--trust", word, "yes"], { cwd: dir.path });
    assertEquals(code, 2);
    assertStringIncludes(stderr, "Cannot find the run");
  }
  const day = await callCli(["answer", "--trust", "20261119", "is", "fine"], { cwd: dir.path });
  assertEquals(day.code, 2);
  assertStringIncludes(day.stderr, "panewright answer '20261119 is fine'");
  assertStringIncludes(day.stderr, "panewright answer 20261119- is fine");
  assertEquals(await readAnswerOf(folder, "q1"), undefined);
  const alone = await callCli(["answer", "--trust", OLD], { cwd: dir.path });
  assertEquals(alone.code, 2);
  assertStringIncludes(alone.stderr, "the argument TEXT is missing");
});
