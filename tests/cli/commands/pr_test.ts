import { assertEquals, assertMatch, assertStringIncludes } from "@std/assert";
import { openWorkspace } from "../../../lib/workspace/open_workspace.ts";
import { callCli } from "../../support/call_cli.ts";
import { runProgram } from "../../support/program.ts";
import { useStateHome } from "../../support/state_home.ts";
import { tempDir } from "../../support/temp_dir.ts";

const SAYS = {
  gh: 'printf "%s\\n" "$@" > "$0.args"; cat > "$0.body"; echo https://example.com/pull/7',
  glab: 'printf "%s\\n" "$@" > "$0.args"; echo https://gitlab.example.com/mr/7',
};

/** A person's dirty checkout with a remote, a workspace of it with a change, and stand-ins of the forges' programs. */
async function delivered(remote = "origin.git", programs: readonly (keyof typeof SAYS)[] = ["gh", "glab"]) {
  const dir = await tempDir();
  const stateHome = useStateHome(`${dir.path}/state`);
  const shop = `${dir.path}/shop`;
  const env = { HOME: dir.path, XDG_STATE_HOME: `${dir.path}/state`, PATH: `${dir.path}/bin:/usr/bin:/bin` };
  const shell = async (script: string, cwd = shop) => {
    const { code, stdout, stderr } = await runProgram(["sh", "-c", script], { cwd, env, timeoutMs: 20_000 });
    assertEquals(code, 0, stderr);
    return stdout;
  };
  await dir.write({ "shop/a.txt": "one\ntwo\nthree\n", "shop/b.txt": "b\n", "bin/none": "" });
  for (const program of programs) {
    await dir.write({ [`bin/${program}`]: `#!/bin/sh\n${SAYS[program]}\n` });
    await Deno.chmod(`${dir.path}/bin/${program}`, 0o755);
  }
  await shell(
    `git init -q -b main && git config user.name "A Person" && git config user.email me@example.com && git add . &&
    git commit -qm first && git init -q --bare ../${remote} && git remote add origin ../${remote} &&
    echo mine >> b.txt && echo new > new.txt`,
  );
  const workspace = await openWorkspace(shop, {
    task: "Fix it",
    now: new Date(),
    signal: new AbortController().signal,
  });
  return {
    ...{ dir, shell, workspace },
    write: (name: string, text: string) => Deno.writeTextFile(`${workspace.tree}/${name}`, text),
    pr: (...args: readonly string[]) => callCli(["pr", ...args], { env, cwd: shop }),
    read: (name: string) => Deno.readTextFile(`${dir.path}/${name}`),
    async [Symbol.asyncDispose]() {
      stateHome[Symbol.dispose]();
      await dir[Symbol.asyncDispose]();
    },
  };
}

Deno.test("pr: one commit in the person's name on their HEAD is pushed, without what they have not committed", async () => {
  await using all = await delivered();
  await all.write("a.txt", "one\nTWO\nthree\n");
  const status = await all.shell("git status --porcelain");
  const { code, stderr, stdout } = await all.pr("--title", "Fix the rounding", "--base", "main", "--draft");
  assertEquals([code, stderr, stdout], [0, "", "https://example.com/pull/7\n"]);
  const pushed = await all.shell("git --git-dir=../origin.git log --format='%an %s' fix-it");
  assertEquals(pushed, "A Person Fix the rounding\nA Person first\n");
  assertEquals(await all.shell("git diff --name-only main fix-it"), "a.txt\n");
  assertEquals((await all.read("bin/gh.args")).split("\n").slice(0, 10), [
    ...["pr", "create", "--head", "fix-it", "--title", "Fix the rounding", "--body-file", "-", "--base", "main"],
  ]);
  assertStringIncludes(await all.read("bin/gh.body"), "Changed: 1 file, +1 −1\n\n- `a.txt` +1 −1");
  assertEquals(await all.shell("git status --porcelain"), status);
  // The same once more is the same branch.
  const again = await all.pr("--json", "--title", "Fix the rounding");
  assertEquals([again.code, JSON.parse(again.stdout).url], [0, "https://example.com/pull/7"]);
  assertEquals(await all.shell("git --git-dir=../origin.git log --format='%an %s' fix-it"), pushed);
});

Deno.test("pr: what another round has added is one more commit of the same branch, and no other request; a branch that was moved, or is checked out, is left alone", async () => {
  await using all = await delivered();
  await all.write("a.txt", "one\nTWO\nthree\n");
  assertEquals((await all.pr("--title", "Fix it")).code, 0);
  await all.write("a.txt", "one\nTWO\nTHREE\n");
  const again = await all.pr("--title", "Fix it whole");
  assertEquals([again.code, again.stdout], [0, "https://example.com/pull/7\n"], again.stderr);
  assertEquals((await all.read("bin/gh.args")).split("\n").slice(0, 3), ["pr", "view", "--json"]);
  const subjects = "git --git-dir=../origin.git log --format=%s fix-it";
  assertEquals(await all.shell(subjects), "Fix it whole\nFix it\nfirst\n");
  assertEquals(await all.shell("git diff --name-only main fix-it"), "a.txt\n");
  assertEquals(await all.shell("git show fix-it:a.txt"), "one\nTWO\nTHREE\n");

  await all.write("a.txt", "ONE\nTWO\nTHREE\n");
  await all.shell("git worktree add -q ../elsewhere fix-it");
  const out = await all.pr();
  assertEquals([out.code, /it is checked out/.test(out.stderr)], [2, true], out.stderr);
  await all.shell("git worktree remove ../elsewhere; git branch -f fix-it main");
  const moved = await all.pr();
  assertEquals([moved.code, /there is one/.test(moved.stderr)], [2, true], moved.stderr);
  assertEquals(await all.shell(subjects), "Fix it whole\nFix it\nfirst\n");
});

Deno.test("pr: a GitLab gets a merge request by glab", async () => {
  await using all = await delivered("gitlab.git");
  await all.write("a.txt", "one\nTWO\nthree\n");
  const { code, stderr, stdout } = await all.pr("--json", "--branch", "rounding", "--base", "main");
  assertEquals([code, stderr], [0, ""]);
  const { type: _, v: _v, ...told } = JSON.parse(stdout);
  assertEquals(told, { name: "fix-it", branch: "rounding", remote: "origin", url: "https://gitlab.example.com/mr/7" });
  assertStringIncludes(await all.read("bin/glab.args"), "mr\ncreate\n--source-branch\nrounding\n");
  assertStringIncludes(await all.read("bin/glab.args"), "--target-branch\nmain\n");
});

Deno.test("pr: what cannot be delivered is refused before anything is pushed, and says what to do", async () => {
  const refused = async (
    all: Awaited<ReturnType<typeof delivered>>,
    code: number,
    words: RegExp,
    ...args: string[]
  ) => {
    const said = await all.pr(...args);
    assertEquals(said.code, code, said.stderr);
    assertMatch(said.stderr, words);
    assertEquals(await all.shell("git for-each-ref refs/heads --format='%(refname:short)'"), "main\n");
  };
  await using all = await delivered();
  await refused(all, 2, /nothing was changed in it/);
  await all.write("b.txt", "b\nmine, changed\n");
  await refused(
    all,
    1,
    /it builds on what you have not committed in b\.txt\n.*panewright apply fix-it --branch fix-it/,
  );
  await all.write("b.txt", "b\nmine\n");
  await all.write("a.txt", "one\nTWO\nthree\n");
  await refused(all, 2, /no remote "nobody"/, "--remote", "nobody");
  await using without = await delivered("origin.git", []);
  await without.write("a.txt", "one\nTWO\nthree\n");
  await refused(without, 2, /no program "gh" on PATH[^]*gh auth login/);
});

Deno.test("pr: a remote that refuses is told in git's words; nothing is forced", async () => {
  await using all = await delivered();
  await all.write("a.txt", "one\nTWO\nthree\n");
  await all.shell(
    "git push -q origin $(git commit-tree -m other main^{tree}):refs/heads/fix-it",
  );
  const { code, stderr } = await all.pr();
  assertEquals(code, 1);
  assertMatch(stderr, /git push has failed/);
});
