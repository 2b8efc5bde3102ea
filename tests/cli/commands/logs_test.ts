import { assertEquals } from "@std/assert";
import { Interruption } from "../../../lib/cli/console/command.ts";
import { runCli } from "../../../lib/cli/main.ts";
import { openJournal } from "../../../lib/journal/journal.ts";
import { tryLockFile } from "../../../lib/base/ports/lock_file.ts";
import { fakeIo } from "../../support/fake_io.ts";
import { reviewFinished, writeReview } from "../../support/run_folders.ts";
import { tempDir } from "../../support/temp_dir.ts";
import { until } from "../../support/until.ts";

Deno.test("logs --follow: new lines as they come, until no process executes the run", async () => {
  await using dir = await tempDir();
  const folder = await writeReview(dir, []);
  const lock = await tryLockFile(folder.lockPath, "process 1");
  const io = fakeIo({ cwd: dir.path });
  let ended = false;
  const following = runCli(["logs", "--follow"], io).finally(() => ended = true);
  await until(() => io.written.stdout.includes("starting with analyst"));
  using journal = openJournal(folder.journalPath);
  journal.append({ type: "round_started", round: 1, maxRounds: 8 } as { type: string });
  await until(() => io.written.stdout.includes("round 1 of 8"));
  journal.append(reviewFinished("pass"));
  await until(() => io.written.stdout.includes("PASS"));
  assertEquals(ended, false);
  lock?.[Symbol.dispose]();
  assertEquals(await following, 0);
  assertEquals(io.written.stdout.trimEnd().split("\n").length, 3);
});

Deno.test("logs --follow: Ctrl-C leaves with 130 and no message", async () => {
  await using dir = await tempDir();
  const folder = await writeReview(dir, []);
  using _held = await tryLockFile(folder.lockPath, "process 1");
  const controller = new AbortController();
  const io = fakeIo({ cwd: dir.path, signal: controller.signal });
  const following = runCli(["logs", "-f"], io);
  await until(() => io.written.stdout !== "");
  controller.abort(new Interruption("SIGINT"));
  assertEquals([await following, io.written.stderr], [130, ""]);
});
