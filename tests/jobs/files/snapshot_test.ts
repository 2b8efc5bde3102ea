import { assertEquals, assertRejects } from "@std/assert";
import { UntoldError } from "../../../lib/jobs/files/list.ts";
import { changedFiles, type FileState, snapshotFiles, type SnapshotOptions } from "../../../lib/jobs/files/snapshot.ts";
import { runProgram } from "../../support/program.ts";
import { type TempDir, tempDir } from "../../support/temp_dir.ts";

async function git(dir: TempDir, ...args: readonly string[]): Promise<void> {
  const env = { HOME: dir.path, PATH: Deno.env.get("PATH") ?? "", GIT_CONFIG_NOSYSTEM: "1" };
  const { code, stderr } = await runProgram(["git", ...args], { cwd: dir.path, env, timeoutMs: 20_000 });
  assertEquals(code, 0, stderr);
}

/** What of a folder changes meanwhile. */
async function changedBy(
  dir: Pick<TempDir, "path">,
  change: () => unknown,
  more: Partial<SnapshotOptions> = {},
): Promise<readonly string[]> {
  const options = { workdir: dir.path, ...more };
  const { snapshot: before } = await snapshotFiles(options);
  await change();
  return await changedFiles(JSON.parse(JSON.stringify(before)), options);
}

Deno.test("contents, names, modes and links count; a file that is written as it was is the same", async () => {
  await using dir = await tempDir();
  await dir.write({ "a.txt": "one", "b.txt": "two", "run.sh": "", ["__proto__"]: "1" });
  await Deno.symlink("a.txt", `${dir.path}/link`);
  const path = (name: string) => `${dir.path}/${name}`;
  assertEquals(await changedBy(dir, () => dir.write({ "a.txt": "one" })), []);
  assertEquals(await changedBy(dir, () => dir.write({ "a.txt": "ONE", "constructor": "", ["__proto__"]: "2" })), [
    "__proto__",
    "a.txt",
    "constructor",
  ]);
  assertEquals(await changedBy(dir, () => Deno.chmod(path("run.sh"), 0o755)), ["run.sh"]);
  assertEquals(await changedBy(dir, () => Deno.renameSync(path("b.txt"), path("c.txt"))), ["b.txt", "c.txt"]);
  const relink = () => {
    Deno.removeSync(path("link"));
    Deno.symlinkSync("c.txt", path("link"));
  };
  assertEquals(await changedBy(dir, relink), ["link"]);
});

Deno.test("another name of an ignored file, made elsewhere, does not change it", async () => {
  await using dir = await tempDir();
  await using elsewhere = await tempDir();
  await dir.write({ ".gitignore": "modules/\n", "modules/x.js": "1", "modules/y.js": "1" });
  await git(dir, "init", "--quiet");
  Deno.linkSync(`${dir.path}/modules/x.js`, `${elsewhere.path}/store`);
  const relink = () => Deno.linkSync(`${elsewhere.path}/store`, `${elsewhere.path}/again`);
  assertEquals(await changedBy(dir, relink), []);
  assertEquals(await changedBy(dir, () => dir.write({ "modules/x.js": "22" })), ["modules/x.js"]);
});

Deno.test("a link where git has no hooks and no info yet counts; those that git and editors make do not", async () => {
  await using dir = await tempDir();
  await dir.write({ "src/pre-commit": "", ".gitignore": "*\n" });
  await git(dir, "init", "--quiet", "--template=");
  const link = (name: string) => () => Deno.symlinkSync("../src", `${dir.path}/.git/${name}`);
  assertEquals(await changedBy(dir, link("hooks")), [".git/hooks"]);
  assertEquals(await changedBy(dir, link("info")), [".git/info"]);
  const switchBranch = () => {
    Deno.removeSync(`${dir.path}/.git/HEAD`);
    Deno.symlinkSync("refs/heads/other", `${dir.path}/.git/HEAD`);
  };
  assertEquals(await changedBy(dir, switchBranch), []);
  assertEquals(await changedBy(dir, () => Deno.symlinkSync("me@host.1", `${dir.path}/.git/.#COMMIT_EDITMSG`)), []);
});

Deno.test("a large file that was just written has changed when its inode has, whatever times it is given", async () => {
  await using dir = await tempDir();
  const path = `${dir.path}/large`;
  using file = Deno.openSync(path, { create: true, write: true });
  file.truncateSync(33 * 1024 * 1024);
  const options = { workdir: dir.path };
  const { snapshot: before } = await snapshotFiles(options);
  const large = { ...before.files["large"]!, isRecent: true } as const;
  assertEquals(large.content, undefined);
  const changedSince = (then: FileState) => changedFiles({ ...before, files: { large: then } }, options);
  assertEquals(await changedSince(large), []);
  assertEquals(await changedSince({ ...large, ctime: large.ctime - 1000 }), ["large"]);
});

Deno.test("in a copy that keeps times, nothing has changed but what was changed", async () => {
  await using dir = await tempDir();
  await using place = await tempDir();
  await dir.write({ ".gitignore": "out/\n", "a.txt": "one", "out/x": "1", "out/y": "1" });
  await git(dir, "init", "--quiet");
  const { snapshot: before } = await snapshotFiles({ workdir: dir.path });
  const copied = await runProgram(["cp", "-a", dir.path, `${place.path}/copy`], {
    cwd: dir.path,
    env: { PATH: Deno.env.get("PATH") ?? "" },
    timeoutMs: 20_000,
  });
  assertEquals(copied.code, 0, copied.stderr);
  const copy = { workdir: `${place.path}/copy` };
  assertEquals(await changedFiles(before, copy), []);
  await place.write({ "copy/out/y": "22", "copy/a.txt": "two" });
  assertEquals(await changedFiles(before, copy), ["a.txt", "out/y"]);
});

Deno.test("a FIFO is not waited for, a link is not followed, and too many files are not told", async () => {
  await using dir = await tempDir();
  await using outside = await tempDir();
  await outside.write({ "secret.txt": "1" });
  await dir.write({ "a.txt": "one" });
  await Deno.symlink(outside.path, `${dir.path}/link`);
  const path = Deno.env.get("PATH") ?? "";
  const { code } = await runProgram(["mkfifo", "pipe"], { cwd: dir.path, env: { PATH: path }, timeoutMs: 5000 });
  assertEquals(code, 0);
  assertEquals(await changedBy(dir, () => outside.write({ "secret.txt": "2" })), []);
  await assertRejects(() => changedBy(dir, () => {}, { maxFiles: 2 }), UntoldError, "more than 2 files");
});

Deno.test("a name that is not UTF-8 is not passed by", async () => {
  await using dir = await tempDir();
  const env = { PATH: Deno.env.get("PATH") ?? "" };
  for (const make of ["touch", "mkdir"]) {
    const script = `${make} "$(printf 'bad\\377')"`;
    const change = () => runProgram(["sh", "-c", script], { cwd: dir.path, env, timeoutMs: 5000 });
    await assertRejects(() => changedBy(dir, change), UntoldError, "is not UTF-8");
    await runProgram(["sh", "-c", "rm -rf bad*"], { cwd: dir.path, env, timeoutMs: 5000 });
  }
});

Deno.test({
  name: "a folder that cannot be read has changed when it was opened meanwhile; one that can be entered is not told",
  // Root reads all of them.
  ignore: Deno.uid() === 0,
  async fn() {
    await using dir = await tempDir();
    await dir.write({ "closed/a.txt": "1" });
    const folder = `${dir.path}/closed`;
    try {
      Deno.chmodSync(folder, 0o000);
      const options = { workdir: dir.path };
      const { snapshot: before } = await snapshotFiles(options);
      assertEquals(await changedFiles(before, options), []);
      const { closed } = before.files;
      const earlier = { ...before.files, closed: { ...closed!, ctime: closed!.ctime - 1000 } };
      assertEquals(await changedFiles({ ...before, files: earlier }, options), ["closed"]);
      Deno.chmodSync(folder, 0o300);
      await assertRejects(() => changedFiles(before, options), UntoldError, "closed cannot be read");
    } finally {
      Deno.chmodSync(folder, 0o700);
    }
  },
});

Deno.test("a look that is broken off rejects with the signal's reason", async () => {
  await using dir = await tempDir();
  await dir.write({ "a.txt": "one" });
  const reason = new Error("stopped");
  await assertRejects(() => snapshotFiles({ workdir: dir.path, signal: AbortSignal.abort(reason) }), Error, "stopped");
});
