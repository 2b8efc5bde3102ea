import { assertEquals, assertStringIncludes } from "@std/assert";
import { runProgram } from "../support/program.ts";
import { until } from "../support/until.ts";
import { createReviewModel } from "./review_model.ts";
import { answerOf, reviewProject } from "./review_project.ts";

Deno.test("an agent in a pane that runs git clean -x ends no loop, also when it is killed right after: responses and audit log are there again", async () => {
  const model = createReviewModel((name, turn) => {
    const answer = answerOf(name, turn);
    const cleans = name === "programmer_summary" && turn <= 2;
    return { ...answer, commands: [...answer.commands ?? [], ...(cleans ? ["git clean -fdxq -e greeting.txt"] : [])] };
  });
  await using project = await reviewProject({
    respond: model.respond,
    files: { ".gitignore": "/.panewright/\n/.tmp/\n" },
    config: { sandbox: "off" },
  });
  const { env, sandbox: { project: cwd } } = project;
  const git = "git init -q -b main && git add -A && git -c user.name=A -c user.email=a@example.com commit -qm first";
  assertEquals((await runProgram(["sh", "-c", git], { cwd, env, timeoutMs: 20_000 })).code, 0);
  {
    await using run = project.start("run");
    const seen = () => run.output.stderr;
    await until(
      () => /programmer: response .*kept as 007-/.test(seen()),
      (isSeen) => isSeen,
      () => run.output.stdout + seen(),
    );
    assertStringIncludes(
      seen(),
      "was removed (by git clean -x, or rm, say), or something else put in its place: it was made again",
    );
    run.kill("SIGKILL");
    await run.ended;
  }
  const resumed = await project.run("resume");
  assertEquals(resumed.code, 0, resumed.stderr);
  const runs = `${cwd}/.panewright/runs`;
  const [run = ""] = [...Deno.readDirSync(runs)].map(({ name }) => name);
  const responses = [...Deno.readDirSync(`${runs}/${run}/responses`)].map(({ name }) => name.slice(0, 3)).sort();
  assertEquals(responses, responses.map((_, at) => String(at + 1).padStart(3, "0")));
  assertEquals(responses.length >= 14, true, responses.join(" "));
  const verified = await project.run("audit", "verify", run);
  assertEquals(verified.code, 0, verified.stderr);
  assertEquals(/still wait|cannot tell/.test(resumed.stderr), false, resumed.stderr);
});
