import { assert, assertEquals, assertNotEquals } from "@std/assert";
import { fingerprintFiles } from "../../../lib/jobs/files/fingerprint.ts";
import type { ProcessRunner } from "../../../lib/base/ports/process.ts";
import { runProgram } from "../../support/program.ts";
import { type TempDir, tempDir } from "../../support/temp_dir.ts";

/** Every file of a test is new. */
const EVER = 0;

const look = (dir: TempDir, more: Partial<Parameters<typeof fingerprintFiles>[0]> = {}) =>
  fingerprintFiles({ workdir: dir.path, sinceMs: EVER, except: [".panewright"], ...more });

async function git(dir: TempDir, ...args: readonly string[]): Promise<void> {
  const env = { HOME: dir.path, PATH: Deno.env.get("PATH") ?? "", GIT_CONFIG_NOSYSTEM: "1" };
  const who = ["-c", "user.email=a@example.com", "-c", "user.name=a"];
  const { code, stderr } = await runProgram(["git", ...who, ...args], { cwd: dir.path, env, timeoutMs: 20_000 });
  assertEquals(code, 0, stderr);
}

for (const hasGit of [true, false]) {
  const where = hasGit ? "in a repository" : "without git";
  Deno.test(`${where}: contents, names and modes count, each change back is the same again`, async () => {
    await using dir = await tempDir();
    await dir.write({ "a.txt": "one", "sub/b.txt": "two", ".panewright/runs/x": "1" });
    if (hasGit) {
      await git(dir, "init", "-q");
      await git(dir, "add", "a.txt");
    }
    const before = await look(dir);
    assert(before !== undefined);
    const changes: readonly (readonly [change: () => Promise<unknown>, undo: () => Promise<unknown>])[] = [
      [() => dir.write({ "a.txt": "ONE" }), () => dir.write({ "a.txt": "one" })],
      [() => dir.write({ "new.txt": "" }), () => Deno.remove(`${dir.path}/new.txt`)],
      [() => Deno.remove(`${dir.path}/sub/b.txt`), () => dir.write({ "sub/b.txt": "two" })],
      [() => Deno.chmod(`${dir.path}/a.txt`, 0o755), () => Deno.chmod(`${dir.path}/a.txt`, 0o644)],
      [() => Deno.symlink("a.txt", `${dir.path}/link`), () => Deno.remove(`${dir.path}/link`)],
    ];
    for (const [change, undo] of changes) {
      await change();
      assertNotEquals(await look(dir), before, String(change));
      await undo();
      assertEquals(await look(dir), before, String(change));
    }
    await dir.write({ ".panewright/runs/x": "2" });
    assertEquals(await look(dir), before);
  });
}

Deno.test("a file that was not touched since then is told apart by size and time", async () => {
  await using dir = await tempDir();
  await dir.write({ "a.txt": "one" });
  const future = Date.now() + 3_600_000;
  const before = await look(dir, { sinceMs: future });
  assertEquals(await look(dir, { sinceMs: future }), before);
  await Deno.utime(`${dir.path}/a.txt`, 1, 1);
  assertNotEquals(await look(dir, { sinceMs: future }), before);
});

Deno.test("what git ignores does not count, unless it is the folder itself", async () => {
  await using dir = await tempDir();
  await dir.write({ ".gitignore": "out/\n", "a.txt": "one", "out/made.txt": "1" });
  await git(dir, "init", "-q");
  const before = await look(dir);
  await dir.write({ "out/made.txt": "2" });
  assertEquals(await look(dir), before);
  const inside = { workdir: `${dir.path}/out` };
  const made = await look(dir, inside);
  await dir.write({ "out/made.txt": "3" });
  assertNotEquals(await look(dir, inside), made);
});

Deno.test("a repository below, which git names only as a folder, is looked into", async () => {
  await using dir = await tempDir();
  await dir.write({ "a.txt": "one", "below/b.txt": "two" });
  await git(dir, "init", "-q");
  await git(dir, "-C", "below", "init", "-q");
  const before = await look(dir);
  await dir.write({ "below/b.txt": "TWO" });
  assertNotEquals(await look(dir), before);
});

Deno.test("nothing that the repository configures is run, and no link or FIFO is followed or waited for", async () => {
  await using dir = await tempDir();
  await using outside = await tempDir();
  await outside.write({ "secret.txt": "1" });
  await dir.write({ "a.txt": "one", ".gitattributes": "*.txt filter=spy\n", "sub/b.txt": "two" });
  await git(dir, "init", "-q");
  await git(dir, "add", "--all");
  const spy = `touch ${dir.path}/ran`;
  await git(dir, "config", "filter.spy.clean", `${spy}; cat`);
  await git(dir, "config", "core.fsmonitor", spy);
  await Deno.mkdir(`${dir.path}/hooks`);
  await Deno.writeTextFile(`${dir.path}/hooks/post-index-change`, `#!/bin/sh\n${spy}\n`, { mode: 0o755 });
  await git(dir, "config", "core.hooksPath", "hooks");
  await Deno.remove(`${dir.path}/sub`, { recursive: true });
  await Deno.symlink(outside.path, `${dir.path}/sub`);
  await runProgram(["mkfifo", `${dir.path}/pipe`], { cwd: dir.path, env: {}, timeoutMs: 5000 }).catch(() => {});
  await dir.write({ "a.txt": "changed" });
  const before = await look(dir);
  assert(before !== undefined);
  await outside.write({ "secret.txt": "2", "b.txt": "new" });
  assertEquals(await look(dir), before);
  await Deno.lstat(`${dir.path}/ran`).then(() => assert(false, "it ran"), () => {});
});

Deno.test("what a partial clone lacks is not fetched: its configuration names the command", async () => {
  await using dir = await tempDir();
  await dir.write({ "keep/a.txt": "one", "away/b.txt": "two", spy: `#!/bin/sh\ntouch ${dir.path}/ran\n` });
  await Deno.chmod(`${dir.path}/spy`, 0o755);
  await git(dir, "init", "-q");
  await git(dir, "add", "--all");
  await git(dir, "commit", "-qm", "all");
  await git(dir, "sparse-checkout", "init", "--cone", "--sparse-index");
  await git(dir, "sparse-checkout", "set", "keep");
  await Deno.remove(`${dir.path}/.git/objects`, { recursive: true });
  await Deno.mkdir(`${dir.path}/.git/objects`);
  const settings = {
    "core.repositoryFormatVersion": "1",
    "extensions.partialClone": "origin",
    "remote.origin.promisor": "true",
    "remote.origin.url": dir.path,
    "remote.origin.uploadpack": `${dir.path}/spy`,
  };
  for (const [name, value] of Object.entries(settings)) await git(dir, "config", name, value);
  await look(dir);
  await Deno.lstat(`${dir.path}/ran`).then(() => assert(false, "it ran"), () => {});
});

Deno.test("what cannot be looked at is not told: too many files, git that does not answer or start, a name not in UTF-8", async () => {
  await using dir = await tempDir();
  await dir.write({ "a.txt": "one", "b.txt": "two" });
  assertEquals(await look(dir, { maxFiles: 1 }), undefined);
  const ended = { code: 0, stdout: "", stderr: "", timedOut: false, truncated: false };
  for (const more of [{ timedOut: true, code: 124 }, { truncated: true }, { stdout: "a\ufffd\0" }]) {
    // check-ignore says that the folder is not ignored: only what is listed is judged.
    const processRunner: ProcessRunner = {
      run: ({ argv }) => Promise.resolve(argv.includes("check-ignore") ? { ...ended, code: 1 } : { ...ended, ...more }),
    };
    assertEquals(await look(dir, { processRunner }), undefined);
  }
  const refused = () => Promise.reject(new Deno.errors.PermissionDenied("git"));
  assertEquals(await look(dir, { processRunner: { run: refused } }), undefined);
});
