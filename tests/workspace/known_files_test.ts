import { assert, assertEquals } from "@std/assert";
import { filesChangedSince, leaveChangesIn, noteFilesIn, readFilesNote } from "../../lib/jobs/files/changes.ts";
import { createRedactor } from "../../lib/base/redact/redactor.ts";
import { checkoutAsItIs } from "../../lib/workspace/checkout.ts";
import { knownFiles, takeFresh } from "../../lib/workspace/known_files.ts";
import { openWorkspace } from "../../lib/workspace/open_workspace.ts";
import { runProgram } from "../support/program.ts";
import { useStateHome } from "../support/state_home.ts";
import { tempDir } from "../support/temp_dir.ts";
import { until } from "../support/until.ts";

const { signal } = new AbortController();
const NOW = new Date("2026-01-02T03:04:05Z");

/** A repository whose files were not written just now, and `more` of them besides. */
async function oldCheckout(more = 0) {
  const dir = await tempDir();
  const stateHome = useStateHome(`${dir.path}/state`);
  const many = Object.fromEntries(Array.from({ length: more }, (_, at) => [`repo/many/${at}.txt`, `${at}\n`]));
  await dir.write({
    ...many,
    "repo/a.txt": "as it was\n",
    "repo/ends.txt": "one\r\ntwo\r\n",
    "repo/.gitattributes": "* text=auto\n",
  });
  await Deno.symlink("a.txt", `${dir.path}/repo/link`);
  const git = async (...args: readonly string[]) => {
    const env = { HOME: "/nowhere", PATH: Deno.env.get("PATH") ?? "", GIT_CONFIG_NOSYSTEM: "1" };
    const who = ["-c", "user.name=A Person", "-c", "user.email=person@example.com"];
    const program = { cwd: `${dir.path}/repo`, env, timeoutMs: 20_000 };
    const { code, stderr, stdout } = await runProgram(["git", ...who, ...args], program);
    assertEquals(code, 0, stderr);
    return stdout.trim();
  };
  await git("init", "--quiet");
  await git("add", ".");
  await git("commit", "--quiet", "-m", "first");
  await dir.write({ "repo/new.txt": "in no commit\n" });
  const written = Deno.statSync(`${dir.path}/repo/new.txt`).ctime?.getTime() ?? 0;
  await until(() => Date.now() > written + 3000);
  return {
    ...{ dir, git, repo: `${dir.path}/repo` },
    async [Symbol.asyncDispose]() {
      stateHome[Symbol.dispose]();
      await dir[Symbol.asyncDispose]();
    },
  };
}

Deno.test("what git has of a file byte for byte is known after a look, and of a workspace from the start", async () => {
  await using there = await oldCheckout();
  const { git, repo } = there;
  assertEquals(await knownFiles(repo, { signal }), undefined);
  await checkoutAsItIs(repo, { run: "20260102-030405-aaaa", now: NOW, signal });
  const namesIn = (files: ReadonlyMap<string, unknown> = new Map(), top = repo) =>
    [...files.keys()].map((path) => path.slice(top.length + 1)).toSorted();
  const known = await knownFiles(repo, { signal });
  // The ends of lines are others in git.
  assertEquals(namesIn(known?.files), [".gitattributes", "a.txt", "new.txt"]);
  assertEquals(known?.files.get(`${repo}/a.txt`)?.blob, await git("rev-parse", "HEAD:a.txt"));

  const { tree } = await openWorkspace(repo, { task: "do it", now: NOW, signal });
  // Of what was written in the second of the look it cannot be said once somebody may have worked there.
  assert(await knownFiles(tree, { signal }) !== undefined);
  assertEquals([takeFresh(tree), takeFresh(tree), takeFresh(repo)], [true, false, false]);
  const fresh = await knownFiles(tree, { isFresh: true, signal });
  assertEquals(namesIn(fresh?.files, tree), [".gitattributes", "a.txt", "ends.txt", "new.txt"]);
});

Deno.test("of a workspace that was just made no file is read at the first look, and a change after it is found", async () => {
  await using there = await oldCheckout(1001);
  const { tree } = await openWorkspace(there.repo, { task: "do it", now: NOW, signal });
  const place = { workdir: tree, folder: `${there.dir.path}/step`, signal };
  await Deno.mkdir(place.folder);
  const note = await readFilesNote(place.folder, await noteFilesIn(place));
  const own = Object.keys(note.snapshot.files).filter((name) => name.startsWith("many/"));
  assertEquals(own.length, 1001);
  assertEquals(own.filter((name) => !note.snapshot.files[name]?.content?.startsWith("git:")), []);
  const last = `${tree}/many/1000.txt`;
  const { mtime } = Deno.statSync(last);
  await Deno.writeTextFile(last, "9999\n");
  await Deno.utime(last, mtime!, mtime!);
  assertEquals(await filesChangedSince(note, place), ["many/1000.txt"]);
});

Deno.test("of many files those are not read that are as at the last look; each change is found, and shown", async () => {
  await using there = await oldCheckout(1001);
  const { dir, repo } = there;
  await checkoutAsItIs(repo, { run: "20260102-030405-aaaa", now: NOW, signal });
  const path = (name: string) => `${repo}/${name}`;
  const rewrite = (name: string, text: string) => {
    const { atime, mtime } = Deno.statSync(path(name));
    Deno.writeTextFileSync(path(name), text);
    Deno.utimeSync(path(name), atime ?? 0, mtime ?? 0);
  };
  // After the look, and before the step: its times and size are as they were.
  rewrite("many/1.txt", "X\n");

  const place = { workdir: repo, folder: `${dir.path}/step`, signal };
  await Deno.mkdir(place.folder);
  const note = await readFilesNote(place.folder, await noteFilesIn(place));
  const contentOf = (name: string) => note.snapshot.files[name]?.content;
  assert(contentOf("a.txt")?.startsWith("git:"));
  assert(contentOf("new.txt")?.startsWith("git:"));
  for (const read of ["many/1.txt", "ends.txt"]) assert(/^[0-9a-f]{64}$/.test(contentOf(read) ?? ""), read);
  assertEquals(await filesChangedSince(note, place), []);

  for (const same of ["a.txt", "ends.txt"]) Deno.writeTextFileSync(path(same), Deno.readTextFileSync(path(same)));
  assertEquals(await filesChangedSince(note, place), []);
  rewrite("many/2.txt", "Y\n");
  rewrite("many/1.txt", "Z\n");
  await dir.write({ "repo/new.txt": "changed\n", "repo/ends.txt": "one\r\nTWO\r\n" });
  await Deno.chmod(path("a.txt"), 0o755);
  const changed = await filesChangedSince(note, place);
  assertEquals(changed, ["a.txt", "ends.txt", "many/1.txt", "many/2.txt", "new.txt"]);
  await leaveChangesIn(place, { changed, note, redactor: createRedactor([]) });
  const patch = await Deno.readTextFile(`${place.folder}/diff.patch`);
  for (const line of ["-in no commit", "+changed", "-2", "+Y", "-X", "+Z", "-two\r", "+TWO\r", "old mode 100644"]) {
    assert(patch.includes(`\n${line}\n`), `${line} in ${patch}`);
  }
  assert(!patch.includes("-one"));
});
