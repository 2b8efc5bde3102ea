import { assertEquals, assertStringIncludes } from "@std/assert";
import { callCli } from "../../support/call_cli.ts";
import { dialogWaiting, writeReview } from "../../support/run_folders.ts";
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
