import { assertEquals, assertRejects } from "@std/assert";
import { answer, events, HumanInterventionRequiredError, resume, run, UsageError } from "../../lib/mod.ts";
import { FLAG_JOB } from "../support/jobs.ts";
import { RUN_ID, writeReview } from "../support/run_folders.ts";
import { tempDir } from "../support/temp_dir.ts";

Deno.test("events are the records of a run's journal, in their order, until nobody executes it", async () => {
  await using dir = await tempDir();
  await writeReview(dir, [{ type: "warning", message: "It is late." }, { type: "warning", message: "Very late." }]);
  const place = { workdir: dir.path, runId: RUN_ID };
  const records = await Array.fromAsync(events(place));
  assertEquals(records.map(({ type }) => type), ["run_started", "warning", "warning"]);
  assertEquals(records.at(-1)?.["message"], "Very late.");
});

Deno.test("what cannot be done is refused as the commands refuse it", async () => {
  await using dir = await tempDir();
  await dir.write({ "job.md": FLAG_JOB, "panewright.jsonc": '{ "provider": "replay", "prompt_file": "job.md" }' });
  const env = { XDG_STATE_HOME: `${dir.path}/state` };
  const refused = await assertRejects(() => run(dir.path, { env }), HumanInterventionRequiredError);
  assertEquals([refused.code, refused.exitCode], ["needs_trust", 3]);
  await assertRejects(() => run(dir.path, { overrides: { "no-such": 1 } }), UsageError, "cannot be given from here");
  await writeReview(dir, []);
  const place = { workdir: dir.path, runId: RUN_ID };
  await assertRejects(() => answer(place, "yes"), UsageError, "waits for an answer");
  await assertRejects(() => resume({ ...place, runId: "20200101-000000-0000" }), UsageError, "Cannot find");
});
