import { assert, assertEquals } from "@std/assert";
import { resultOf } from "../../../lib/api/control/result_of.ts";
import { createRedactor } from "../../../lib/base/redact/redactor.ts";
import { openJournal } from "../../../lib/journal/journal.ts";
import { createRunFolder, type RunFolder } from "../../../lib/run/run_folder.ts";
import { lockRun } from "../../../lib/run/run_lock.ts";
import { reviewStarted } from "../../support/run_folders.ts";
import { tempDir } from "../../support/temp_dir.ts";

interface Bench extends AsyncDisposable {
  readonly folder: RunFolder;
  append(record: { readonly type: string; readonly [field: string]: unknown }): void;
  /** Ends the process that executes the run, as a kill does. */
  kill(): void;
}

/** A review loop under way, with two records: that of the journal, and its start. */
async function bench(): Promise<Bench> {
  const dir = await tempDir();
  const folder = await createRunFolder(dir.path, { now: new Date() });
  const lock = new DisposableStack();
  lock.use(await lockRun(folder));
  const journal = openJournal(folder.journalPath);
  journal.append(reviewStarted(dir.path, folder.id));
  return {
    folder,
    append: (record) => void journal.append(record),
    kill: () => lock.dispose(),
    async [Symbol.asyncDispose]() {
      lock.dispose();
      journal[Symbol.dispose]();
      await dir[Symbol.asyncDispose]();
    },
  };
}

Deno.test("the result of a review loop: how it ended, the last response without secrets, files, what resumes it", async () => {
  await using run = await bench();
  const under = await resultOf(run.folder);
  assertEquals([under.condition, under.outcome, under.last, under.changedFiles], ["running", undefined, undefined, []]);
  await Deno.writeTextFile(`${run.folder.responsesDir}/001-analyst.md`, "Use the correct-horse.");
  run.append({
    ...{ type: "response_received", turnId: "r1-analyst-c1", role: "analyst", bytes: 22, seconds: 1, sha256: "0" },
    archivedAs: `responses/001-analyst.md`,
  });
  run.append({ type: "run_finished", outcome: "error", rounds: 0, seconds: 1, reason: "correct-horse broke" });
  run.kill();
  const result = await resultOf(run.folder, { redactor: createRedactor(["correct-horse"]) });
  assertEquals(result.last, { by: "analyst", text: "Use the redactedxxxxx.", isCut: false });
  assertEquals([result.outcome, result.reason], ["error", "redactedxxxxx broke"]);
  assertEquals(result.resumeCommand, `panewright resume ${run.folder.id}`);

  await Deno.remove(`${run.folder.responsesDir}/001-analyst.md`);
  await Deno.symlink("/etc/passwd", `${run.folder.responsesDir}/001-analyst.md`);
  assert((await resultOf(run.folder)).last === undefined);
});
