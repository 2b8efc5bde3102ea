import { assert, assertEquals, assertRejects } from "@std/assert";
import { watchFolder, type WatchFolderOptions } from "../../../lib/base/follow/folder_watch.ts";
import { createFakeClock } from "../../support/fake_clock.ts";
import { tempDir } from "../../support/temp_dir.ts";

/** Waits for the next tick of the file system's clock: a change in the tick of what was there before can be missed. */
async function nextTick(root: string): Promise<void> {
  const probe = `${root}/probe`;
  const touched = async () => {
    await Deno.writeTextFile(probe, "");
    return (await Deno.stat(probe)).mtime?.getTime();
  };
  const before = await touched();
  // Timers stand still here; a tick is some 4 ms, and a look some 0.1 ms.
  for (let looks = 1; await touched() === before; looks++) {
    assert(looks < 100_000, "the file system's clock stands still");
  }
  await Deno.remove(probe);
}

/**
 * Milliseconds of the clock until a change, planned for second 1, ends a wait; 60,000 for a change that is not seen.
 */
async function wokenAfterMs(
  { before = {}, change, files }: Pick<WatchFolderOptions, "files"> & {
    readonly before?: Readonly<Record<string, string>>;
    readonly change: (folder: string) => Promise<unknown>;
  },
): Promise<number> {
  await using dir = await tempDir();
  await dir.write(before);
  using clock = createFakeClock();
  const watch = watchFolder(`${dir.path}/folder`, { clock, ...(files === undefined ? {} : { files }) });
  await clock.runUntilSettled(watch.wait(500));
  clock.at(1, async () => {
    await nextTick(dir.path);
    await change(`${dir.path}/folder`);
  });
  await clock.runUntilSettled(watch.wait(59_500));
  return Math.round(clock.elapsedSeconds() * 1000);
}

const LIMIT_MS = 1050;
const THERE = { "folder/log": "one\n" };

Deno.test("a wait ends soon after something was made, renamed or removed in the folder", async () => {
  const changes: Readonly<Record<string, (folder: string) => Promise<unknown>>> = {
    made: (folder) => Deno.writeTextFile(`${folder}/new`, ""),
    renamed: (folder) => Deno.rename(`${folder}/log`, `${folder}/log.1`),
    removed: (folder) => Deno.remove(`${folder}/log`),
    "a folder that is gone": (folder) => Deno.remove(folder, { recursive: true }),
    "a FIFO": (folder) => new Deno.Command("mkfifo", { args: [`${folder}/log.partial`] }).output(),
  };
  for (const [what, change] of Object.entries(changes)) {
    const ms = await wokenAfterMs({ before: THERE, change });
    assert(ms >= 1000 && ms <= LIMIT_MS, `${what}: ${ms} ms`);
  }
});

Deno.test("a folder that is not there yet is seen when it is made, and a link to a folder is followed", async () => {
  assert(await wokenAfterMs({ change: (folder) => Deno.mkdir(folder) }) <= LIMIT_MS);
  await using dir = await tempDir();
  await dir.write({ "real/a": "", "other": "" });
  await Deno.symlink(`${dir.path}/real`, `${dir.path}/link`);
  using clock = createFakeClock();
  const watch = watchFolder(`${dir.path}/link`, { clock });
  clock.at(1, async () => {
    await nextTick(dir.path);
    await Deno.rename(`${dir.path}/other`, `${dir.path}/real/b`);
  });
  await clock.runUntilSettled(watch.wait(60_000));
  assert(clock.elapsedSeconds() <= 1.05);
});

Deno.test("a file that grows ends a wait when it was named", async () => {
  const change = (folder: string) => Deno.writeTextFile(`${folder}/log`, "two\n", { append: true });
  assert(await wokenAfterMs({ before: THERE, files: ["log"], change }) <= LIMIT_MS);
  assertEquals(await wokenAfterMs({ before: THERE, change }), 60_000);
});

Deno.test("a file that was missing is watched from when it is made", async () => {
  await using dir = await tempDir();
  using clock = createFakeClock();
  const watch = watchFolder(dir.path, { files: ["log"], clock });
  clock.at(1, () => dir.write({ log: "one\n" }));
  await clock.runUntilSettled(watch.wait(60_000));
  clock.at(5, () => Deno.writeTextFile(`${dir.path}/log`, "two\n", { append: true }));
  await clock.runUntilSettled(watch.wait(60_000));
  assert(clock.elapsedSeconds() >= 5 && clock.elapsedSeconds() <= 5.05, `${clock.elapsedSeconds()} s`);
});

Deno.test("an abort ends a wait", async () => {
  await using dir = await tempDir();
  const watch = watchFolder(dir.path);
  const abort = new AbortController();
  const wait = watch.wait(3_600_000, abort.signal);
  abort.abort(new Error("stop"));
  await assertRejects(() => wait, Error, "stop");
});
