import { assertEquals, assertRejects, assertStringIncludes } from "@std/assert";
import { systemProcessRunner } from "../../lib/base/ports/process.ts";
import type { PostProcessingPlan } from "../../lib/jobs/review_loop/plan.ts";
import { gitActs } from "../../lib/jobs/files/git_acts.ts";
import { postProcess, type PostProcessOptions } from "../../lib/jobs/review_loop/post_process.ts";

/** Runs the post-processing; what went wrong, a line a command, and the commands that ended. */
async function run(
  plan: PostProcessingPlan,
  options: Pick<PostProcessOptions, "workdir"> & Partial<PostProcessOptions>,
): Promise<{ readonly problems: readonly string[]; readonly ended: readonly string[] }> {
  const problems: string[] = [];
  const ended: string[] = [];
  await postProcess(plan, {
    acts: await gitActs({ folder: options.workdir }).catch(() => undefined),
    done: [],
    onEnd(command, problem) {
      ended.push(command);
      if (problem !== undefined) problems.push(problem);
    },
    ...options,
  });
  return { problems, ended };
}

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
    assertEquals((await run({ gitCommitMessage: "Add a; $(rm -rf x)" }, { workdir: dir })).problems, []);
    const { stdout } = await systemProcessRunner.run({ argv: ["git", "log", "--format=%s", "--name-only"], cwd: dir });
    assertEquals(stdout, "Add a; $(rm -rf x)\n\na.txt\n");
  }));

Deno.test("a command that fails is told with its output, and those after it do not run", () =>
  inRepository(async (dir) => {
    const { problems, ended } = await run({ gitCommitMessage: "Nothing" }, { workdir: dir });
    assertEquals([problems.length, ended], [1, ["git add --all", "git commit --message Nothing"]]);
    assertStringIncludes(problems[0]!, '"git commit --message Nothing" ended with code 1');
    assertStringIncludes(problems[0]!, "nothing to commit");
  }));

Deno.test("a command that has ended before is not run again", () =>
  inRepository(async (dir) => {
    const done = ["git add --all", "git commit --message Again"];
    assertEquals(await run({ gitCommitMessage: "Again" }, { workdir: dir, done }), { problems: [], ended: [] });
  }));

Deno.test("a program that is missing is told", async () => {
  const runner = { run: () => Promise.reject(new Deno.errors.NotFound("no openspec")) };
  const { problems } = await run({ openspecChange: "x" }, { workdir: "/", processRunner: runner });
  assertEquals(problems, ['Cannot finish the post-processing: "openspec archive x --yes": no openspec']);
});

Deno.test("hooks of the person run at the commit; one that has come since, or is gone, keeps it from being made", () =>
  inRepository(async (dir) => {
    const hooks = `${dir}/.husky/_`;
    await systemProcessRunner.run({ argv: ["git", "config", "core.hooksPath", ".husky/_"], cwd: dir });
    await Deno.mkdir(hooks, { recursive: true });
    await Deno.mkdir(`${dir}/scripts`);
    await Deno.writeTextFile(`${hooks}/pre-commit`, "#!/bin/sh\n. .husky/pre-commit\nscripts/lint.sh\n", {
      mode: 0o755,
    });
    await Deno.writeTextFile(`${dir}/.husky/pre-commit`, "echo ran >> HOOKED\n");
    await Deno.writeTextFile(`${dir}/scripts/lint.sh`, "#!/bin/sh\n", { mode: 0o755 });
    await Deno.writeTextFile(`${dir}/a.txt`, "a");
    const plan = { gitCommitMessage: "Done" };
    const acts = await gitActs({ folder: dir });
    assertEquals((await run(plan, { workdir: dir, acts })).problems, []);
    assertEquals(await Deno.readTextFile(`${dir}/HOOKED`), "ran\n");
    await systemProcessRunner.run({ argv: ["git", "checkout", "-q", "-b", "other"], cwd: dir });
    for (const name of [".husky/pre-commit", "scripts/lint.sh"]) {
      const text = await Deno.readTextFile(`${dir}/${name}`);
      await Deno.writeTextFile(`${dir}/${name}`, `${text}touch EVIL\n`);
      const { problems } = await run(plan, { workdir: dir, acts });
      assertEquals(problems, [
        `Cannot finish the post-processing: "git add --all" was not run: what git would run has changed since the run began: ${name}`,
      ]);
      await Deno.writeTextFile(`${dir}/${name}`, text);
    }
    await Deno.remove(`${hooks}/pre-commit`);
    assertStringIncludes((await run(plan, { workdir: dir, acts })).problems[0]!, "began: .husky/_/pre-commit");
    assertStringIncludes((await run(plan, { workdir: dir, acts: undefined })).problems[0]!, "it was not noted");
    await assertRejects(() => Deno.lstat(`${dir}/EVIL`), Deno.errors.NotFound);
  }));
