import { assertEquals, assertStringIncludes } from "@std/assert";
import { runProgram } from "../../support/program.ts";
import { execProject } from "./exec_project.ts";

const LINK = "rm -rf .panewright; mkdir -p $FAKE_FOLDER/else; ln -s $FAKE_FOLDER/else .panewright";

for (const cleaning of ["git clean -fdxq", "rm -rf .panewright", LINK]) {
  Deno.test(`an agent that removes what panewright keeps in the folder (${cleaning}) ends no run: its ask and the answer are there`, async () => {
    await using project = await execProject();
    const { env, path, sandbox } = project;
    const fake = `${sandbox.root}/bin/fake-codex`;
    const script = await Deno.readTextFile(fake);
    await Deno.writeTextFile(fake, script.replace("word=$(", `${cleaning}; ls -a > seen-$number; word=$(`));
    // Otherwise it would clean away what the step before it has made.
    const git =
      "printf 'done-*\\n.panewright/\\n' > .gitignore; git init -q -b main && git add -A && git -c user.name=A -c user.email=a@example.com commit -qm first";
    assertEquals((await runProgram(["sh", "-c", git], { cwd: path, env, timeoutMs: 20_000 })).code, 0);

    const asked = await project.run("exec", "task.md", "--no-input");
    assertEquals(asked.code, 3, asked.stderr);
    assertStringIncludes(
      asked.stderr,
      "was removed (by git clean -x, or rm, say), or something else put in its place: it was made again",
    );
    const seen = await Deno.readTextFile(`${path}/seen-2`);
    assertEquals(/^seen-1$/m.test(seen), cleaning.startsWith("rm"));
    assertEquals((await project.run("answer", "--question", "q1", "Postgres")).code, 0);
    const resumed = await project.run("resume");
    assertEquals(resumed.code, 0, resumed.stderr);
    assertEquals((await project.prompts()).map((prompt) => prompt.includes("Postgres")), [false, false, true, true]);
    assertEquals((await project.run("status")).stdout.split("\n", 1)[0]?.endsWith("passed"), true);
    assertEquals((await project.run("audit", "verify")).code, 0);
    // What a step has changed is not known then, and said so; git still sees nothing of ours.
    assertStringIncludes((await project.run("logs")).stdout, 'step "first": cannot tell what it changed');
    const { stdout } = await runProgram(["git", "status", "--short"], { cwd: path, env, timeoutMs: 20_000 });
    assertEquals(stdout.includes("panewright"), false, stdout);
    const { isDirectory } = await Deno.lstat(`${path}/.panewright`);
    const led = cleaning === LINK ? [...Deno.readDirSync(`${env["FAKE_FOLDER"]}/else`)] : [];
    assertEquals([isDirectory, led], [true, []]);
  });
}
