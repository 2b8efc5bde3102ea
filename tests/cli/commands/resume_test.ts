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

Deno.test("a run that another process executes is refused, and the process is named", async () => {
  await using dir = await tempDir();
  await Deno.writeTextFile(`${dir.path}/panewright.jsonc`, "{}");
  const folder = await leaveRun(dir);
  using _owner = await lockRun(folder);
  const { code, stderr } = await resume(dir);
  assertEquals(code, 2);
  assertStringIncludes(stderr, `Cannot resume run ${folder.id}: process ${Deno.pid} executes it`);
});
