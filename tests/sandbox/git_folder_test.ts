import { assertEquals } from "@std/assert";
import { gitExcludeIn, gitFolderAt } from "../../lib/sandbox/git_folder.ts";
import { systemProcessRunner } from "../../lib/base/ports/process.ts";
import { tempDir } from "../support/temp_dir.ts";

async function shell(script: string, cwd: string): Promise<void> {
  const env = { PATH: Deno.env.get("PATH") ?? "", HOME: cwd, GIT_CONFIG_NOSYSTEM: "1" };
  const identity = "export GIT_AUTHOR_NAME=M GIT_AUTHOR_EMAIL=m@x GIT_COMMITTER_NAME=M GIT_COMMITTER_EMAIL=m@x; ";
  const { code, stderr } = await systemProcessRunner.run({
    ...{ argv: ["sh", "-c", `set -e; ${identity}${script}`], cwd, env, clearEnv: true },
  });
  assertEquals([code, stderr], [0, ""]);
}

Deno.test("where git keeps what it has: of a repository, of its further working trees, and of no other folder", async () => {
  await using dir = await tempDir();
  const root = await Deno.realPath(dir.path);
  await shell(
    "git init -q p && cd p && git commit -q --allow-empty -m a && git worktree add -q ../tree 2>/dev/null",
    root,
  );
  await Deno.mkdir(`${root}/none`);
  const places = ["p", "tree", "none"].map((name) => gitFolderAt(`${root}/${name}`));
  assertEquals(places, [`${root}/p/.git`, `${root}/p/.git`, undefined]);
});

Deno.test("a file that somebody has put in the place of .git names no folder that it does not come from", async () => {
  await using dir = await tempDir();
  const root = await Deno.realPath(dir.path);
  await shell(
    "mkdir -p home w/evil w/in/worktrees/x; echo gitdir: evil > w/.git; echo ../.git > w/evil/gitdir; " +
      `echo ${root}/home > w/evil/commondir`,
    root,
  );
  assertEquals(gitFolderAt(`${root}/w`), undefined);
  await shell(
    `echo gitdir: in/worktrees/x > .git; echo ${root}/w/.git > in/worktrees/x/gitdir; ` +
      `echo ${root}/home > in/worktrees/x/commondir`,
    `${root}/w`,
  );
  assertEquals(gitFolderAt(`${root}/w`), `${root}/w/in`);
});

Deno.test("git inside passes by what stands in a folder in place of what must not be made there, besides what it is told", async () => {
  await using dir = await tempDir();
  const root = await Deno.realPath(dir.path);
  await shell("git init -q . && echo '*.log' > .git/info/exclude && mkdir 'a[1]' && touch .envrc", root);
  const { path, text } = gitExcludeIn(root)!;
  assertEquals(path, `${root}/.git/info/exclude`);
  assertEquals(text.startsWith("*.log\n\n/panewright.jsonc\n"), true);
  // One that is there is the person's.
  assertEquals(text.includes("/.envrc\n"), false);
  assertEquals(gitExcludeIn(`${root}/a[1]`)?.text.includes("\n/a\\[1]/.envrc\n"), true);
});
