import { assertEquals, assertRejects } from "@std/assert";
import { findRepository, type GitQuestion, UntoldError } from "../../../lib/jobs/files/list.ts";
import { type CommandSpec, systemProcessRunner } from "../../../lib/base/ports/process.ts";
import { type TempDir, tempDir } from "../../support/temp_dir.ts";

async function repository(): Promise<TempDir> {
  const dir = await tempDir();
  await dir.write({ "sub/a.txt": "1" });
  await git(dir, "init", "--quiet");
  return dir;
}

async function git({ path }: TempDir, ...args: readonly string[]): Promise<void> {
  const { code, stderr } = await systemProcessRunner.run({ argv: ["git", ...args], cwd: path });
  assertEquals(code, 0, stderr);
}

const rootOf = async (question: GitQuestion) => (await findRepository(question))?.root;

Deno.test("a working tree that does not have the folder in it is not taken for that of the folder", async () => {
  await using dir = await repository();
  await using other = await tempDir();
  assertEquals(await rootOf({ folder: `${dir.path}/sub` }), dir.path);
  for (const place of [other.path, `${dir.path}/sub`]) {
    await git(dir, "config", "core.worktree", place);
    await assertRejects(() => rootOf({ folder: dir.path }), UntoldError, `git takes ${place} for the working tree`);
  }
});

Deno.test("a repository above that a file leads to and that is gone is not passed over", async () => {
  await using dir = await tempDir();
  await dir.write({ ".git": "gitdir: /nowhere/at/all\n", "sub/a.txt": "1" });
  await assertRejects(() => rootOf({ folder: `${dir.path}/sub` }), UntoldError, "git cannot read the repository");
  assertEquals(await rootOf({ folder: dir.path }), undefined);
});

Deno.test("an empty .git above, as sandboxes leave it behind, is no repository, and hides none", async () => {
  await using dir = await tempDir();
  await dir.write({ "sub/.git": "gitdir: /nowhere/at/all\n" });
  await Deno.mkdir(`${dir.path}/.git`);
  assertEquals(await rootOf({ folder: `${dir.path}/sub` }), undefined);
  await dir.write({ ".git/HEAD": "", "sub/deep/a.txt": "1" });
  await assertRejects(() => rootOf({ folder: `${dir.path}/sub/deep` }), UntoldError, `in ${dir.path}/sub: `);
});

Deno.test("git gets none of our variables but those that are handed on", async () => {
  await using dir = await repository();
  const specs: CommandSpec[] = [];
  const processRunner = {
    run(spec: CommandSpec) {
      specs.push(spec);
      return systemProcessRunner.run(spec);
    },
  };
  await rootOf({ folder: `${dir.path}/sub`, processRunner });
  assertEquals(specs.map(({ clearEnv, env = {} }) => [clearEnv, "PATH" in env]), [[true, true], [true, true]]);
});
