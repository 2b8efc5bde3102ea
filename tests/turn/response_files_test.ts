import { assert, assertEquals, assertRejects, assertThrows } from "@std/assert";
import { RuntimeError, UsageError } from "../../lib/base/errors.ts";
import { clearStaleResponse, ensureResponseDir, responsePathFor } from "../../lib/turn/response_files.ts";
import { archiveResponse, markDispatch, readResponse, type ResponsePlace } from "../../lib/turn/response_reading.ts";
import { type BuiltInRole, ROLES } from "../../lib/base/roles.ts";
import { tempDir } from "../support/temp_dir.ts";
import { readArchive } from "./support.ts";

function placeOf(workdir: string): ResponsePlace {
  return { workdir, role: "analyst", maxBytes: 1024 };
}

Deno.test("Scenario: Each role resolves to the correct file", () => {
  const expected: Record<BuiltInRole, string> = {
    analyst: "/job/.tmp/agent-responses/analyst_summary.md",
    analyst_review: "/job/.tmp/agent-responses/analyst_review.md",
    programmer: "/job/.tmp/agent-responses/programmer_summary.md",
    programmer_review: "/job/.tmp/agent-responses/programmer_review.md",
    tester: "/job/.tmp/agent-responses/test_result.md",
  };
  for (const role of ROLES) assertEquals(responsePathFor("/job", role), expected[role]);
  assertEquals(responsePathFor("/job/", "tester"), expected.tester);
  assertEquals(responsePathFor("sub", "tester"), `${Deno.cwd()}/sub/.tmp/agent-responses/test_result.md`);
});

Deno.test("a role that does not exist has no response file: neither a made up one, nor a name that every object has", () => {
  for (const role of ["", "Tester", "constructor", "__proto__", "../x"]) {
    assertThrows(() => responsePathFor("/job", role as BuiltInRole), UsageError, "no role has this name");
  }
});

Deno.test("Scenario: Stale file from previous run exists", async () => {
  await using workdir = await tempDir();
  await ensureResponseDir(workdir.path);
  const path = responsePathFor(workdir.path, "analyst");
  await Deno.writeTextFile(path, "old");
  await clearStaleResponse(workdir.path, "analyst", { archiveDir: `${workdir.path}/archive` });
  await assertRejects(() => Deno.lstat(path), Deno.errors.NotFound);
  assertEquals(await readArchive(`${workdir.path}/archive`), [["001-analyst-stale.md", "old"]]);
});

Deno.test("Scenario: No stale file exists", async () => {
  await using workdir = await tempDir();
  await clearStaleResponse(workdir.path, "analyst");
  await ensureResponseDir(workdir.path);
  await clearStaleResponse(workdir.path, "analyst");
  assertEquals([...Deno.readDirSync(`${workdir.path}/.tmp`)].map(({ name }) => name), ["agent-responses"]);
});

Deno.test("Scenario: Directory does not exist", async () => {
  await using workdir = await tempDir();
  const deep = `${workdir.path}/not/there/yet`;
  await ensureResponseDir(deep);
  assert((await Deno.lstat(`${deep}/.tmp/agent-responses`)).isDirectory);
  await ensureResponseDir(deep);
});

Deno.test("what a killed process has left of its look at the time is removed, and nothing else", async () => {
  await using workdir = await tempDir();
  await ensureResponseDir(workdir.path);
  const dir = `${workdir.path}/.tmp/agent-responses`;
  await Deno.writeTextFile(`${dir}/.dispatch-af8bf933ed718ad4`, "");
  await Deno.writeTextFile(`${dir}/test_result.md`, "a response");
  await Deno.mkdir(`${dir}/.dispatch-folder`);
  markDispatch(workdir.path);
  await ensureResponseDir(workdir.path);
  assertEquals([...Deno.readDirSync(dir)].map(({ name }) => name).sort(), [".dispatch-folder", "test_result.md"]);
});

Deno.test("without an archive of its own a stale file goes to the program's default archive", async () => {
  await using workdir = await tempDir();
  await ensureResponseDir(workdir.path);
  await Deno.writeTextFile(responsePathFor(workdir.path, "tester"), "old");
  await clearStaleResponse(workdir.path, "tester");
  const archive = [...Deno.readDirSync(`${workdir.path}/.tmp`)].find(({ name }) => /^\d{8}-\d{6}$/.test(name));
  assert(archive !== undefined);
  assertEquals(await readArchive(`${workdir.path}/.tmp/${archive.name}`), [["001-tester-stale.md", "old"]]);
});

for (const part of [".tmp", ".tmp/agent-responses"]) {
  Deno.test(`${part} as a symbolic link out of the working directory is refused, and nothing is made or moved there`, async () => {
    await using workdir = await tempDir();
    await using outside = await tempDir();
    await Deno.mkdir(`${outside.path}/agent-responses`);
    await Deno.writeTextFile(`${outside.path}/analyst_summary.md`, "not ours");
    await Deno.writeTextFile(`${outside.path}/agent-responses/analyst_summary.md`, "not ours");
    if (part !== ".tmp") await Deno.mkdir(`${workdir.path}/.tmp`);
    await Deno.symlink(outside.path, `${workdir.path}/${part}`);
    await assertRejects(() => ensureResponseDir(workdir.path), RuntimeError, "leads out of the working directory");
    await assertRejects(
      () => clearStaleResponse(workdir.path, "analyst"),
      RuntimeError,
      `${workdir.path}/${part} is a symbolic link that leads out of the working directory, to ${outside.path}`,
    );
    assertEquals([...Deno.readDirSync(outside.path)].map(({ name }) => name).sort(), [
      "agent-responses",
      "analyst_summary.md",
    ]);
  });
}

Deno.test("a .tmp that is a symbolic link within the working directory works", async () => {
  await using workdir = await tempDir();
  await Deno.mkdir(`${workdir.path}/build`);
  await Deno.symlink("build", `${workdir.path}/.tmp`);
  await ensureResponseDir(workdir.path);
  assert((await Deno.lstat(`${workdir.path}/build/agent-responses`)).isDirectory);
});

Deno.test("a link that leads nowhere, and a file in place of a folder, are refused with the path", async () => {
  await using workdir = await tempDir();
  await Deno.symlink("nowhere", `${workdir.path}/.tmp`);
  await assertRejects(
    () => ensureResponseDir(workdir.path),
    RuntimeError,
    "/.tmp is a symbolic link that leads nowhere",
  );
  await Deno.remove(`${workdir.path}/.tmp`);
  await Deno.writeTextFile(`${workdir.path}/.tmp`, "");
  await assertRejects(() => ensureResponseDir(workdir.path), RuntimeError, "/.tmp is not a folder");
});

Deno.test("a stale symbolic link is refused: neither it nor what it leads to is moved", async () => {
  await using workdir = await tempDir();
  await ensureResponseDir(workdir.path);
  const path = responsePathFor(workdir.path, "analyst");
  await Deno.symlink(`${workdir.path}/target`, path);
  await assertRejects(
    () => clearStaleResponse(workdir.path, "analyst"),
    RuntimeError,
    `Cannot clear ${path}: it is a symbolic link`,
  );
  assert((await Deno.lstat(path)).isSymlink);
});

Deno.test("a dispatch is marked without leaving anything behind", async () => {
  await using workdir = await tempDir();
  await ensureResponseDir(workdir.path);
  const before = Math.floor(performance.timeOrigin + performance.now()) - 1000;
  assert(markDispatch(workdir.path).mtimeMs >= before);
  assertEquals([...Deno.readDirSync(`${workdir.path}/.tmp/agent-responses`)], []);
});

Deno.test("a dispatch cannot be marked where the folder is missing", async () => {
  await using workdir = await tempDir();
  await assertRejects(() => Promise.try(() => markDispatch(workdir.path)), RuntimeError, "Cannot write in");
});

Deno.test("a file as old as the dispatch counts, one a millisecond older does not", async () => {
  await using workdir = await tempDir();
  await ensureResponseDir(workdir.path);
  const path = responsePathFor(workdir.path, "analyst");
  await Deno.writeTextFile(path, "text");
  const at = new Date("2026-01-01T00:00:00.500Z");
  await Deno.utime(path, at, at);
  const read = (mtimeMs: number) => readResponse({ ...placeOf(workdir.path), dispatch: { mtimeMs } });
  assertEquals(read(at.getTime()), { kind: "text", text: "text" });
  assertEquals(read(at.getTime() + 1), { kind: "unusable", problem: "it is older than the prompt" });
});

Deno.test("a response that was replaced after it was read is returned as the archive holds it", async () => {
  await using workdir = await tempDir();
  await ensureResponseDir(workdir.path);
  const path = responsePathFor(workdir.path, "analyst");
  await Deno.writeTextFile(path, "first");
  assertEquals(readResponse(placeOf(workdir.path)), { kind: "text", text: "first" });
  await Deno.writeTextFile(path, "second");
  const archiveDir = `${workdir.path}/archive`;
  assertEquals(archiveResponse(placeOf(workdir.path), archiveDir).text, "second");
  assertEquals(await readArchive(archiveDir), [["001-analyst.md", "second"]]);
});

Deno.test("a response that was replaced by a symbolic link after it was read is not followed", async () => {
  await using workdir = await tempDir();
  await ensureResponseDir(workdir.path);
  const path = responsePathFor(workdir.path, "analyst");
  await Deno.writeTextFile(`${workdir.path}/secret`, "secret");
  await Deno.symlink(`${workdir.path}/secret`, path);
  await assertRejects(
    () => Promise.try(() => archiveResponse(placeOf(workdir.path), `${workdir.path}/archive`)),
    RuntimeError,
    "it was overwritten while it was read",
  );
});
