import { assert, assertEquals, assertNotEquals, assertRejects } from "@std/assert";
import { RuntimeError } from "../../lib/base/errors.ts";
import { bringBase, checkoutAsItIs, keepCheckout, undoCheckout } from "../../lib/workspace/checkout.ts";
import { openWorkspace } from "../../lib/workspace/open_workspace.ts";
import { changedPaths, dropWorkspace } from "../../lib/workspace/result.ts";
import type { Workspace } from "../../lib/workspace/workspace.ts";
import { runProgram } from "../support/program.ts";
import { useStateHome } from "../support/state_home.ts";
import { type TempDir, tempDir } from "../support/temp_dir.ts";

const { signal } = new AbortController();
const NOW = new Date("2026-01-02T03:04:05Z");

/** Git as a person, or an agent, calls it in the checkout. */
async function git({ path }: TempDir, ...args: readonly string[]): Promise<string> {
  const env = { HOME: "/nowhere", PATH: Deno.env.get("PATH") ?? "", GIT_CONFIG_NOSYSTEM: "1" };
  const who = ["-c", "user.name=A Person", "-c", "user.email=person@example.com"];
  const argv = ["git", ...who, ...args] as const;
  const { code, stderr, stdout } = await runProgram(argv, { cwd: `${path}/repo`, env, timeoutMs: 20_000 });
  assertEquals(code, 0, `git ${args.join(" ")}: ${stderr}`);
  return stdout;
}

async function checkout() {
  const dir = await tempDir();
  const stateHome = useStateHome(`${dir.path}/state`);
  await dir.write({ "repo/a.txt": "as it was\n", "repo/b.txt": "b\n", "repo/sub/c.txt": "c\n" });
  await git(dir, "init", "--quiet");
  await git(dir, "add", ".");
  await git(dir, "commit", "--quiet", "-m", "first");
  const begin = (run: string) => checkoutAsItIs(`${dir.path}/repo`, { run, now: NOW, signal });
  const changedSince = async (before: Workspace) => {
    const commit = await keepCheckout(before, { signal });
    return commit === before.base ? [] : await changedPaths([before.base, commit], { store: before.store, signal });
  };
  return {
    ...{ dir, begin, changedSince },
    async namesOf(before: Workspace) {
      await bringBase(before, { signal });
      const named = await git(dir, `--git-dir=${before.store}`, "ls-tree", "-r", "--name-only", before.base);
      return named.trim().split("\n");
    },
    async [Symbol.asyncDispose]() {
      stateHome[Symbol.dispose]();
      await dir[Symbol.asyncDispose]();
    },
  };
}

/** Has the index say of a file what is not so: that what stands there now is what was there before. */
async function forgeIndex(dir: TempDir, file: string, text: string): Promise<void> {
  const was = (await git(dir, "rev-parse", `:${file}`)).trim();
  await dir.write({ [`repo/${file}`]: text });
  await git(dir, "add", file);
  const is = (await git(dir, "rev-parse", `:${file}`)).trim();
  const path = `${dir.path}/repo/.git/index`;
  const index = await Deno.readFile(path);
  const bytesOf = (id: string) => Uint8Array.fromHex(id);
  const at = index.findIndex((_, start) => bytesOf(is).every((byte, offset) => index[start + offset] === byte));
  assertNotEquals(at, -1);
  index.set(bytesOf(was), at);
  const sum = new Uint8Array(await crypto.subtle.digest("SHA-1", index.subarray(0, -20)));
  index.set(sum, index.length - 20);
  await Deno.writeFile(path, index);
  // As old as the file it would look at that once more.
  const later = new Date(Date.now() + 10_000);
  await Deno.utime(path, later, later);
  // Git itself believes it.
  assertEquals(await git(dir, "status", "--porcelain"), "");
}

/** What an agent in the checkout can do to have git, and whoever asks git, pass by what it changes. */
const HIDING: Readonly<Record<string, (dir: TempDir) => Promise<unknown>>> = {
  "assume-unchanged": async (dir) => {
    await git(dir, "update-index", "--assume-unchanged", "a.txt");
    await dir.write({ "repo/a.txt": "changed\n" });
  },
  "skip-worktree": async (dir) => {
    await git(dir, "update-index", "--skip-worktree", "a.txt");
    await dir.write({ "repo/a.txt": "changed\n" });
  },
  "both": async (dir) => {
    await git(dir, "update-index", "--assume-unchanged", "a.txt");
    await git(dir, "update-index", "--skip-worktree", "a.txt");
    await dir.write({ "repo/a.txt": "changed\n" });
  },
  "an index that says what is not so": (dir) => forgeIndex(dir, "a.txt", "changed\n"),
  "an index that cannot be read": async (dir) => {
    await dir.write({ "repo/a.txt": "changed\n" });
    await Deno.writeTextFile(`${dir.path}/repo/.git/index`, "no index\n");
  },
};

for (const [way, hide] of Object.entries(HIDING)) {
  Deno.test(`what an agent changes in the checkout is seen, whatever it does to git's index: ${way}`, async () => {
    await using at = await checkout();
    const before = await at.begin("one");
    assertEquals(await at.changedSince(before), []);
    await hide(at.dir);
    assertEquals(await at.changedSince(before), ["a.txt"]);
    // It is what the next run begins with, and that sees what is changed there from then on.
    const next = await at.begin("two");
    assertEquals(await at.changedSince(next), []);
    await at.dir.write({ "repo/a.txt": "changed once more\n" });
    assertEquals(await at.changedSince(next), ["a.txt"]);
    const commit = await keepCheckout(next, { signal });
    assertEquals(await undoCheckout(next, { commit, signal }), ["a.txt"]);
    assertEquals(await Deno.readTextFile(`${at.dir.path}/repo/a.txt`), "changed\n");
  });
}

Deno.test("another object in the place of one that was there before is not taken for it", async () => {
  await using at = await checkout();
  const before = await at.begin("one");
  const objectOf = async (path: string) => {
    const id = (await git(at.dir, "rev-parse", `:${path}`)).trim();
    return `${at.dir.path}/repo/.git/objects/${id.slice(0, 2)}/${id.slice(2)}`;
  };
  const [was, other] = [await objectOf("a.txt"), await objectOf("b.txt")];
  await Deno.remove(was);
  await Deno.copyFile(other, was);
  // Git itself believes it.
  assertEquals(await git(at.dir, "show", "HEAD:a.txt"), "b\n");
  await at.dir.write({ "repo/a.txt": "changed\n" });
  await assertRejects(() => keepCheckout(before, { signal }), RuntimeError, "is not what its name says");
  assertEquals([...Deno.readDirSync(`${before.store}/objects/pack`)], []);
  assertEquals([...Deno.readDirSync(before.store)].filter(({ name }) => name.startsWith("new-")), []);
});

Deno.test("what git has tidied away since the last look is no hindrance", async () => {
  await using at = await checkout();
  await at.dir.write({ "repo/b.txt": "staged\n" });
  const earlier = new Date(NOW.getTime() - 10_000);
  await Deno.utime(`${at.dir.path}/repo/b.txt`, earlier, earlier);
  await git(at.dir, "add", "b.txt");
  await at.begin("one");
  await git(at.dir, "reset", "--quiet");
  await git(at.dir, "gc", "--quiet", "--prune=now");
  const next = await at.begin("two");
  await at.dir.write({ "repo/a.txt": "changed\n" });
  assertEquals(await at.changedSince(next), ["a.txt"]);
});

Deno.test("what git ignores, and is told to track or to forget since the last look, is so from the next one on", async () => {
  await using at = await checkout();
  const first = await at.begin("one");
  await at.dir.write({ "repo/.gitignore": "*.env\n", "repo/my.env": "x\n" });
  assertEquals(await at.changedSince(first), [".gitignore"]);
  await git(at.dir, "add", "--force", "my.env");
  assertEquals(await at.changedSince(first), [".gitignore", "my.env"]);
  const second = await at.begin("two");
  assertEquals(await at.namesOf(second), [".gitignore", "a.txt", "b.txt", "my.env", "sub/c.txt"]);
  // An agent could do the same to hide what it does.
  await git(at.dir, "rm", "--quiet", "--cached", "my.env");
  await at.dir.write({ "repo/my.env": "y\n" });
  assertEquals(await at.changedSince(second), ["my.env"]);
  assertEquals(await at.namesOf(await at.begin("three")), [".gitignore", "a.txt", "b.txt", "sub/c.txt"]);
});

for (const isSparse of [true, false]) {
  Deno.test(`of a sparse checkout nothing is gone, and what is put where nothing was is seen: ${isSparse ? "from the first look on" : "since then"}`, async () => {
    await using at = await checkout();
    // Sparse before our first look, and only since.
    const first = isSparse ? undefined : await at.begin("one");
    await git(at.dir, "sparse-checkout", "set", "--no-cone", "/*", "!/sub/");
    // That could be an agent's doing.
    if (first !== undefined) assertEquals(await at.changedSince(first), ["sub/c.txt"]);
    const before = await at.begin("two");
    assertEquals(await at.changedSince(before), []);
    assertEquals(await at.namesOf(before), ["a.txt", "b.txt", "sub/c.txt"]);
    await at.dir.write({ "repo/sub/c.txt": "put there\n" });
    assertEquals(await at.changedSince(before), ["sub/c.txt"]);
  });
}

Deno.test("in a folder without git, too, what is to be ignored since the last look is so from the next one on", async () => {
  await using at = await checkout();
  await Deno.remove(`${at.dir.path}/repo/.git`, { recursive: true });
  await at.dir.write({ "repo/x.log": "x\n" });
  const before = await at.begin("one");
  assertEquals(before.isPlain, true);
  await at.dir.write({ "repo/.gitignore": "*.log\n", "repo/x.log": "y\n" });
  assertEquals(await at.changedSince(before), [".gitignore", "x.log"]);
  const next = await at.begin("two");
  await at.dir.write({ "repo/x.log": "z\n", "repo/a.txt": "changed\n" });
  assertEquals(await at.changedSince(next), ["a.txt"]);
});

Deno.test("a workspace has a file as it is in the checkout, also where git is told to pass it by", async () => {
  await using at = await checkout();
  await git(at.dir, "update-index", "--assume-unchanged", "a.txt");
  await at.dir.write({ "repo/a.txt": "of the person\n" });
  const workspace = await openWorkspace(`${at.dir.path}/repo`, { task: "look", now: NOW, signal });
  assertEquals(await Deno.readTextFile(`${workspace.tree}/a.txt`), "of the person\n");
  await dropWorkspace(workspace);
});

Deno.test("of what is in the store already nothing is brought again, whatever run brought it", async () => {
  await using there = await checkout();
  const { begin, dir } = there;
  await dir.write(Object.fromEntries(Array.from({ length: 50 }, (_, at) => [`repo/many/${at}.txt`, `${at}\n`])));
  const objectsAfter = async (run: string) => {
    const before = await begin(run);
    await dir.write({ "repo/a.txt": `${run}\n` });
    assertEquals(await keepCheckout(before, { signal }), await keepCheckout(before, { signal }));
    const counts = await git(dir, `--git-dir=${before.store}`, "count-objects", "-v");
    return Number(/^in-pack: (\d+)$/m.exec(counts)?.[1]);
  };
  const first = await objectsAfter("20260102-030405-aaaa");
  // Two commits, a tree and a file.
  assertEquals(await objectsAfter("20260102-030406-bbbb") - first, 4);
});

Deno.test("the packs of many runs become few, and no object goes", async () => {
  await using there = await checkout();
  const { begin, dir } = there;
  const before = await begin("20260102-030405-aaaa");
  const store = (...args: readonly string[]) => git(dir, `--git-dir=${before.store}`, ...args);
  const packsOf = () =>
    [...Deno.readDirSync(`${before.store}/objects/pack`)].filter(({ name }) => name.endsWith(".pack"));
  const blobs: string[] = [];
  for (let at = 0; at < 51; at++) {
    await dir.write({ "repo/x": `${at}\n`, "ids": "" });
    const blob = (await store("hash-object", "-w", `${dir.path}/repo/x`)).trim();
    await dir.write({ ids: `${blob}\n` });
    // What no commit has is somebody's all the same.
    const pack = [
      "sh",
      "-c",
      'git pack-objects -q "$0" < "$1"',
      `${before.store}/objects/pack/pack`,
      `${dir.path}/ids`,
    ] as const;
    assertEquals(
      (await runProgram(pack, { cwd: before.store, env: { PATH: Deno.env.get("PATH") ?? "" }, timeoutMs: 20_000 }))
        .code,
      0,
    );
    blobs.push(blob);
  }
  assertEquals(packsOf().length, 51);
  await dir.write({ "repo/a.txt": "another\n" });
  const commit = await keepCheckout(before, { signal });
  assert(packsOf().length < 5, `${packsOf().length} packs`);
  for (const blob of blobs) assertEquals((await store("cat-file", "-t", blob)).trim(), "blob");
  assertEquals(await keepCheckout(before, { signal }), commit);
  await store("fsck", "--strict");
});
