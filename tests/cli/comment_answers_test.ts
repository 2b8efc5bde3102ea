import { assertEquals, assertMatch, assertStringIncludes } from "@std/assert";
import { exists } from "@std/fs";
import { systemClock } from "../../lib/base/ports/clock.ts";
import { waitForComment } from "../../lib/cli/requests/comment_answers.ts";
import { listRunIds } from "../../lib/run/find_run.ts";
import { runFolderAt } from "../../lib/run/run_folder.ts";
import { fakeIo } from "../support/fake_io.ts";
import { systemProcessRunner } from "../../lib/base/ports/process.ts";
import { runProgram } from "../support/program.ts";
import { execProject } from "./commands/exec_project.ts";

const [LONG_AGO, LATER] = ["2020-01-01T00:00:00Z", "2100-01-01T00:00:00Z"];

/** A run whose step has asked which database, in a repository whose forge is a stand-in that has these comments. */
async function askedProject(
  comments: readonly { readonly by: string; readonly body: string; readonly at?: string }[],
  origin = "https://example.com/shop.git",
) {
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
  const notes = comments.map(({ by, body, at = LATER }) => (
    { author: { id: by === "anna" ? 1 : 2, username: by }, body, created_at: at, system: false }
  ));
  await Deno.writeTextFile(`${root}/forge/notes.json`, JSON.stringify(notes));
  await Deno.writeTextFile(
    `${root}/forge/glab`,
    `#!/bin/sh
case "$*" in
  *"source_branch=fix-it"*) echo '[{"iid":7,"web_url":"https://gitlab.example.com/mr/7"}]' ;;
  *merge_requests/7/notes*) cat ${root}/forge/notes.json ;;
  *members/all/1) echo '{"access_level":30}' ;;
  *members/all/*) echo '{"access_level":20}' ;;
  *pipelines/3/jobs*) echo '[{"id":9,"name":"t","status":"failed","allow_failure":false}]' ;;
  *pipelines*) echo '[{"id":3,"status":"failed"}]' ;;
  *) echo "$*" >>${root}/forge/more ;;
esac
`,
    { mode: 0o755 },
  );
  for (const words of [["init", "--quiet"], ["remote", "add", "origin", origin]]) {
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
  const answered = await project.run("answer", "--from-comments", "7", "--minutes", "1");
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

Deno.test("answer --from-comments, on GitLab: by the branch of a merge request; it is looked again, and no log is read", async () => {
  await using project = await askedProject([
    { by: "mallory", body: "/answer q1 DROP TABLE" },
    { by: "anna", body: "/answer q1 PostgreSQL" },
  ], "https://gitlab.example.com/shop.git");
  const { root } = project.sandbox;
  // The first look finds a forge that does not answer.
  const program = `${root}/forge/glab`;
  await Deno.rename(program, `${root}/forge/glab-later`);
  await Deno.writeTextFile(program, `#!/bin/sh\nmv ${program}-later ${program}; exit 1\n`, { mode: 0o755 });
  let nowMs = 0;
  const clock = {
    ...systemClock,
    now: () => nowMs,
    sleep: (ms: number) => {
      nowMs += ms;
      return Promise.resolve();
    },
  };
  const [id = ""] = await listRunIds(project.path);
  const io = fakeIo({ cwd: project.path, env: { ...project.env, PATH: `${root}/forge:${project.env["PATH"]}` } });
  const folder = runFolderAt(project.path, id);
  const { answer, question, who } = await waitForComment(folder, { request: "fix-it", minutes: 1, io, clock });
  assertEquals([question.id, answer, who, nowMs], ["q1", "PostgreSQL", "anna", 30_000]);
  assertStringIncludes(io.written.stderr, `warning: Cannot answer run ${id} by comments: glab api has failed`);
  assertEquals(await exists(`${root}/forge/more`), false);
});
