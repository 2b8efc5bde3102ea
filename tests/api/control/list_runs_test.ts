import { assertEquals } from "@std/assert";
import { listRuns } from "../../../lib/api/control/list_runs.ts";
import { tryLockFile } from "../../../lib/base/ports/lock_file.ts";
import type { KnownRuns } from "../../../lib/run/overview.ts";
import { reviewFinished, writeReview } from "../../support/run_folders.ts";
import { tempDir } from "../../support/temp_dir.ts";

Deno.test("a journal that is the same as when it was listed is not read again; one that has grown is", async () => {
  await using dir = await tempDir();
  const { journalPath } = await writeReview(dir, [reviewFinished("pass")]);
  const known: KnownRuns = { journals: new Map(), ended: new Map() };
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

Deno.test("a run that has ended and is resumed is told as executed, whatever was listed before", async () => {
  await using dir = await tempDir();
  const { lockPath } = await writeReview(dir, [reviewFinished("fail")]);
  const known: KnownRuns = { journals: new Map(), ended: new Map() };
  const look = async () =>
    (await listRuns(dir.path, { known })).map(({ condition, executed }) => [condition, executed]);
  assertEquals(await look(), [["failed", false]]);
  assertEquals(known.ended.size, 1);
  const lock = await tryLockFile(lockPath, "process 1\n");
  assertEquals(await look(), [["failed", true]]);
  lock?.[Symbol.dispose]();
  assertEquals(await look(), [["failed", false]]);
});
