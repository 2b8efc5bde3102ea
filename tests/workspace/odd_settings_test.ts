import { assertEquals, assertMatch } from "@std/assert";
import { exists } from "@std/fs";
import { applyResult, keepResult } from "../../lib/workspace/result.ts";
import { openWorkspace } from "../../lib/workspace/open_workspace.ts";
import { runProgram } from "../support/program.ts";
import { useStateHome } from "../support/state_home.ts";
import { tempDir } from "../support/temp_dir.ts";

// What people have in their own settings of git, and what agents leave behind, that makes git do otherwise.

const { signal } = new AbortController();
const LIB = import.meta.resolve("../../lib");
const NOW = new Date("2026-01-02T03:04:05Z");

/** A person's checkout, where git has these settings of theirs, too. */
async function checkoutWith(settings: string, { init = [] }: { readonly init?: readonly string[] } = {}) {
  const dir = await tempDir();
  const stack = new AsyncDisposableStack();
  stack.use(dir);
  stack.use(useStateHome(`${dir.path}/state`));
  const before = Deno.env.get("GIT_CONFIG_GLOBAL");
  stack.defer(() =>
    before === undefined ? Deno.env.delete("GIT_CONFIG_GLOBAL") : Deno.env.set("GIT_CONFIG_GLOBAL", before)
  );
  Deno.env.set("GIT_CONFIG_GLOBAL", `${dir.path}/gitconfig`);
  const repo = `${dir.path}/repo`;
  const git = async (...args: readonly string[]) => {
    const env = {
      PATH: Deno.env.get("PATH") ?? "",
      GIT_CONFIG_GLOBAL: `${dir.path}/gitconfig`,
      GIT_CONFIG_NOSYSTEM: "1",
    };
    const { code, stderr, stdout } = await runProgram(["git", ...args], { cwd: repo, env, timeoutMs: 20_000 });
    assertEquals(code, 0, `git ${args.join(" ")}: ${stderr}`);
    return stdout;
  };
  await dir.write({
    gitconfig: `[user]\n\tname = A Person\n\temail = person@example.com\n`,
    "repo/a.txt": "one\ntwo\nthree\n",
    "repo/src/b.txt": "b\n",
  });
  await git("init", "--quiet", "--initial-branch=main", ...init);
  await git("add", ".");
  await git("commit", "--quiet", "-m", "first");
  await Deno.writeTextFile(`${dir.path}/gitconfig`, settings, { append: true });
  return {
    ...{ dir, git, repo },
    open: () => openWorkspace(repo, { task: "Fix it", now: NOW, signal }),
    [Symbol.asyncDispose]: () => stack.disposeAsync(),
  };
}

/** What is in a file of the checkout once what an agent has written there was applied. */
async function applied(checkout: Awaited<ReturnType<typeof checkoutWith>>, name: string, text: string) {
  const workspace = await checkout.open();
  await Deno.writeTextFile(`${workspace.tree}/${name}`, text);
  const result = await keepResult(workspace, { signal });
  await applyResult(workspace, result, { signal });
  return await Deno.readTextFile(`${checkout.repo}/${name}`);
}

const LIKES =
  "[diff]\n\tnoprefix = true\n\tcontext = 0\n\torderFile = /nowhere\n\texternal = false\n[apply]\n\twhitespace = error\n[color]\n\tui = always\n";

for (
  const [what, settings, lineEnd] of [
    ["how patches are to look", LIKES, "\r\n"],
    ["other prefixes in patches", "[diff]\n\tmnemonicPrefix = true\n\trelative = true\n", "\r\n"],
    // Git takes one for the other in silence, as without the first of the two.
    ["line ends that are refused", "[core]\n\tsafecrlf = true\n\tautocrlf = input\n", "\n"],
  ] as const
) {
  Deno.test(`a person's own settings of git change nothing of what comes home: ${what}`, async () => {
    await using checkout = await checkoutWith(settings);
    await checkout.dir.write({ "repo/new.txt": "a\r\nb\r\n" });
    assertEquals(await applied(checkout, "a.txt", "one\n2 \nthree\n"), "one\n2 \nthree\n");
    assertEquals(await applied(checkout, "new.txt", "a\r\nc\r\n"), `a${lineEnd}c${lineEnd}`);
  });
}

Deno.test("a repository whose ids are SHA-256 has workspaces", async () => {
  await using checkout = await checkoutWith("", { init: ["--object-format=sha256"] });
  assertEquals(await applied(checkout, "a.txt", "1\n"), "1\n");
  assertEquals((await checkout.git("rev-parse", "refs/panewright/fix-it")).trim().length, 64);
});

Deno.test("an index in two files (core.splitIndex) is read whole, with what it says of files", async () => {
  await using checkout = await checkoutWith("[core]\n\tsplitIndex = true\n");
  const { dir, git, repo } = checkout;
  await git("update-index", "--split-index");
  await dir.write({ "repo/.gitignore": "*.log\n", "repo/kept.log": "tracked\n" });
  await git("add", "--force", ".gitignore", "kept.log");
  assertEquals(await applied(checkout, "kept.log", "changed\n"), "changed\n");
  assertEquals((await git("status", "--short")).split("\n"), ["A  .gitignore", "AM kept.log", ""]);
  const left = [...Deno.readDirSync(`${dir.path}/state/panewright/workspaces`)].map(({ name }) => name);
  assertEquals(left.filter((name) => name.includes("checkout")), []);
  assertEquals(await exists(`${repo}/.git/index.lock`), false);
});

Deno.test("what goes through a filter that only the repository's settings name stays as git has it: no plain text of a secret", async () => {
  await using checkout = await checkoutWith("");
  const { dir, git, repo } = checkout;
  await git("config", "filter.crypt.clean", "tr a-z A-Z");
  await git("config", "filter.crypt.smudge", "tr A-Z a-z");
  await git("config", "filter.crypt.required", "true");
  await dir.write({ "repo/.gitattributes": "*.key filter=crypt\n", "repo/my.key": "secret\n" });
  await git("add", ".");
  await git("commit", "--quiet", "-m", "a secret");
  // Changed since, and as new as the index, and one that is in no commit.
  await dir.write({ "repo/my.key": "plain\n", "repo/other.key": "plain\n" });
  const workspace = await checkout.open();
  assertEquals(await Deno.readTextFile(`${workspace.tree}/my.key`), "SECRET\n");
  assertEquals(await exists(`${workspace.tree}/other.key`), false);
  await Deno.writeTextFile(`${workspace.tree}/a.txt`, "done\n");
  const result = await keepResult(workspace, { signal });
  assertEquals(result.files.map(({ path }) => path), ["a.txt"]);
  await applyResult(workspace, result, { signal });
  assertEquals(await Deno.readTextFile(`${repo}/a.txt`), "done\n");
  assertEquals(await Deno.readTextFile(`${repo}/my.key`), "plain\n");
  const objects = await git("cat-file", "--batch-all-objects", "--batch");
  assertEquals(/plain/.test(objects), false);
});

Deno.test("a file that is not in the encoding which an agent's .gitattributes names comes home as it is", async () => {
  await using checkout = await checkoutWith("");
  const workspace = await checkout.open();
  await Deno.writeTextFile(`${workspace.tree}/.gitattributes`, "*.txt working-tree-encoding=UTF-16\n");
  await Deno.writeTextFile(`${workspace.tree}/it's.txt`, "new\n");
  await Deno.chmod(`${workspace.tree}/a.txt`, 0o755);
  const { commit, files, inner } = await keepResult(workspace, { signal });
  assertEquals([files.map(({ path }) => path), inner], [[".gitattributes", "a.txt", "it's.txt"], []]);
  assertEquals(await checkout.git("show", `${commit}:it's.txt`), "new\n");
  assertMatch(await checkout.git("ls-tree", commit, "a.txt"), /^100755 /);
});

Deno.test("what git may not read is left out and named, and read-only folders, as Go leaves them, are removed with the rest", async () => {
  await using checkout = await checkoutWith("");
  const { dir, repo } = checkout;
  const source = `
    const { openWorkspace } = await import("${LIB}/workspace/open_workspace.ts");
    const { keepResult, removeWorkspace } = await import("${LIB}/workspace/result.ts");
    const { signal } = new AbortController();
    const workspace = await openWorkspace("${repo}", { task: "Fix it", now: new Date(), signal });
    const { tree } = workspace;
    await Deno.writeTextFile(tree + "/shut", "x");
    await Deno.mkdir(tree + "/src/mod/deep", { recursive: true });
    await Deno.writeTextFile(tree + "/src/mod/deep/file", "x");
    for (const [name, mode] of [["shut", 0], ["src/b.txt", 0], ["src/mod/deep", 0o500], ["src/mod", 0]]) await Deno.chmod(tree + "/" + name, mode);
    const { files, inner } = await keepResult(workspace, { signal });
    const refused = await removeWorkspace(workspace, await keepResult(workspace, { signal }), { signal }).catch((error) => error);
    await Deno.remove(tree + "/shut");
    await Deno.remove(tree + "/src/b.txt");
    await removeWorkspace(workspace, await keepResult(workspace, { signal }), { signal });
    console.log(JSON.stringify({ files, inner, refused: refused.hint, tree }));
  `;
  await dir.write({ "program.ts": source });
  // Root may read and write everything, unless that is taken from it.
  const program: [string, ...string[]] = Deno.uid() === 0
    ? ["setpriv", "--inh-caps=-all", "--bounding-set=-all", Deno.execPath()]
    : [Deno.execPath()];
  const config = ["--config", new URL("../../deno.json", import.meta.url).pathname];
  const { code, stderr, stdout } = await runProgram(
    [...program, "run", "--quiet", "--no-check", "--allow-all", ...config, `${dir.path}/program.ts`],
    { cwd: dir.path, env: Deno.env.toObject(), timeoutMs: 60_000 },
  );
  assertEquals([code, stderr], [0, ""]);
  const { files, inner, refused, tree } = JSON.parse(stdout);
  assertEquals([files, inner, await exists(tree)], [[], ["src/b.txt", "shut"], false]);
  assertEquals(refused, `Move them away, or remove them: ${tree}/src/b.txt, ${tree}/shut`);
});
