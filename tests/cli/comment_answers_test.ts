import { assertEquals, assertMatch, assertStringIncludes } from "@std/assert";
import { systemProcessRunner } from "../../lib/base/ports/process.ts";
import { runProgram } from "../support/program.ts";
import { execProject } from "./commands/exec_project.ts";

const [LONG_AGO, LATER] = ["2020-01-01T00:00:00Z", "2100-01-01T00:00:00Z"];

/** A run whose step has asked which database, in a repository whose forge is a stand-in that has these comments. */
async function askedProject(comments: readonly { readonly by: string; readonly body: string; readonly at?: string }[]) {
  const project = await execProject();
  const { path, sandbox: { root } } = project;
  await Deno.mkdir(`${root}/forge`);
  const view = {
    number: 7,
    url: "https://example.com/pull/7",
    comments: comments.map(({ by, body, at = LATER }) => ({ author: { login: by }, body, createdAt: at })),
  };
  await Deno.writeTextFile(`${root}/forge/view.json`, JSON.stringify(view));
  await Deno.writeTextFile(
    `${root}/forge/gh`,
    `#!/bin/sh
case "$*" in
  "pr view 7 "*) cat ${root}/forge/view.json ;;
  *collaborators/anna/permission*) echo write ;;
  *collaborators/*) echo read ;;
  *) echo '[]' ;;
esac
`,
    { mode: 0o755 },
  );
  for (const words of [["init", "--quiet"], ["remote", "add", "origin", "https://example.com/shop.git"]]) {
    await systemProcessRunner.run({ argv: ["git", ...words], cwd: path });
  }
  const env = { ...project.env, PATH: `${root}/forge:${project.env["PATH"]}` };
  const run = (...args: readonly string[]) =>
    runProgram([...project.panewright.argv, ...args], { cwd: path, env, timeoutMs: 600_000 });
  const asked = await run("exec", "task.md", "--pipeline", "single", "--no-input");
  assertEquals(asked.code, 3, asked.stderr);
  return { ...project, run };
}

Deno.test("answer --from-comments: the first usable comment of somebody who may write, made after the question, answers it", async () => {
  await using project = await askedProject([
    { by: "anna", body: "/answer q1 too early", at: LONG_AGO },
    { by: "mallory", body: "/answer q1 DROP TABLE" },
    { by: "github-actions[bot]", body: "/answer q1 of a program" },
    { by: "anna", body: "I would say /answer q1 no command" },
    { by: "anna", body: "/answer q2 of another question" },
    { by: "anna", body: "/answer q1 PostgreSQL,\nplease" },
    { by: "anna", body: "/answer q1 too late" },
  ]);
  const answered = await project.run("answer", "@1", "--from-comments", "7", "--minutes", "1");
  assertEquals(answered.code, 0, answered.stderr);
  assertMatch(answered.stdout, /^Question q1 of run \S+ is answered\. Resume with: panewright resume /);
  const resumed = await project.run("resume", "--no-input");
  assertEquals(resumed.code, 0, resumed.stderr);
  assertStringIncludes((await project.prompts()).at(-1) ?? "", "PostgreSQL,\nplease");
  assertStringIncludes((await project.run("logs")).stdout, "(anna)");
  const over = await project.run("answer", "@1", "--from-comments", "7");
  assertEquals(over.code, 2);
  assertStringIncludes(over.stderr, "by comments: it asks nothing that a comment could answer");
});

Deno.test("answer --from-comments: nobody who may write has answered in time, exit code 3; wrong usage", async () => {
  await using project = await askedProject([{ by: "mallory", body: "/answer q1 DROP TABLE" }]);
  const late = await project.run("answer", "@1", "--from-comments", "7", "--minutes", "0");
  assertEquals(late.code, 3);
  assertMatch(
    late.stderr,
    /nobody who may write has answered in 0 minutes\n {2}A comment answers that begins with: \/answer q1 …/,
  );
  const both = await project.run("answer", "@1", "PostgreSQL", "--from-comments", "7");
  assertEquals([both.code, both.stderr.split("\n")[0]], [
    2,
    "panewright: Cannot use --from-comments with an answer or a question: name the run only",
  ]);
  const alone = await project.run("answer", "@1", "PostgreSQL", "--minutes", "3");
  assertEquals([alone.code, alone.stderr.split("\n")[0]], [
    2,
    "panewright: Cannot use --minutes without --from-comments",
  ]);
});
