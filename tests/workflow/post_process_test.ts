import { assertEquals, assertStringIncludes } from "@std/assert";
import { systemProcessRunner } from "../../lib/ports/process.ts";
import { postProcess } from "../../lib/workflow/review_loop/post_process.ts";

async function inRepository(test: (dir: string) => Promise<void>): Promise<void> {
  const dir = await Deno.makeTempDir();
  const git = (...args: string[]) => systemProcessRunner.run({ argv: ["git", ...args], cwd: dir });
  try {
    await git("init", "--quiet");
    await git("config", "user.name", "Test");
    await git("config", "user.email", "test@example.invalid");
    await git("config", "core.hooksPath", "/dev/null");
    await test(dir);
  } finally {
    await Deno.remove(dir, { recursive: true });
  }
}

Deno.test("after a pass everything is committed with the message as one argument", () =>
  inRepository(async (dir) => {
    await Deno.writeTextFile(`${dir}/a.txt`, "a");
    assertEquals(await postProcess({ gitCommitMessage: "Add a; $(rm -rf x)" }, { workdir: dir }), []);
    const { stdout } = await systemProcessRunner.run({ argv: ["git", "log", "--format=%s", "--name-only"], cwd: dir });
    assertEquals(stdout, "Add a; $(rm -rf x)\n\na.txt\n");
  }));

Deno.test("a command that fails is told with its output, and those after it do not run", () =>
  inRepository(async (dir) => {
    const [failure, ...more] = await postProcess({ gitCommitMessage: "Nothing" }, { workdir: dir });
    assertStringIncludes(failure ?? "", '"git commit --message Nothing" ended with code 1');
    assertStringIncludes(failure ?? "", "nothing to commit");
    assertEquals(more, []);
  }));

Deno.test("a program that is missing is told", async () => {
  const runner = { run: () => Promise.reject(new Deno.errors.NotFound("no openspec")) };
  const failures = await postProcess({ openspecChange: "x" }, { workdir: "/", processRunner: runner });
  assertEquals(failures, ['Cannot finish the post-processing: "openspec archive x --yes": no openspec']);
});
