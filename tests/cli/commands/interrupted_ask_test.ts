import { assert, assertEquals, assertStringIncludes } from "@std/assert";
import { recordAsk } from "../../../lib/agents/process/ask_channel.ts";
import { runProgram } from "../../support/program.ts";
import { type ExecProject, execProject } from "./exec_project.ts";

/** The types of the records of the newest run, and its folder. */
async function newestRun(
  { path }: ExecProject,
): Promise<{ readonly types: readonly string[]; readonly folder: string }> {
  const runs = `${path}/.panewright/runs`;
  const name = [...Deno.readDirSync(runs)].map((entry) => entry.name).sort().at(-1)!;
  const text = await Deno.readTextFile(`${runs}/${name}/journal.ndjson`);
  const types = text.split("\n").slice(0, -1).filter((line) => line !== "").map((line) => JSON.parse(line).type);
  return { types, folder: `${runs}/${name}` };
}

const exec = (project: ExecProject, fault: string) =>
  runProgram([...project.panewright.argv, "exec", "task.md", "--pipeline", "single"], {
    cwd: project.path,
    env: { ...project.env, PANEWRIGHT_FAULT: fault },
    timeoutMs: 600_000,
  });

Deno.test("bug: a question that was heard, and not yet recorded when panewright was killed, is asked, and the agent is not started again", async () => {
  await using project = await execProject();
  assertEquals((await exec(project, "")).code, 3);
  const { types } = await newestRun(project);
  const number = types.indexOf("question_asked") + 1;
  assert(number > 0);
  assertEquals((await exec(project, `before-record:${number}`)).code, 137);
  const starts = (await project.prompts()).length;
  const killed = await newestRun(project);
  assertEquals(killed.types.includes("question_asked"), false);
  const id = killed.folder.split("/").at(-1)!;
  const resumed = await project.run("resume", id);
  assertEquals(resumed.code, 3, resumed.stderr);
  assertStringIncludes(resumed.stdout + resumed.stderr, "Which database?");
  assertEquals((await project.prompts()).length, starts);
  assertEquals((await project.run("answer", id, "--question", "q1", "PostgreSQL")).code, 0);
  assertEquals((await project.run("resume", id)).code, 0);
  const after = (await newestRun(project)).types.filter((type) => type === "question_asked");
  assertEquals(after.length, 1);
});

Deno.test("a question that the agent recorded when its panewright was gone is asked", async () => {
  await using project = await execProject();
  await Deno.writeTextFile(`${project.path}/task.md`, "Build a login.\n");
  assertEquals((await exec(project, "")).code, 0);
  const number = (await newestRun(project)).types.indexOf("attempt_started") + 1;
  assertEquals((await exec(project, `after-record:${number}`)).code, 137);
  const { types, folder } = await newestRun(project);
  assertEquals(types.at(-1), "attempt_started");
  const ask = { question: "Late?", attempt: "x", askedAt: "2026-11-20T08:00:00.000Z" };
  await recordAsk(`${folder}/steps/01-only/attempt-1/ask`, ask);
  const resumed = await project.run("resume", folder.split("/").at(-1)!);
  assertEquals(resumed.code, 3, resumed.stderr);
  assertStringIncludes(resumed.stdout + resumed.stderr, "Late?");
});
