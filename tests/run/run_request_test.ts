import { assert, assertEquals, assertRejects } from "@std/assert";
import { PanewrightError } from "../../lib/base/errors.ts";
import { openJournal } from "../../lib/journal/journal.ts";
import { createRunFolder, type RunFolder } from "../../lib/run/run_folder.ts";
import { findRequestedRun, holdRequest } from "../../lib/run/run_request.ts";
import { stillClock } from "../support/still_clock.ts";
import { reviewStarted } from "../support/run_folders.ts";
import { tempDir } from "../support/temp_dir.ts";

const REQUEST = { key: "k", hash: "h" };

async function newFolder(workdir: string): Promise<RunFolder> {
  return await createRunFolder(workdir, { now: new Date(), subfolders: [] });
}

/** Writes the first record of a run. */
function begin(workdir: string, folder: RunFolder): void {
  using journal = openJournal(folder.journalPath);
  journal.append(reviewStarted(workdir, folder.id));
}

Deno.test("a key belongs to a run once that has its first record; before, the claim is void and replaced", async () => {
  await using dir = await tempDir();
  const broken = await newFolder(dir.path);
  {
    using held = await holdRequest(dir.path, REQUEST);
    await held.claim(broken);
  }
  assertEquals(await findRequestedRun(dir.path, REQUEST), undefined);
  // A record that was cut off counts as little as none.
  await Deno.writeTextFile(
    broken.journalPath,
    '{"at":"","type":"journal_opened","version":2}\n{"at":"","type":"run_st',
  );
  assertEquals(await findRequestedRun(dir.path, { ...REQUEST, hash: "another" }), undefined);

  const folder = await newFolder(dir.path);
  {
    using held = await holdRequest(dir.path, REQUEST);
    assertEquals(held.begun, undefined);
    await held.claim(folder);
    begin(dir.path, folder);
  }
  using again = await holdRequest(dir.path, REQUEST);
  assertEquals(again.begun?.id, folder.id);
  const other = await assertRejects(() => findRequestedRun(dir.path, { ...REQUEST, hash: "x" }), PanewrightError);
  assertEquals([other.code, other.exitCode], ["key_reused", 2]);
});

Deno.test("who holds a key is waited for, a minute at most", async () => {
  await using dir = await tempDir();
  const clock = stillClock();
  const first = await holdRequest(dir.path, REQUEST, { clock });
  const error = await assertRejects(() => holdRequest(dir.path, REQUEST, { clock }), PanewrightError);
  assertEquals([error.code, clock.now()], ["busy", 60_000]);
  first[Symbol.dispose]();
  first[Symbol.dispose]();
  using third = await holdRequest(dir.path, REQUEST, { clock });
  assertEquals(third.begun, undefined);
});

Deno.test("a claim that says nothing, or a link in the place of one, starts no second run", async () => {
  await using dir = await tempDir();
  const { keyHash } = await holdRequest(dir.path, REQUEST).then((held) => (held[Symbol.dispose](), held));
  const path = `${dir.path}/.panewright/requests/${keyHash}.json`;
  for (
    const text of [
      "",
      "null",
      "[1]",
      '{"run":"../../x","request":"h"}',
      '{"run":"20261122-100000-abcd"}',
      "x".repeat(9000),
    ]
  ) {
    await Deno.writeTextFile(path, text);
    const error = await assertRejects(() => holdRequest(dir.path, REQUEST), PanewrightError);
    assert(error.message.startsWith("Cannot read which run has the key: "), error.message);
  }
  await Deno.remove(path);
  await Deno.symlink("/etc/passwd", path);
  await assertRejects(() => findRequestedRun(dir.path, REQUEST), PanewrightError, "Cannot read which run has the key");

  await using hostile = await tempDir();
  await Deno.mkdir(`${hostile.path}/.panewright`);
  await Deno.symlink(dir.path, `${hostile.path}/.panewright/requests`);
  await assertRejects(() => holdRequest(hostile.path, REQUEST), PanewrightError, "Cannot keep the key of the request");
});
