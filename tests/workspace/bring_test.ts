import { assertEquals, assertMatch, assertNotEquals } from "@std/assert";
import { exists } from "@std/fs";
import { keepSetup, keptSetup, restoreSetup } from "../../lib/workspace/setups.ts";
import { openWorkspace } from "../../lib/workspace/open_workspace.ts";
import { variablesOfWorkspace } from "../../lib/workspace/ports.ts";
import { dropWorkspace, keepResult } from "../../lib/workspace/result.ts";
import { listWorkspaces } from "../../lib/workspace/workspace.ts";
import { runProgram } from "../support/program.ts";
import { useStateHome } from "../support/state_home.ts";
import { tempDir } from "../support/temp_dir.ts";

const { signal } = new AbortController();
const NOW = new Date("2026-01-02T03:04:05Z");

const IGNORED = {
  "node_modules/left/index.js": "left\n",
  "packages/one/node_modules/right/index.js": "right\n",
  ".env": "KEY=secret\n",
  ".env.test": "PORT=1\n",
  "cache.log": "noise\n",
  "outside/deps/x": "x\n",
};

/** A checkout with things that git ignores. */
async function checkout(files: Readonly<Record<string, string>> = {}) {
  const dir = await tempDir();
  const stateHome = useStateHome(`${dir.path}/state`);
  const repo = `${dir.path}/repo`;
  const own = {
    ".gitignore": "node_modules/\n.env*\n*.log\ndeps\n",
    "package-lock.json": "{}\n",
    "packages/one/a.js": "1\n",
    ...IGNORED,
    ...files,
  };
  await dir.write(Object.fromEntries(Object.entries(own).map(([name, text]) => [`repo/${name}`, text])));
  await run(repo, "git", "init", "--quiet", "--initial-branch=main");
  await run(repo, "git", "add", ".");
  await run(repo, "git", "commit", "--quiet", "-m", "first");
  return {
    ...{ dir, repo },
    open: (share: readonly string[] = [], task = "Fix it") => openWorkspace(repo, { share, task, now: NOW, signal }),
    async [Symbol.asyncDispose]() {
      stateHome[Symbol.dispose]();
      await dir[Symbol.asyncDispose]();
    },
  };
}

async function run(cwd: string, ...argv: readonly [string, ...string[]]): Promise<void> {
  const who = { GIT_AUTHOR_NAME: "A", GIT_AUTHOR_EMAIL: "a@example.com" };
  const env = {
    ...{ ...who, GIT_COMMITTER_NAME: "A", GIT_COMMITTER_EMAIL: "a@example.com" },
    ...{ HOME: "/nowhere", PATH: Deno.env.get("PATH") ?? "", GIT_CONFIG_NOSYSTEM: "1" },
  };
  const { code, stderr } = await runProgram(argv, { cwd, env, timeoutMs: 20_000 });
  assertEquals(code, 0, `${argv.join(" ")}: ${stderr}`);
}

const thereOf = async (tree: string, names: readonly string[]) => {
  const all = await Promise.all(names.map(async (name) => await exists(`${tree}/${name}`) ? [name] : []));
  return all.flat();
};

Deno.test("a workspace has a copy of what patterns name of what git ignores, and of nothing else", async () => {
  await using made = await checkout();
  const { brought, tree } = await made.open(["node_modules/"]);
  assertEquals(brought, ["node_modules/", "packages/one/node_modules/"]);
  assertEquals(await thereOf(tree, Object.keys(IGNORED)), [
    "node_modules/left/index.js",
    "packages/one/node_modules/right/index.js",
  ]);
  // What an agent does to the copy does not reach the checkout.
  await Deno.writeTextFile(`${tree}/node_modules/left/index.js`, "changed\n");
  assertEquals(await Deno.readTextFile(`${made.repo}/node_modules/left/index.js`), "left\n");
});

Deno.test(".worktreeinclude of the repository names what is brought along", async () => {
  await using made = await checkout({ ".worktreeinclude": "# for tests\n.env.test\n" });
  const workspace = await made.open();
  assertEquals(workspace.brought, [".env.test"]);
  assertEquals(await thereOf(workspace.tree, Object.keys(IGNORED)), [".env.test"]);
  // It is no work of anybody.
  assertEquals((await keepResult(workspace, { signal })).files, []);
});

Deno.test("without patterns nothing that git ignores is brought, and a FIFO named .worktreeinclude is passed by", async () => {
  await using made = await checkout();
  await run(made.repo, "mkfifo", ".worktreeinclude");
  assertEquals((await made.open()).brought, undefined);
});

Deno.test("nothing is brought through a link that a commit has in a folder's place", async () => {
  await using made = await checkout({ "outside/kept": "k\n" });
  const { dir, repo } = made;
  const elsewhere = `${dir.path}/elsewhere`;
  await Deno.mkdir(elsewhere);
  // The commit has a link where the checkout has the folder by now.
  await run(repo, "git", "rm", "--quiet", "-r", "--cached", "outside");
  await Deno.rename(`${repo}/outside`, `${dir.path}/aside`);
  await Deno.symlink(elsewhere, `${repo}/outside`);
  await run(repo, "git", "add", "outside");
  await run(repo, "git", "commit", "--quiet", "-m", "a link");
  const { base } = await made.open([], "with the link");
  await Deno.remove(`${repo}/outside`);
  await Deno.rename(`${dir.path}/aside`, `${repo}/outside`);
  const workspace = await openWorkspace(repo, { share: ["deps"], task: "t", now: NOW, signal, at: base });
  assertEquals(workspace.brought, undefined);
  assertEquals([...Deno.readDirSync(elsewhere)], []);
});

Deno.test("each workspace has ports of its own, which are free again when it is gone", async () => {
  await using made = await checkout();
  const [one, other] = [await made.open(), await made.open()];
  const baseOf = ({ tree }: { readonly tree: string }) => variablesOfWorkspace(tree)["PANEWRIGHT_PORT_BASE"];
  assertEquals([baseOf(one), baseOf(other)], ["20000", "20020"]);
  assertEquals(variablesOfWorkspace(made.repo), {});
  await dropWorkspace(one);
  assertEquals([baseOf(await made.open()), listWorkspaces().length], ["20000", 2]);
});

Deno.test("what a setup has made is there in the next workspace, as long as the files that it depends on are the same", async () => {
  await using made = await checkout();
  const { repo } = made;
  const setup = { command: "npm ci", files: ["package-lock.json"] };
  const first = await made.open();
  const kept = await keptSetup(first, setup) ?? "";
  assertMatch(kept, /\/setups\//);
  assertEquals(await restoreSetup(first, { kept, signal }), false);
  await Deno.mkdir(`${first.tree}/node_modules`);
  await Deno.writeTextFile(`${first.tree}/node_modules/made.js`, "made\n");
  await keepSetup(first, { kept, signal });

  const next = await made.open(["node_modules/"]);
  assertEquals(await keptSetup(next, setup), kept);
  assertEquals(await restoreSetup(next, { kept, signal }), true);
  // In place of what the checkout has.
  assertEquals([...Deno.readDirSync(`${next.tree}/node_modules`)].map(({ name }) => name), ["made.js"]);

  await Deno.writeTextFile(`${repo}/package-lock.json`, "{ }\n");
  const changed = await made.open();
  assertNotEquals(await keptSetup(changed, setup), kept);
  assertNotEquals(await keptSetup(next, { ...setup, command: "npm install" }), kept);
  assertEquals(await keptSetup(next, { ...setup, files: [] }), undefined);
});

Deno.test("what a setup makes on top of an agent's work is kept for nobody else", async () => {
  await using made = await checkout();
  const target = await openWorkspace(made.repo, { task: "all", now: NOW, signal, isTarget: true });
  const partOf = { target: target.name, as: "lane" } as const;
  const agents = await made.open([], "an agent's");
  await Deno.writeTextFile(`${agents.tree}/package-lock.json`, "{}\n\n");
  const { commit } = await keepResult(agents, { signal });
  const setup = { command: "npm ci", files: [".gitignore"] };
  const open = (at: string) => openWorkspace(made.repo, { task: "lane", now: NOW, signal, at, partOf });
  const after = await open(commit);
  const kept = await keptSetup(after, setup) ?? "";
  await keepSetup(after, { kept, signal });
  assertEquals(await exists(kept), false);
  await keepSetup(await open(target.base), { kept, signal });
  assertEquals(await exists(kept), true);
});

Deno.test("of a repository the setups that were used last are kept", async () => {
  await using made = await checkout();
  const workspace = await made.open();
  const keys = await Promise.all(
    ["a", "b", "c", "d"].map(async (command) => await keptSetup(workspace, { command, files: [".gitignore"] }) ?? ""),
  );
  for (const kept of keys.slice(0, 3)) {
    await keepSetup(workspace, { kept, signal });
    await Deno.utime(kept, new Date("2026-01-01"), new Date("2026-01-01"));
  }
  await restoreSetup(workspace, { kept: keys[0] ?? "", signal });
  await Deno.utime(keys[1] ?? "", new Date("2025-01-01"), new Date("2025-01-01"));
  await keepSetup(workspace, { kept: keys[3] ?? "", signal });
  const there = await Promise.all(keys.map((kept) => exists(kept)));
  assertEquals(there, [true, false, true, true]);
});
