import { assertEquals, assertStringIncludes } from "@std/assert";
import { runCli } from "../../../lib/cli/main.ts";
import { openJournal } from "../../../lib/journal/journal.ts";
import { lockRun } from "../../../lib/run/run_lock.ts";
import { createRunFolder, type RunFolder } from "../../../lib/run/run_folder.ts";
import type { ReviewFact } from "../../../lib/journal/loop/facts.ts";
import { reviewLoopSettings } from "../../../lib/jobs/review_loop/settings.ts";
import { fakeIo } from "../../support/fake_io.ts";
import { reviewStarted, RUN_ID, writeRun } from "../../support/run_folders.ts";
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

Deno.test("a run that another process executes is refused, and the process is named", async () => {
  await using dir = await tempDir();
  await Deno.writeTextFile(`${dir.path}/panewright.jsonc`, "{}");
  const folder = await leaveRun(dir);
  using _owner = await lockRun(folder);
  const { code, stderr } = await resume(dir);
  assertEquals(code, 2);
  assertStringIncludes(stderr, `Cannot resume run ${folder.id}: process ${Deno.pid} executes it`);
});

Deno.test("flags that an agent may have put on record are not gone by where they would have something run or let it be done", async () => {
  for (
    const [flags, told] of [
      [{ "test-cmd": "touch EVIL" }, "--test-cmd=touch EVIL"],
      [{ "auto-accept": true }, "--auto-accept"],
      [{ "max-rounds": 2 }, undefined],
    ] as const
  ) {
    await using dir = await tempDir();
    await Deno.writeTextFile(`${dir.path}/panewright.jsonc`, '{ "provider": "codex", "prompt": "Fix it" }');
    const workdir = await Deno.realPath(dir.path);
    const started = reviewStarted(workdir, RUN_ID) as Extract<ReviewFact, { type: "run_started" }>;
    const events = [{ ...started, origin: { ...started.origin, flags } }];
    await writeRun({ workdir, id: RUN_ID, events });
    const { code, stderr } = await resume(dir, RUN_ID);
    const isRefused = stderr.includes(`Cannot go by the record of run ${RUN_ID}`);
    assertEquals([isRefused, code], [told !== undefined, 3], stderr);
    if (told !== undefined) assertStringIncludes(stderr, told);
  }
});
