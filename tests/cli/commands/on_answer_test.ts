import { assertEquals, assertMatch, assertStringIncludes } from "@std/assert";
import { until } from "../../support/until.ts";
import { type ExecProject, execProject } from "./exec_project.ts";

/** A run that was started with `--detach`, asks, and has no process any more. */
async function leftAsking(project: ExecProject, { stop = false, config = {} } = {}): Promise<string> {
  const path = `${project.path}/panewright.jsonc`;
  await Deno.writeTextFile(path, JSON.stringify({ ...JSON.parse(await Deno.readTextFile(path)), ...config }));
  const started = await project.run("exec", "task.md", "--pipeline", "single", "--detach", "--json");
  assertEquals(started.code, 0, started.stdout + started.stderr);
  const { run } = JSON.parse(started.stdout);
  const statusOf = async () => JSON.parse((await project.run("status", run, "--json")).stdout);
  await until(async () => (await journalOf(project, run)).includes('"type":"question_asked"'));
  if (stop) assertEquals((await project.run("stop", run)).code, 0);
  else Deno.kill(Number(/process (\d+)/.exec((await statusOf()).owner)?.[1]), "SIGKILL");
  await until(async () => (await statusOf()).executed === false);
  return run;
}

async function journalOf({ path }: ExecProject, run: string): Promise<string> {
  return await Deno.readTextFile(`${path}/.panewright/runs/${run}/journal.ndjson`).catch(() => "");
}

Deno.test("an answer to a detached run that was killed is kept, and resumes it: nobody has to", async () => {
  await using project = await execProject();
  const run = await leftAsking(project);
  assertStringIncludes((await project.run("questions")).stdout, "database");
  const answered = await project.run("answer", run, "PostgreSQL");
  assertEquals(answered.code, 0, answered.stderr);
  assertStringIncludes(answered.stdout, "The run continues by itself.");
  await until(async () => (await journalOf(project, run)).includes('"outcome":"pass","reason"'));
  const journal = await journalOf(project, run);
  assertMatch(journal, /"type":"run_resumed".*"startedBy":"command"/);
  assertMatch(journal, /"type":"question_answered".*"answer":"PostgreSQL"/);
  assertEquals(journal.match(/"type":"run_resumed"/g)?.length, 1);
});

Deno.test("an answer to a detached run that somebody has stopped is kept, and does not resume it", async () => {
  await using project = await execProject();
  const run = await leftAsking(project, { stop: true });
  const answered = await project.run("answer", run, "PostgreSQL");
  assertEquals([answered.code, answered.stdout.includes(`Resume with: panewright resume ${run}`)], [0, true]);
  assertEquals((await project.run("resume", run)).code, 0);
  assertMatch(await journalOf(project, run), /"type":"question_answered".*"answer":"PostgreSQL"/);
});

Deno.test("with on_answer keep, an answer waits for whoever resumes the run; with resume, a run with a terminal goes on, too", async () => {
  await using kept = await execProject();
  const run = await leftAsking(kept, { config: { on_answer: "keep" } });
  const answered = await kept.run("answer", run, "PostgreSQL");
  assertStringIncludes(answered.stdout, `Resume with: panewright resume ${run}`);
  assertEquals((await journalOf(kept, run)).includes('"type":"run_resumed"'), false);

  await using project = await execProject();
  const path = `${project.path}/panewright.jsonc`;
  const config = JSON.parse(await Deno.readTextFile(path));
  await Deno.writeTextFile(path, JSON.stringify({ ...config, on_answer: "resume" }));
  const waiting = await project.run("exec", "task.md", "--pipeline", "single", "--json");
  assertEquals(waiting.code, 3, waiting.stderr);
  const { runId } = JSON.parse(waiting.stdout.split("\n").find((line) => line.includes('"run_started"'))!);
  assertStringIncludes((await project.run("answer", runId, "PostgreSQL")).stdout, "The run continues by itself.");
  await until(async () => (await journalOf(project, runId)).includes('"outcome":"pass","reason"'));
});

Deno.test("a run that its answer cannot resume says why, and the answer is not lost", async () => {
  await using project = await execProject();
  const run = await leftAsking(project);
  await Deno.remove(`${project.sandbox.root}/bin/fake-codex`);
  const answered = await project.run("answer", run, "PostgreSQL");
  assertEquals(answered.code, 0, answered.stderr);
  assertMatch(answered.stdout, /The run could not be resumed: [\s\S]*fake-codex/);
  assertStringIncludes(answered.stdout, `Resume with: panewright resume ${run}`);
  const again = await project.run("answer", run, "SQLite");
  assertEquals([again.code, again.stderr.includes("was answered before")], [2, true], again.stderr);
  const listed = await project.run("questions", "--json");
  assertEquals(JSON.parse(listed.stdout).answered, true);
});
