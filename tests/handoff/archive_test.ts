import { assert, assertEquals, assertRejects, assertThrows } from "@std/assert";
import { RuntimeError } from "../../lib/errors.ts";
import { defaultArchiveDir, moveToArchive } from "../../lib/handoff/archive.ts";
import { tempDir } from "../support/temp_dir.ts";
import { readArchive } from "./support.ts";

Deno.test("numbers rise across roles, from 001, and go on after 999", async () => {
  await using workdir = await tempDir();
  const archiveDir = `${workdir.path}/new/archive`;
  const source = `${workdir.path}/response.md`;
  const archive = async (label: string) => {
    await Deno.writeTextFile(source, label);
    return moveToArchive(source, archiveDir, label);
  };
  assertEquals(await archive("analyst"), `${archiveDir}/001-analyst.md`);
  assertEquals(await archive("analyst_review"), `${archiveDir}/002-analyst_review.md`);
  assertEquals(await archive("analyst"), `${archiveDir}/003-analyst.md`);
  await Deno.writeTextFile(`${archiveDir}/999-tester.md`, "");
  await Deno.writeTextFile(`${archiveDir}/notes.md`, "");
  assertEquals(await archive("tester"), `${archiveDir}/1000-tester.md`);
  assertEquals(await archive("tester-stale"), `${archiveDir}/1001-tester-stale.md`);
  await assertRejects(() => Deno.lstat(source), Deno.errors.NotFound);
});

Deno.test("what is in the archive is never overwritten, whatever it is", async () => {
  await using workdir = await tempDir();
  const source = `${workdir.path}/response.md`;
  await Deno.writeTextFile(source, "new");
  // A dangling link: not there for those who follow it.
  await Deno.symlink("nowhere", `${workdir.path}/001-tester.md`);
  assertEquals(moveToArchive(source, workdir.path, "tester"), `${workdir.path}/002-tester.md`);
  assertEquals(await Deno.readLink(`${workdir.path}/001-tester.md`), "nowhere");
});

Deno.test("programs that archive into one folder at the same time lose nothing", async () => {
  await using workdir = await tempDir();
  const archiveDir = `${workdir.path}/archive`;
  const count = 200;
  const workers = ["one", "two"].map((name) => {
    const url = new URL("./archive_worker.ts", import.meta.url);
    const worker = new Worker(url, { type: "module" });
    worker.postMessage({ source: `${workdir.path}/${name}.md`, archiveDir, name, count });
    return worker;
  });
  await Promise.all(workers.map((worker) => new Promise((resolve) => worker.onmessage = resolve)));
  for (const worker of workers) worker.terminate();
  const contents = (await readArchive(archiveDir)).map(([, content]) => content).sort();
  const expected = ["one", "two"].flatMap((name) => Array.from({ length: count }, (_, index) => `${name} ${index}`));
  assertEquals(contents, expected.sort());
});

Deno.test("an archive that cannot be written is an error, and the response stays where it is", async () => {
  await using workdir = await tempDir();
  const source = `${workdir.path}/response.md`;
  await Deno.writeTextFile(source, "text");
  await Deno.writeTextFile(`${workdir.path}/file`, "");
  assertThrows(() => moveToArchive(source, `${workdir.path}/file`, "tester"), RuntimeError, `Cannot archive ${source}`);
  assertEquals(await Deno.readTextFile(source), "text");
});

Deno.test("a response that is gone leaves no reservation behind", async () => {
  await using workdir = await tempDir();
  const archiveDir = `${workdir.path}/archive`;
  assertThrows(() => moveToArchive(`${workdir.path}/gone`, archiveDir, "tester"), RuntimeError, "Cannot archive");
  assertEquals(await readArchive(archiveDir), []);
});

Deno.test("an archive on another file system gets a copy, and the original goes", async (t) => {
  await using workdir = await tempDir();
  const other = await makeFolderOnAnotherDevice(workdir.path);
  if (other === undefined) {
    await t.step({ name: "this machine has one file system only", ignore: true, fn: () => {} });
    return;
  }
  try {
    const source = `${workdir.path}/response.md`;
    await Deno.writeTextFile(source, "text");
    assertEquals(moveToArchive(source, other, "tester"), `${other}/001-tester.md`);
    assertEquals(await readArchive(other), [["001-tester.md", "text"]]);
    await assertRejects(() => Deno.lstat(source), Deno.errors.NotFound);
  } finally {
    await Deno.remove(other, { recursive: true });
  }
});

Deno.test("the default archive is named after the program's start", () => {
  assert(/^\/job\/\.tmp\/\d{8}-\d{6}$/.test(defaultArchiveDir("/job")));
  assertEquals(defaultArchiveDir("/job"), defaultArchiveDir("/job"));
});

async function makeFolderOnAnotherDevice(path: string): Promise<string | undefined> {
  try {
    const folder = await Deno.makeTempDir({ dir: "/dev/shm" });
    if ((await Deno.stat(folder)).dev !== (await Deno.stat(path)).dev) return folder;
    await Deno.remove(folder);
  } catch { /* no such folder on this system */ }
  return undefined;
}
