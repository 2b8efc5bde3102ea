import { assertEquals, assertStringIncludes } from "@std/assert";
import { runCli } from "../../../lib/cli/main.ts";
import { openJournal } from "../../../lib/journal/journal.ts";
import { lockRun } from "../../../lib/run/run_lock.ts";
import { createRunFolder, type RunFolder } from "../../../lib/run/run_folder.ts";
import type { ReviewFact } from "../../../lib/journal/loop/facts.ts";
import { reviewLoopSettings } from "../../../lib/jobs/review_loop/settings.ts";
import { fakeIo } from "../../support/fake_io.ts";
import { type TempDir, tempDir } from "../../support/temp_dir.ts";

interface Resumed {
  readonly code: number;
  readonly stderr: string;
}

async function resume(dir: TempDir, ...args: readonly string[]): Promise<Resumed> {
  const io = fakeIo({ cwd: dir.path });
  const code = await runCli(["resume", ...args], io);
  return { code, stderr: io.written.stderr };
}

/** A run as its journal has it; what it was configured with is in the folder. */
async function leaveRun(dir: TempDir, ...more: readonly ReviewFact[]): Promise<RunFolder> {
  const workdir = await Deno.realPath(dir.path);
  const folder = await createRunFolder(workdir, { now: new Date() });
  using journal = openJournal(folder.journalPath);
  const events: readonly ReviewFact[] = [
    {
      type: "run_started",
      job: "run",
      runId: folder.id,
      workdir,
      folder: folder.path,
      startAgent: "analyst",
      task: { introduction: "", exploreSummary: "a", scenarioTest: "b" },
      settings: reviewLoopSettings(),
      origin: { configFile: `${workdir}/panewright.jsonc`, cwd: workdir, flags: {} },
    },
    { type: "round_started", round: 1, maxRounds: 8 },
    ...more,
  ];
  events.forEach((event) => journal.append(event));
  return folder;
}

const finished = (outcome: "pass" | "fail" | "error") =>
  ({ type: "run_finished", outcome, rounds: 1, seconds: 1, reason: "the reason" }) as const;

Deno.test("where there are no runs, or every run is over, there is nothing to resume", async () => {
  await using dir = await tempDir();
  const none = await resume(dir);
  assertEquals(none.code, 2);
  assertStringIncludes(none.stderr, "there are no runs yet\n");
  assertStringIncludes(none.stderr, "name it with --wd");
  await leaveRun(dir, finished("pass"));
  await leaveRun(dir, finished("fail"));
  const over = await resume(dir);
  assertEquals(over.code, 2);
  assertStringIncludes(over.stderr, "every run is over\n");
  assertStringIncludes(over.stderr, 'Start a new one with "panewright run"');
});

Deno.test("a run that is over is not resumed, and says how it ended", async () => {
  await using dir = await tempDir();
  await Deno.writeTextFile(`${dir.path}/panewright.jsonc`, "{}");
  const { id } = await leaveRun(dir, finished("fail"));
  const { code, stderr } = await resume(dir, id);
  assertEquals(code, 2);
  assertStringIncludes(stderr, `Cannot resume run ${id}: it is over (fail: the reason)`);
});

Deno.test("a run that another process executes is refused, and the process is named", async () => {
  await using dir = await tempDir();
  await Deno.writeTextFile(`${dir.path}/panewright.jsonc`, "{}");
  const folder = await leaveRun(dir);
  using _owner = await lockRun(folder);
  const { code, stderr } = await resume(dir);
  assertEquals(code, 2);
  assertStringIncludes(stderr, `Cannot resume run ${folder.id}: process ${Deno.pid} executes it`);
});

Deno.test("a run that was broken off before it began cannot be resumed", async () => {
  await using dir = await tempDir();
  const folder = await createRunFolder(await Deno.realPath(dir.path), { now: new Date() });
  openJournal(folder.journalPath)[Symbol.dispose]();
  const { code, stderr } = await resume(dir, folder.id);
  assertEquals(code, 2);
  assertStringIncludes(stderr, "it was interrupted before it began");
});

Deno.test("a damaged journal names line and byte; --from-last-good cuts it, and keeps the rest", async () => {
  await using dir = await tempDir();
  await Deno.writeTextFile(`${dir.path}/panewright.jsonc`, "{}");
  const folder = await leaveRun(dir, finished("error"));
  const whole = await Deno.readTextFile(folder.journalPath);
  const [opened, started, ...rest] = whole.split("\n");
  await Deno.writeTextFile(folder.journalPath, [opened, started, "{ not a record", ...rest].join("\n"));
  const damaged = await resume(dir, folder.id);
  assertEquals(damaged.code, 1);
  assertStringIncludes(damaged.stderr, `line 3 (byte ${`${opened}\n${started}\n`.length}) is not a record`);
  assertStringIncludes(damaged.stderr, "--from-last-good");
  // The run's own process would write on behind the cut.
  {
    using _owner = await lockRun(folder);
    assertStringIncludes((await resume(dir, folder.id, "--from-last-good")).stderr, "executes it");
  }
  await Deno.remove(`${dir.path}/panewright.jsonc`);
  const cut = await resume(dir, folder.id, "--from-last-good");
  assertStringIncludes(cut.stderr, `The journal of run ${folder.id} was cut before line 3; the other`);
  assertEquals(await Deno.readTextFile(folder.journalPath), `${opened}\n${started}\n`);
  assertEquals(await Deno.readTextFile(`${folder.journalPath}.damaged-1`), ["{ not a record", ...rest].join("\n"));
  const again = await resume(dir, folder.id, "--from-last-good");
  assertStringIncludes(again.stderr, "is whole: nothing was cut");
});

Deno.test("a configuration that names another working directory by now is refused", async () => {
  await using dir = await tempDir();
  await Deno.mkdir(`${dir.path}/other`);
  await Deno.writeTextFile(`${dir.path}/panewright.jsonc`, '{ "wd": "other" }');
  const folder = await leaveRun(dir);
  const { code, stderr } = await resume(dir, folder.id);
  assertEquals(code, 2);
  assertStringIncludes(stderr, "its configuration now names");
});
