import { assert, assertEquals, assertRejects, assertThrows } from "@std/assert";
import { RuntimeError } from "../../lib/base/errors.ts";
import { defaultArchiveDir, moveToArchive, tidyArchive, writeToArchive } from "../../lib/turn/archive.ts";
import { type ArchiveFs, systemFs } from "../../lib/turn/archive_fs.ts";
import { dirname } from "@std/path/posix";
import { tempDir } from "../support/temp_dir.ts";
import { readArchive } from "./support.ts";

Deno.test("numbers rise across roles, from 001, and go on after 999", async () => {
  await using workdir = await tempDir();
  const archiveDir = `${workdir.path}/new/archive`;
  const source = `${workdir.path}/response.md`;
  const archive = async (label: string) => {
    await Deno.writeTextFile(source, label);
    return moveToArchive(source, { archiveDir, label });
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
  assertEquals(moveToArchive(source, { archiveDir: workdir.path, label: "tester" }), `${workdir.path}/002-tester.md`);
  assertEquals(await Deno.readLink(`${workdir.path}/001-tester.md`), "nowhere");
});

Deno.test("programs that archive into one folder at the same time lose nothing", async () => {
  await using workdir = await tempDir();
  const archiveDir = `${workdir.path}/archive`;
  const count = 40;
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
  assertThrows(
    () => moveToArchive(source, { archiveDir: `${workdir.path}/file`, label: "tester" }),
    RuntimeError,
    `Cannot archive ${source}`,
  );
  assertEquals(await Deno.readTextFile(source), "text");
});

Deno.test("a response that is gone leaves no reservation behind", async () => {
  await using workdir = await tempDir();
  const archiveDir = `${workdir.path}/archive`;
  assertThrows(
    () => moveToArchive(`${workdir.path}/gone`, { archiveDir, label: "tester" }),
    RuntimeError,
    "Cannot archive",
  );
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
    assertEquals(moveToArchive(source, { archiveDir: other, label: "tester" }), `${other}/001-tester.md`);
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

/** A file system that dies at its `lastCall`-th call, as a process does that is killed; a copy gets half way. */
function mortalFs(lastCall: number, { crossDevice }: { readonly crossDevice: boolean }) {
  const calls: string[] = [];
  let isDead = false;
  const die = (): never => {
    isDead = true;
    throw new Error("killed");
  };
  const fs = Object.fromEntries(
    Object.entries(systemFs).map(([name, act]) => [name, (...args: [string, string]) => {
      if (isDead) return die();
      calls.push([name, ...args.filter((arg) => typeof arg === "string")].join(" "));
      const isLast = calls.length === lastCall;
      if (isLast && name === "copy") {
        const bytes = Deno.readFileSync(args[0]);
        Deno.writeFileSync(args[1], bytes.subarray(0, bytes.length / 2));
      }
      if (isLast) return die();
      if (crossDevice && name === "rename" && dirname(args[0]) !== dirname(args[1])) {
        throw Object.assign(new Error("EXDEV"), { code: "EXDEV" });
      }
      return (act as (...args: unknown[]) => unknown).apply(systemFs, args);
    }]),
  ) as unknown as ArchiveFs;
  return { fs, calls };
}

const RESPONSE = "RESULT: PASS\nAll of it.\n";

/** Archives a response, up to the last call that the file system takes; then what a resumed run does is done. */
async function archiveOnce(lastCall: number, crossDevice: boolean) {
  await using dir = await tempDir();
  const source = `${dir.path}/response.md`;
  const archiveDir = `${dir.path}/archive`;
  await Deno.writeTextFile(source, RESPONSE);
  const { fs, calls } = mortalFs(lastCall, { crossDevice });
  const archive = () => moveToArchive(source, { archiveDir, label: "tester", fs });
  if (lastCall === Infinity) archive();
  else assertThrows(archive, RuntimeError, "killed");
  tidyArchive(archiveDir, { known: new Set() });
  const original = await Deno.readTextFile(source).catch(() => undefined);
  return { calls, files: await readArchive(archiveDir), original, workdir: dir.path };
}

for (const crossDevice of [false, true]) {
  const where = crossDevice ? "on another file system" : "on the same file system";
  Deno.test(`a process that is killed at any step of archiving ${where} leaves the response whole`, async () => {
    const { calls } = await archiveOnce(Infinity, crossDevice);
    for (let step = 1; step <= calls.length; step++) {
      const { files, original } = await archiveOnce(step, crossDevice);
      const kept = [...(original === undefined ? [] : [original]), ...files.map(([, content]) => content)];
      assert(kept.length > 0 && kept.every((content) => content === RESPONSE), `killed at ${calls[step - 1]}`);
    }
  });

  Deno.test(`what is archived ${where} is on the disk before its original is gone, and both before anybody hears of it`, async () => {
    const { calls, files, original, workdir } = await archiveOnce(Infinity, crossDevice);
    assertEquals([original, files], [undefined, [["001-tester.md", RESPONSE]]]);
    const [source, archive] = [`${workdir}/response.md`, `${workdir}/archive`];
    const [target, partial] = [`${archive}/001-tester.md`, `${archive}/.001-tester.md.partial`];
    assertEquals(calls.slice(calls.indexOf(`create ${target}`) + 1), [
      `sync ${source}`,
      `rename ${source} ${target}`,
      ...(crossDevice
        ? [`remove ${partial}`, `copy ${source} ${partial}`, `sync ${partial}`, `rename ${partial} ${target}`]
        : []),
      `sync ${archive}`,
      ...(crossDevice ? [`remove ${source}`] : []),
      `sync ${workdir}`,
    ]);
  });
}

Deno.test("an archived response stays where a step after the move fails", async () => {
  await using dir = await tempDir();
  const source = `${dir.path}/response.md`;
  await Deno.writeTextFile(source, RESPONSE);
  const fs: ArchiveFs = {
    ...systemFs,
    sync(path) {
      if (path === dir.path) throw new Error("the disk is gone");
    },
  };
  await Deno.mkdir(`${dir.path}/a`);
  assertThrows(() => moveToArchive(source, { archiveDir: `${dir.path}/a`, label: "tester", fs }), RuntimeError, "gone");
  assertEquals(await readArchive(`${dir.path}/a`), [["001-tester.md", RESPONSE]]);
});

Deno.test("a text is archived whole or not at all", async () => {
  await using dir = await tempDir();
  const archiveDir = `${dir.path}/archive`;
  for (let step = 1; step <= 9; step++) {
    const { fs } = mortalFs(step, { crossDevice: false });
    try {
      writeToArchive(RESPONSE, { archiveDir, label: `step-${step}`, fs });
    } catch (error) {
      assert(error instanceof RuntimeError);
    }
  }
  tidyArchive(archiveDir, { known: new Set() });
  const contents = (await readArchive(archiveDir)).map(([, content]) => content);
  assert(contents.length > 0 && contents.every((content) => content === RESPONSE));
});

Deno.test("a link in place of a response is not followed on its way to another file system", async () => {
  await using dir = await tempDir();
  await Deno.writeTextFile(`${dir.path}/secret`, "a secret");
  await Deno.symlink(`${dir.path}/secret`, `${dir.path}/response.md`);
  const { fs } = mortalFs(Infinity, { crossDevice: true });
  const archiveDir = `${dir.path}/archive`;
  const archive = () => moveToArchive(`${dir.path}/response.md`, { archiveDir, label: "tester", fs });
  assertThrows(archive, RuntimeError, "it is a link");
  assertEquals(await readArchive(archiveDir), []);
});

Deno.test("tidying leaves what is known and what is whole", async () => {
  await using dir = await tempDir();
  await dir.write({
    "001-tester.md": "",
    "002-tester.md": "",
    "003-tester.md": "x",
    "notes.md": "",
    ".004-a.md.partial": "y",
  });
  const left = ["001-tester.md", "003-tester.md", "notes.md"];
  assertEquals(tidyArchive(dir.path, { known: new Set(["001-tester.md"]) }), left);
  assertEquals((await readArchive(dir.path)).map(([name]) => name), left);
  assertEquals(tidyArchive(`${dir.path}/none`, { known: new Set() }), []);
});
