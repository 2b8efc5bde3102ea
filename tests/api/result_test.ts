import { assertEquals } from "@std/assert";
import { toolsOf } from "./support.ts";
import { openJournal } from "../../lib/journal/journal.ts";
import { createRunFolder, type RunFolder } from "../../lib/run/run_folder.ts";
import { lockRun } from "../../lib/run/run_lock.ts";
import { reviewStarted } from "../support/run_folders.ts";
import { tempDir } from "../support/temp_dir.ts";

interface Bench extends AsyncDisposable {
  readonly workdir: string;
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
    workdir: dir.path,
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

Deno.test("the result of a review loop: how it ended, and the last response without secrets", async () => {
  await using run = await bench();
  const result = async () => await toolsOf(run.workdir, ["correct-horse"])("result", { run: run.folder.id });
  const under = await result();
  assertEquals([under.state, under.isOver, under.ended, under.summary, under.changedFiles], [
    ...["running", false, undefined, undefined],
    [],
  ]);
  await Deno.writeTextFile(`${run.folder.responsesDir}/001-analyst.md`, "Use the correct-horse.");
  run.append({
    ...{ type: "response_received", turnId: "r1-analyst-c1", role: "analyst", bytes: 22, seconds: 1, sha256: "0" },
    archivedAs: `responses/001-analyst.md`,
  });
  run.append({ type: "run_finished", outcome: "error", rounds: 0, seconds: 1, reason: "correct-horse broke" });
  run.kill();
  const told = await result();
  assertEquals([told.summary, told.ended.outcome], ["Use the redactedxxxxx.", "error"]);
  await Deno.remove(`${run.folder.responsesDir}/001-analyst.md`);
  await Deno.symlink("/etc/passwd", `${run.folder.responsesDir}/001-analyst.md`);
  assertEquals((await result()).summary, undefined);
});
