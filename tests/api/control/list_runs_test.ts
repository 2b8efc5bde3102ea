import { assertEquals } from "@std/assert";
import { listRuns } from "../../../lib/api/control/list_runs.ts";
import type { KnownJournals } from "../../../lib/run/read_progress.ts";
import { reviewFinished, writeReview } from "../../support/run_folders.ts";
import { tempDir } from "../../support/temp_dir.ts";

Deno.test("a journal that is the same as when it was listed is not read again; one that has grown is", async () => {
  await using dir = await tempDir();
  const { journalPath } = await writeReview(dir, [reviewFinished("pass")]);
  const known: KnownJournals = new Map();
  const outcomes = async () => (await listRuns(dir.path, { known })).map(({ progress }) => progress?.finished?.outcome);
  assertEquals(await outcomes(), ["pass"]);
  const text = await Deno.readTextFile(journalPath);
  const { atime, mtime } = await Deno.stat(journalPath);
  await Deno.writeTextFile(journalPath, text.replace('"outcome":"pass"', '"outcome":"fail"'));
  await Deno.utime(journalPath, atime ?? 0, mtime ?? 0);
  assertEquals(await outcomes(), ["pass"], "it was read again");
  await Deno.writeTextFile(journalPath, text.replace('"outcome":"pass"', '"outcome":"error"'));
  assertEquals(await outcomes(), ["error"]);
});
