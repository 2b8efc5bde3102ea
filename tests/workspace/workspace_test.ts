import { assertEquals, assertMatch, assertRejects, assertStringIncludes } from "@std/assert";
import { exists } from "@std/fs";
import { RuntimeError, UsageError } from "../../lib/base/errors.ts";
import { openWorkspace } from "../../lib/workspace/open_workspace.ts";
import { beginApart, endApart, keepTurn, openFork, undoTo } from "../../lib/workspace/turns.ts";
import {
  applyResult,
  branchResult,
  diffOf,
  dropWorkspace,
  emptyIn,
  keepResult,
  removeWorkspace,
} from "../../lib/workspace/result.ts";
import {
  findWorkspace,
  listWorkspaces,
  nameOf,
  treesBeside,
  type Workspace,
  workspaceAround,
} from "../../lib/workspace/workspace.ts";
import { runProgram } from "../support/program.ts";
import { useStateHome } from "../support/state_home.ts";
import { type TempDir, tempDir } from "../support/temp_dir.ts";

const { signal } = new AbortController();
const NOW = new Date("2026-01-02T03:04:05Z");

/** Git as a person, or an agent, calls it in a folder. */
async function git(folder: string, ...args: readonly string[]): Promise<string> {
  const env = { HOME: "/nowhere", PATH: Deno.env.get("PATH") ?? "", GIT_CONFIG_NOSYSTEM: "1" };
  const who = ["-c", "user.name=A Person", "-c", "user.email=person@example.com"];
  const { code, stderr, stdout } = await runProgram(["git", ...who, ...args], { cwd: folder, env, timeoutMs: 20_000 });
  assertEquals(code, 0, `git ${args.join(" ")}: ${stderr}`);
  return stdout;
}

/** A person's checkout, with changes of all kinds that are in no commit. */
async function dirtyCheckout() {
  const dir = await tempDir();
  const stateHome = useStateHome(`${dir.path}/state`);
  const repo = `${dir.path}/repo`;
  await Deno.mkdir(repo);
  await git(repo, "init", "--quiet", "--initial-branch=main");
  await dir.write({
    "repo/a.txt": "one\ntwo\nthree\nfour\nfive\n",
    "repo/b.txt": "b\n",
    "repo/gone.txt": "x\n",
    "repo/.gitignore": "*.log\n",
    "repo/sub/c.txt": "c\n",
  });
  await git(repo, "add", ".");
  await git(repo, "commit", "--quiet", "-m", "first");
  await dir.write({ "repo/b.txt": "stashed\n" });
  await git(repo, "stash");
  await dir.write({ "repo/b.txt": "staged\n" });
  await git(repo, "add", "b.txt");
  await dir.write({ "repo/b.txt": "staged and changed\n", "repo/new.txt": "new\n", "repo/debug.log": "noise\n" });
  await Deno.remove(`${repo}/gone.txt`);
  return {
    ...{ dir, repo },
    open: (folder = repo, task = "Fix the rounding") => openWorkspace(folder, { task, now: NOW, signal }),
    async [Symbol.asyncDispose]() {
      stateHome[Symbol.dispose]();
      await dir[Symbol.asyncDispose]();
    },
  };
}

/** All that a person has in a checkout, byte for byte: files with their times, index, refs, stash, settings. */
async function stateOf(repo: string): Promise<string> {
  const { stdout } = await runProgram(
    [
      "sh",
      "-c",
      "find . -type f ! -path './.git/objects/*' -exec stat -c '%n %Y %y %a' {} + | sort; " +
      "find . -type f ! -path './.git/objects/*' -exec sha256sum {} + | sort",
    ],
    { cwd: repo, env: { PATH: Deno.env.get("PATH") ?? "" }, timeoutMs: 20_000 },
  );
  return stdout;
}

const write = (dir: TempDir, { tree }: Workspace, files: Readonly<Record<string, string>>) =>
  dir.write(
    Object.fromEntries(
      Object.entries(files).map(([name, text]) => [`${tree.slice(dir.path.length + 1)}/${name}`, text]),
    ),
  );

const read = (folder: string, name: string) => Deno.readTextFile(`${folder}/${name}`);

Deno.test("a workspace has the checkout as it is, and the checkout stays as it was, byte for byte", async () => {
  await using checkout = await dirtyCheckout();
  const { repo } = checkout;
  const before = await stateOf(repo);
  const workspace = await checkout.open();
  assertEquals(await stateOf(repo), before);
  const { tree } = workspace;
  assertEquals([await read(tree, "b.txt"), await read(tree, "new.txt")], ["staged and changed\n", "new\n"]);
  assertEquals([await exists(`${tree}/gone.txt`), await exists(`${tree}/debug.log`)], [false, false]);
  assertEquals(await git(tree, "status", "--porcelain"), "");
  assertEquals((await git(tree, "log", "--format=%s")).split("\n"), ["The checkout as it was", "first", ""]);
  assertEquals((await git(tree, "branch", "--show-current")).trim(), "panewright/fix-the-rounding");
  assertEquals(await git(tree, "remote"), "");
  assertEquals([findWorkspace("fix-the-rounding"), listWorkspaces()], [workspace, [workspace]]);
  assertEquals(workspaceAround(`${tree}/sub`), workspace);
  assertEquals([workspaceAround(repo), workspaceAround(`${tree}-2`)], [undefined, undefined]);
  // Nothing in it names the person's repository.
  const inGit = await runProgram(["grep", "-rla", repo, `${tree}/.git`], {
    cwd: tree,
    env: { PATH: Deno.env.get("PATH") ?? "" },
    timeoutMs: 20_000,
  });
  assertEquals(inGit.stdout, "");
});

Deno.test("what was done in a workspace comes home as one commit under a ref, and into the checkout beside what is there", async () => {
  await using checkout = await dirtyCheckout();
  const { dir, repo } = checkout;
  const workspace = await checkout.open();
  await write(dir, workspace, { "a.txt": "one\ntwo\nthree\nfour\nFIVE\n", "made/d.txt": "d\n", "x.log": "noise\n" });
  await Deno.remove(`${workspace.tree}/new.txt`);
  const result = await keepResult(workspace, { signal });
  assertEquals(result.files, [
    { path: "a.txt", added: 1, removed: 1 },
    { path: "made/d.txt", added: 1, removed: 0 },
    { path: "new.txt", added: 0, removed: 1 },
  ]);
  assertEquals((await git(repo, "rev-parse", "refs/panewright/fix-the-rounding")).trim(), result.commit);
  assertMatch(await diffOf(workspace, result, { signal }), /-five\n\+FIVE/);

  // Meanwhile the person works on.
  await dir.write({ "repo/a.txt": "ONE\ntwo\nthree\nfour\nfive\n", "repo/own.txt": "own\n" });
  const staged = await git(repo, "diff", "--cached");
  assertEquals(await applyResult(workspace, result, { signal }), ["a.txt", "made/d.txt", "new.txt"]);
  assertEquals(await read(repo, "a.txt"), "ONE\ntwo\nthree\nfour\nFIVE\n");
  assertEquals([await exists(`${repo}/new.txt`), await read(repo, "made/d.txt"), await read(repo, "own.txt")], [
    false,
    "d\n",
    "own\n",
  ]);
  assertEquals(await git(repo, "diff", "--cached"), staged);
  // A second time there is nothing left to write.
  assertEquals(await applyResult(workspace, result, { signal }), []);
});

Deno.test("the same work is the same commit, whenever it is looked at: what was judged is what comes home", async () => {
  await using checkout = await dirtyCheckout();
  const { dir, repo } = checkout;
  const workspace = await checkout.open();
  await write(dir, workspace, { "a.txt": "other\n" });
  const { commit, ref } = await keepResult(workspace, { signal });
  // Git tells times in whole seconds: the date is that of the workspace, not of the look.
  assertEquals((await git(repo, "show", "-s", "--format=%ct", ref)).trim(), `${NOW.getTime() / 1000}`);
  assertEquals((await keepResult(workspace, { signal })).commit, commit);
  await write(dir, workspace, { "a.txt": "another\n" });
  assertEquals((await keepResult(workspace, { signal })).commit === commit, false);
});

Deno.test("where both have changed the same lines nothing is written, and a branch takes it", async () => {
  await using checkout = await dirtyCheckout();
  const { dir, repo } = checkout;
  const workspace = await checkout.open();
  await write(dir, workspace, { "a.txt": "one\ntwo\nTHREE\nfour\nfive\n", "made.txt": "made\n" });
  const result = await keepResult(workspace, { signal });
  await dir.write({ "repo/a.txt": "one\ntwo\n3\nfour\nfive\n" });
  const before = await stateOf(repo);
  const error = await assertRejects(() => applyResult(workspace, result, { signal }), RuntimeError);
  assertStringIncludes(error.message, "the same lines of a.txt");
  assertEquals(await stateOf(repo), before);
  await branchResult(workspace, { ...result, branch: "fix", signal });
  await branchResult(workspace, { ...result, branch: "fix", signal });
  assertEquals(await git(repo, "show", "fix:a.txt"), "one\ntwo\nTHREE\nfour\nfive\n");
  await assertRejects(() => branchResult(workspace, { ...result, branch: "main", signal }), UsageError, "there is one");
  await assertRejects(() => branchResult(workspace, { ...result, branch: "a..b", signal }), UsageError, "no such name");
});

Deno.test("a file that git ignores in the checkout is never overwritten", async () => {
  await using checkout = await dirtyCheckout();
  const { dir, repo } = checkout;
  const workspace = await checkout.open();
  await write(dir, workspace, { ".gitignore": "", "debug.log": "theirs\n" });
  const result = await keepResult(workspace, { signal });
  const error = await assertRejects(() => applyResult(workspace, result, { signal }), RuntimeError);
  assertMatch(error.hint ?? "", /^Nothing was written\..*debug\.log/);
  assertEquals([await read(repo, "debug.log"), await read(repo, ".gitignore")], ["noise\n", "*.log\n"]);
});

Deno.test("what is not UTF-8 comes into the checkout byte for byte", async () => {
  await using checkout = await dirtyCheckout();
  const workspace = await checkout.open();
  const bytes = Uint8Array.from([0x67, 0x72, 0xfc, 0xdf, 0x0a, 0x0d, 0x0a, 0xff, 0x0a]);
  await Deno.writeFile(`${workspace.tree}/latin.txt`, bytes);
  await applyResult(workspace, await keepResult(workspace, { signal }), { signal });
  assertEquals(await Deno.readFile(`${checkout.repo}/latin.txt`), bytes);
});

Deno.test("a FIFO where git reads a file is told, and nobody waits for it", async () => {
  await using checkout = await dirtyCheckout();
  const workspace = await checkout.open();
  for (const name of [".gitignore", "sub/.gitattributes"]) {
    const path = `${workspace.tree}/${name}`;
    await Deno.remove(path).catch(() => {});
    await new Deno.Command("mkfifo", { args: [path] }).output();
    await assertRejects(() => keepResult(workspace, { signal }), RuntimeError, `${name}, which is not a file`);
    await Deno.remove(path);
  }
  await keepResult(workspace, { signal });
});

Deno.test("a FIFO in the place of a file is that file gone: the turn is kept, and undone, and what comes home has it removed", async () => {
  await using checkout = await dirtyCheckout();
  const workspace = await checkout.open();
  const asking = { now: NOW, signal };
  const { tree } = workspace;
  const ONE = await read(tree, "a.txt");
  const mkfifo = async (...names: readonly string[]) => {
    for (const name of names) await Deno.remove(`${tree}/${name}`).catch(() => {});
    await runProgram(["mkfifo", ...names], { cwd: tree, env: {}, timeoutMs: 20_000 });
  };
  await mkfifo("a.txt", "new.pipe");
  await keepTurn(workspace, { of: "r1-programmer", ...asking });
  const { files } = await keepResult(workspace, { signal });
  assertEquals(files, [{ path: "a.txt", added: 0, removed: 5 }]);
  assertEquals(await undoTo(workspace, { number: 0, ...asking }), 0);
  assertEquals([await read(tree, "a.txt"), await exists(`${tree}/new.pipe`)], [ONE, true]);
  await beginApart(workspace, { of: "r1-tester", ...asking });
  await mkfifo("a.txt");
  const ended = await endApart(workspace, asking);
  assertEquals([ended?.files, await read(tree, "a.txt")], [["a.txt"], ONE]);
});

Deno.test("a state folder behind a link has workspaces all the same", async () => {
  await using checkout = await dirtyCheckout();
  const { dir } = checkout;
  await Deno.mkdir(`${dir.path}/real`);
  await Deno.symlink("real", `${dir.path}/link`);
  using _state = useStateHome(`${dir.path}/link`);
  const workspace = await checkout.open();
  assertEquals(workspaceAround(await Deno.realPath(workspace.workdir))?.name, workspace.name);
});

Deno.test("ten things that an agent may do to git in its workspace reach nothing outside of it", async () => {
  await using checkout = await dirtyCheckout();
  const { dir, repo } = checkout;
  const workspace = await checkout.open();
  const other = await checkout.open(repo, "Another one");
  const before = [await stateOf(repo), await stateOf(other.tree)];
  const { tree } = workspace;
  const evil = `${dir.path}/evil`;
  await Deno.writeTextFile(evil, `#!/bin/sh\necho ran >> ${dir.path}/RAN\ncat\n`, { mode: 0o755 });
  await write(dir, workspace, { "b.txt": "of the agent\n" });
  await git(tree, "stash");
  await git(tree, "stash", "pop");
  await git(tree, "stash", "clear");
  await git(tree, "gc", "--quiet", "--prune=now");
  for (const key of ["core.fsmonitor", "core.editor", "diff.external", "filter.evil.clean", "core.pager"]) {
    await git(tree, "config", key, evil);
  }
  await git(tree, "config", "core.hooksPath", dir.path);
  for (const hook of ["pre-commit", "reference-transaction", "post-checkout"]) {
    await Deno.copyFile(evil, `${dir.path}/${hook}`);
  }
  await git(
    tree,
    "-c",
    "core.fsmonitor=",
    "-c",
    "core.hooksPath=/dev/null",
    "update-ref",
    "refs/heads/main",
    workspace.base,
  );
  await write(dir, workspace, { ".gitattributes": "* filter=evil diff=evil\n" });
  await Deno.remove(`${dir.path}/RAN`).catch(() => {});
  const result = await keepResult(workspace, { signal });
  assertStringIncludes(await diffOf(workspace, result, { signal }), "of the agent");
  await applyResult(workspace, result, { signal });
  await git(repo, "checkout", "--quiet", "HEAD", "--", ".gitignore");
  assertEquals(await exists(`${dir.path}/RAN`), false);
  assertEquals(await stateOf(other.tree), before[1]);
  assertEquals(
    await git(repo, "for-each-ref", "--format=%(refname)"),
    "refs/heads/main\nrefs/panewright/fix-the-rounding\nrefs/stash\n",
  );
  assertEquals((await git(repo, "fsck", "--full")).includes("missing"), false);
});

Deno.test("what an agent puts in the place of its .git, or breaks in it, is not obeyed, and its files come home all the same", async () => {
  await using checkout = await dirtyCheckout();
  const { dir, repo } = checkout;
  const workspace = await checkout.open();
  await write(dir, workspace, { "b.txt": "of the agent\n" });
  await Deno.remove(`${workspace.tree}/.git`, { recursive: true });
  await Deno.writeTextFile(`${workspace.tree}/.git`, `gitdir: ${repo}/.git\n`);
  const { files } = await keepResult(workspace, { signal });
  assertEquals(files.map(({ path }) => path), ["b.txt"]);
});

Deno.test("nothing is lost when git tidies up on either side", async () => {
  await using checkout = await dirtyCheckout();
  const { dir, repo } = checkout;
  const workspace = await checkout.open();
  await write(dir, workspace, { "a.txt": "all anew\n" });
  // The person drops all that the workspace began with.
  await git(repo, "checkout", "--quiet", "--orphan", "anew");
  await git(repo, "branch", "--quiet", "-D", "main");
  await git(repo, "reflog", "expire", "--expire=now", "--all");
  await git(repo, "gc", "--quiet", "--prune=now");
  await git(workspace.tree, "gc", "--quiet", "--prune=now");
  assertEquals((await git(workspace.tree, "log", "--format=%s")).split("\n").length, 3);
  const result = await keepResult(workspace, { signal });
  assertEquals(await git(repo, "show", `${result.ref}:a.txt`), "all anew\n");
});

Deno.test("a workspace is removed when all of it is under its ref, and not before", async () => {
  await using checkout = await dirtyCheckout();
  const { dir, repo } = checkout;
  const workspace = await checkout.open();
  const { tree } = workspace;
  await write(dir, workspace, { "a.txt": "kept\n", "inner/file.txt": "in no commit\n" });
  await git(`${tree}/inner`, "init", "--quiet");
  await git(`${tree}/inner`, "add", ".");
  await git(`${tree}/inner`, "commit", "--quiet", "-m", "inner");
  const held = await keepResult(workspace, { signal });
  assertEquals(held.inner, ["inner"]);
  // It stays where it is: of another repository git would make an empty folder.
  assertEquals(await applyResult(workspace, held, { signal }), ["a.txt"]);
  assertEquals(await exists(`${repo}/inner`), false);
  await assertRejects(
    () => removeWorkspace(workspace, held, { signal }),
    UsageError,
    "does not have all that is in it",
  );
  assertEquals(await exists(`${tree}/inner/file.txt`), true);
  await Deno.remove(`${tree}/inner`, { recursive: true });
  await removeWorkspace(workspace, await keepResult(workspace, { signal }), { signal });
  assertEquals([await exists(tree), listWorkspaces()], [false, []]);
  assertEquals(await git(repo, "show", "refs/panewright/fix-the-rounding:a.txt"), "kept\n");
});

Deno.test("commits, branches and stashes that an agent has made are kept when its workspace is removed", async () => {
  await using checkout = await dirtyCheckout();
  const { dir, repo } = checkout;
  const workspace = await checkout.open();
  const { tree } = workspace;
  const remove = async () => await removeWorkspace(workspace, await keepResult(workspace, { signal }), { signal });
  await git(tree, "switch", "--quiet", "-c", "try/one");
  await write(dir, workspace, { "a.txt": "tried\n" });
  await git(tree, "commit", "--quiet", "-a", "-m", "a try");
  await git(tree, "tag", "-m", "the try", "v1");
  for (const text of ["first stash\n", "second stash\n"]) {
    await write(dir, workspace, { "a.txt": text });
    await git(tree, "stash", "--quiet");
  }
  await git(tree, "gc", "--quiet");
  await git(tree, "switch", "--quiet", "--detach", "panewright/fix-the-rounding");
  await git(tree, "commit", "--quiet", "--allow-empty", "-m", "on no branch");
  assertEquals((await remove()).toSorted(), [
    "refs/panewright-commits/fix-the-rounding/HEAD",
    "refs/panewright-commits/fix-the-rounding/heads/try/one",
    "refs/panewright-commits/fix-the-rounding/stash",
    "refs/panewright-commits/fix-the-rounding/stash-1",
  ]);
  assertEquals(await exists(tree), false);
  const kept = (name: string) => git(repo, "show", `refs/panewright-commits/fix-the-rounding/${name}`);
  assertEquals(await kept("heads/try/one:a.txt"), "tried\n");
  assertEquals([await kept("stash-1:a.txt"), await kept("stash:a.txt")], ["first stash\n", "second stash\n"]);
  assertStringIncludes(await kept("HEAD"), "on no branch");
});

Deno.test("a workspace in whose .git an agent has linked another repository's objects brings none of them, and stays", async () => {
  await using checkout = await dirtyCheckout();
  const { dir, repo } = checkout;
  const secret = `${dir.path}/secret`;
  await Deno.mkdir(secret);
  await git(secret, "init", "--quiet");
  await git(secret, "commit", "--quiet", "--allow-empty", "-m", "secret");
  const id = (await git(secret, "rev-parse", "HEAD")).trim();
  const remove = async (workspace: Workspace) =>
    await removeWorkspace(workspace, await keepResult(workspace, { signal }), { signal });
  const hostile = {
    alternates: (tree: string) =>
      Deno.writeTextFile(`${tree}/.git/objects/info/alternates`, `${secret}/.git/objects\n`, { append: true }),
    link: async (tree: string) => {
      const place = `objects/${id.slice(0, 2)}`;
      await Deno.remove(`${tree}/.git/${place}`, { recursive: true }).catch(() => {});
      await Deno.symlink(`${secret}/.git/${place}`, `${tree}/.git/${place}`);
    },
    fifo: async (tree: string) => {
      await Deno.mkdir(`${tree}/.git/objects/${id.slice(0, 2)}`, { recursive: true });
      await runProgram(["mkfifo", `${tree}/.git/objects/${id.slice(0, 2)}/${id.slice(2)}`], {
        cwd: tree,
        env: { PATH: Deno.env.get("PATH") ?? "" },
        timeoutMs: 20_000,
      });
    },
    nothing: () => Promise.resolve(),
    gone: (tree: string) => Deno.remove(`${tree}/.git/objects`, { recursive: true }),
    refs: async (tree: string) => {
      await Deno.remove(`${tree}/.git/packed-refs`).catch(() => {});
      await Deno.symlink(`${secret}/.git/HEAD`, `${tree}/.git/packed-refs`);
    },
  };
  for (const [name, act] of Object.entries(hostile)) {
    const workspace = await checkout.open(repo, name);
    await act(workspace.tree);
    await Deno.writeTextFile(`${workspace.tree}/.git/refs/heads/taken`, `${id}\n`);
    const { message } = await assertRejects(() => remove(workspace), UsageError, "cannot be kept");
    assertMatch(
      message,
      /names other repositories|is not a file of git's|is no commit that is there|packed-refs cannot be read|cannot be told/,
    );
    assertEquals(await exists(workspace.tree), true);
    // As the message says.
    await Deno.remove(`${workspace.tree}/.git`, { recursive: true });
    assertEquals(await remove(workspace), []);
  }
  const stores = await runProgram(
    ["sh", "-c", `for store in state/panewright/stores/*.git; do git -C $store cat-file -t ${id} 2>&1; done`],
    { cwd: dir.path, env: { PATH: Deno.env.get("PATH") ?? "" }, timeoutMs: 20_000 },
  );
  assertStringIncludes(stores.stdout, "could not get object info");
});

Deno.test("a folder below the top, one without a commit, a detached HEAD, a linked worktree and a shallow clone", async () => {
  await using checkout = await dirtyCheckout();
  const { dir, repo } = checkout;
  const below = await checkout.open(`${repo}/sub`);
  assertEquals([below.workdir, await read(below.workdir, "c.txt")], [`${below.tree}/sub`, "c\n"]);

  await Deno.mkdir(`${dir.path}/empty`);
  await git(`${dir.path}/empty`, "init", "--quiet");
  await dir.write({ "empty/first.txt": "first\n" });
  const unborn = await checkout.open(`${dir.path}/empty`, "First");
  assertEquals(await read(unborn.tree, "first.txt"), "first\n");
  await write(dir, unborn, { "first.txt": "second\n" });
  const result = await keepResult(unborn, { signal });
  assertEquals(await applyResult(unborn, result, { signal }), ["first.txt"]);
  assertEquals(await read(`${dir.path}/empty`, "first.txt"), "second\n");

  await git(repo, "stash");
  await git(repo, "checkout", "--quiet", "--detach");
  const clean = await checkout.open();
  assertEquals(clean.name, "fix-the-rounding-2");

  await git(repo, "config", "core.autocrlf", "input");
  await git(repo, "worktree", "add", "--quiet", `${dir.path}/linked`);
  const linked = await checkout.open(`${dir.path}/linked`, "Of a linked one");
  assertEquals([linked.store, linked.settings.includes("core.autocrlf=input")], [clean.store, true]);
  assertEquals((await git(linked.tree, "config", "core.autocrlf")).trim(), "input");

  await git(repo, "commit", "--quiet", "--allow-empty", "-m", "second");
  await git(dir.path, "clone", "--quiet", "--depth=1", `file://${repo}`, "shallow");
  const shallow = await checkout.open(`${dir.path}/shallow`, "Of a shallow one");
  assertEquals(await read(shallow.tree, "a.txt"), "one\ntwo\nthree\nfour\nfive\n");
  assertEquals((await git(shallow.tree, "log", "--format=%s")).split("\n").length, 2);
});

Deno.test("a folder that is in no repository is refused with what helps, and nothing is left", async () => {
  await using checkout = await dirtyCheckout();
  const { dir } = checkout;
  await Deno.mkdir(`${dir.path}/plain`);
  const error = await assertRejects(() => checkout.open(`${dir.path}/plain`), UsageError, "in no working tree of git");
  assertStringIncludes(error.hint ?? "", "git init");
  assertEquals(listWorkspaces(), []);
});

Deno.test("a workspace's name is made of its task, and no two have the same, also where one is gone", async () => {
  await using checkout = await dirtyCheckout();
  const names = [
    "Fix the rounding in price.js, please: 33 % of 9.99",
    "",
    "日本語",
    "Ünïcode!",
    "x".repeat(50),
    "../../etc",
  ];
  assertEquals(names.map(nameOf), [
    "fix-the-rounding-in-price-js",
    "work",
    "work",
    "unicode",
    "x".repeat(32),
    "etc",
  ]);
  const all = await Promise.all([1, 2, 3].map(() => checkout.open(undefined, "")));
  assertEquals(all.map(({ name }) => name).toSorted(), ["work", "work-2", "work-3"]);
  const [first] = all as [Workspace];
  await removeWorkspace(first, await keepResult(first, { signal }), { signal });
  // What came of it is under its name still.
  assertEquals((await checkout.open(undefined, "")).name, "work-4");
  assertEquals(findWorkspace("../work"), undefined);
});

Deno.test("a git that was killed at work keeps nothing of a workspace locked", async () => {
  await using checkout = await dirtyCheckout();
  const { dir } = checkout;
  const workspace = await checkout.open();
  await write(dir, workspace, { "a.txt": "A\n" });
  const known = `${dir.path}/state/panewright/workspaces`;
  for (const left of ["kept.lock", "checkout.lock"]) await Deno.writeTextFile(`${known}/fix-the-rounding.${left}`, "");
  const result = await keepResult(workspace, { signal });
  assertEquals(await applyResult(workspace, result, { signal }), ["a.txt"]);
  await removeWorkspace(workspace, result, { signal });
  assertEquals([...Deno.readDirSync(known)].map(({ name }) => name), []);
});

Deno.test("what a sandbox that starts now was told to hide is there for a while, although its run has dropped it; later it goes", async () => {
  await using all = await dirtyCheckout();
  const open = (task: string) =>
    openWorkspace(all.repo, { task, now: NOW, signal, partOf: { target: "t", as: "check" } });
  const [one, other] = [await open("one"), await open("other")];
  const listed = treesBeside(other);
  assertEquals(listed, [one.tree]);
  await dropWorkspace(one);
  assertEquals([await exists(one.tree), listWorkspaces().map(({ name }) => name)], [true, ["other"]]);
  assertEquals([...Deno.readDirSync(one.tree)], []);
  assertEquals(treesBeside(other), [one.tree]);
  // Its name is not given away meanwhile.
  const again = await open("one");
  assertEquals(again.name, "one-2");

  const before = new Date(Date.now() - 45_000);
  await Deno.utime(one.tree, before, before);
  assertEquals(treesBeside(other), [again.tree]);
  await Deno.utime(one.tree, NOW, NOW);
  await dropWorkspace(again);
  assertEquals([await exists(one.tree), await exists(again.tree)], [false, true]);
});

Deno.test("repositories in the checkout: what is empty in the workspace is named; one without a commit is refused", async () => {
  await using checkout = await dirtyCheckout();
  const { dir, open, repo } = checkout;
  assertEquals(await emptyIn(await open(), { signal }), []);
  for (const name of ["inner", "origin"]) {
    await Deno.mkdir(`${repo}/${name}`);
    await git(`${repo}/${name}`, "init", "--quiet");
    await dir.write({ [`repo/${name}/x.txt`]: "x\n" });
    await git(`${repo}/${name}`, "add", ".");
    await git(`${repo}/${name}`, "commit", "--quiet", "-m", "first");
  }
  await git(repo, "-c", "protocol.file.allow=always", "submodule", "--quiet", "add", "./origin", "libs/the one");
  const workspace = await open();
  assertEquals([...Deno.readDirSync(`${workspace.tree}/inner`)], []);
  assertEquals(await emptyIn(workspace, { signal }), ["inner", "libs/the one", "origin"]);
  await Deno.mkdir(`${repo}/begun`);
  await git(`${repo}/begun`, "init", "--quiet");
  await dir.write({ "repo/begun/x.txt": "x\n" });
  const seen = await assertRejects(() => open(), RuntimeError);
  assertMatch(seen.message, /^Cannot take what is in \/.*: begun is a repository of its own without a commit$/);
});

Deno.test("repositories that an agent has begun without a commit: the rest of its work comes home, they are named, and nothing of them is lost", async () => {
  await using checkout = await dirtyCheckout();
  const workspace = await checkout.open();
  const { tree } = workspace;
  const begun = ["new app", "tmp/x"];
  for (const name of begun) {
    await Deno.mkdir(`${tree}/${name}`, { recursive: true });
    await git(`${tree}/${name}`, "init", "--quiet");
    await Deno.writeTextFile(`${tree}/${name}/y.txt`, "y\n");
  }
  await Deno.writeTextFile(`${tree}/made.txt`, "made\n");
  await keepTurn(workspace, { of: "r1-programmer", now: NOW, signal });
  const result = await keepResult(workspace, { signal });
  assertEquals([result.files.map(({ path }) => path), result.inner.toSorted()], [["made.txt"], begun]);
  const seen = await assertRejects(() => removeWorkspace(workspace, result, { signal }), UsageError);
  assertMatch(seen.message, /does not have all that is in it/);
  assertEquals(await read(tree, "tmp/x/y.txt"), "y\n");
});

Deno.test("where several tasks come together, no turn is undone and no other way begun: the turns are the tasks'", async () => {
  await using checkout = await dirtyCheckout();
  const now = new Date("2026-01-02T03:04:05Z");
  const target = await openWorkspace(checkout.repo, { task: "all", now, signal, isTarget: true });
  const partOf = { target: target.name, as: "lane" } as const;
  const lane = await openWorkspace(checkout.repo, { task: "one", now, signal, partOf });
  for (
    const [act, ask] of [
      ["undo a turn of", () => undoTo(target, { now, signal })],
      ["fork", () => openFork(target, { now, number: 0, signal })],
    ] as const
  ) {
    const refused = await assertRejects(ask, UsageError);
    assertEquals(refused.message, `Cannot ${act} ${target.name}: several tasks come together in it`);
    assertMatch(refused.hint ?? "", new RegExp(`Or ${act} one of them: ${lane.name}$`));
  }
});

Deno.test("of a turn that is apart nothing stays, also of what it had git ignore; it is kept, and begun once", async () => {
  await using checkout = await dirtyCheckout();
  const { dir, open } = checkout;
  const workspace = await open();
  const { tree } = workspace;
  const asking = { now: NOW, signal };
  const ignored = await read(tree, ".gitignore");
  await write(dir, workspace, { "made.txt": "by the programmer\n" });
  await keepTurn(workspace, { of: "r1-programmer", ...asking });
  // What is there without a turn stays, too.
  await write(dir, workspace, { "person.txt": "by a person\n" });
  await beginApart(workspace, { of: "r1-tester", ...asking });
  await write(dir, workspace, { "made.txt": "by the tester\n", ".gitignore": "hidden.txt\n", "hidden.txt": "x\n" });
  // As after kill -9 in the middle of the turn.
  await beginApart(workspace, { of: "r1-tester", ...asking });
  await Deno.remove(`${tree}/person.txt`);
  const ended = await endApart(workspace, asking);
  assertEquals(ended, { number: 3, files: [".gitignore", "made.txt", "person.txt"] });
  assertEquals([await read(tree, "made.txt"), await read(tree, "person.txt")], [
    "by the programmer\n",
    "by a person\n",
  ]);
  assertEquals([await exists(`${tree}/hidden.txt`), await read(tree, ".gitignore")], [false, ignored]);
  assertEquals(await endApart(workspace, asking), undefined);
  // A turn that changes nothing leaves no trace.
  const before = findWorkspace(workspace.name)?.turns?.length;
  await beginApart(workspace, { of: "r2-tester", ...asking });
  assertEquals(await endApart(workspace, asking), undefined);
  assertEquals([findWorkspace(workspace.name)?.turns?.length, findWorkspace(workspace.name)?.apart], [
    before,
    undefined,
  ]);
  await undoTo(workspace, { number: 3, ...asking });
  assertEquals(await read(tree, "made.txt"), "by the tester\n");
});
