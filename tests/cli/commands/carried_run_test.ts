import { PANE_MARK_VARIABLE } from "../../../lib/base/ports/marks.ts";
import { assertEquals, assertMatch, assertNotMatch, assertStringIncludes } from "@std/assert";
import type { ReviewFact } from "../../../lib/journal/loop/facts.ts";
import { runFolderAt } from "../../../lib/run/run_folder.ts";
import { claimRunMail } from "../../../lib/run/run_mail.ts";
import { unpackJournal } from "../../support/journal_fixtures.ts";
import { panewrightFromSource } from "../../support/panewright.ts";
import { type ProgramResult, runProgram, startProgram } from "../../support/program.ts";
import { agentReady, reviewStarted, RUN_ID, writeRun } from "../../support/run_folders.ts";
import { tempDir } from "../../support/temp_dir.ts";
import { callCli } from "../../support/call_cli.ts";
import { until } from "../../support/until.ts";
import { type ExecProject, execProject } from "./exec_project.ts";

/** Runs panewright in a folder that the project was carried to. */
function callerIn(cwd: string, { panewright, env }: Pick<ExecProject, "panewright" | "env">) {
  return (...args: readonly string[]): Promise<ProgramResult> =>
    runProgram([...panewright.argv, ...args], { cwd, env, timeoutMs: 600_000 });
}

/** Calls a program that must succeed. */
async function shell(...argv: readonly [string, ...string[]]): Promise<void> {
  const result = await runProgram(argv, { cwd: "/", env: { PATH: Deno.env.get("PATH") ?? "" }, timeoutMs: 60_000 });
  assertEquals(result.code, 0, result.stderr);
}

/** The only run of a project, and its journal. */
async function onlyRun(project: string): Promise<{ readonly id: string; readonly path: string; journal: string }> {
  const [run, ...others] = await Array.fromAsync(Deno.readDir(`${project}/.panewright/runs`));
  assertEquals(others, []);
  const path = `${project}/.panewright/runs/${run?.name}`;
  return { id: run?.name ?? "", path, journal: await Deno.readTextFile(`${path}/journal.ndjson`) };
}

/** The names of the files that the agents of the script have made. */
function made(project: string): string[] {
  return [...Deno.readDirSync(project)].map(({ name }) => name).filter((name) => name.startsWith("done-")).sort();
}

/** Kills panewright while the agent of its run works; the agent stays. */
async function killAtWork(project: ExecProject): Promise<void> {
  await project.holdAgent();
  await using running = project.start("exec", "task.md", "--json", "--pipeline", "single");
  await until(() => running.output, ({ stdout }) => stdout.includes("Looking around."));
  running.kill("SIGKILL");
  await running.ended;
}

Deno.test("a journal has no path but where the run's folder was: the others are relative to it", async () => {
  await using project = await execProject();
  assertEquals((await project.run("exec", "task.md")).code, 3);
  const { id, journal } = await onlyRun(project.path);
  const records = journal.trimEnd().split("\n").map((line) => JSON.parse(line));
  const started = records.find(({ type }) => type === "run_started");
  const { folder, workdir, target, configFile } = started;
  assertEquals({ folder, workdir, target, configFile }, {
    folder: `${project.path}/.panewright/runs/${id}`,
    workdir: "../../..",
    target: { kind: "task", path: "../../../task.md" },
    configFile: "../../../panewright.jsonc",
  });
  const rest = records.map(({ folder: _, ...others }) => JSON.stringify(others)).join("\n");
  assertNotMatch(rest, new RegExp(project.path));
  // Whoever reads the run is told where everything is.
  const [head] = (await project.call("logs", "--json")).stdout.split("\n").filter((line) =>
    line.includes("run_started")
  );
  assertEquals(JSON.parse(head ?? "").workdir, project.path);
});

Deno.test("cp -a project copy: resume works in the copy, leaves the original alone, and that one can be resumed as well", async () => {
  await using project = await execProject({ exec: { resume: "native" } });
  assertEquals((await project.run("exec", "task.md")).code, 3);
  const before = await onlyRun(project.path);
  const copy = `${project.sandbox.root}/copy`;
  await shell("cp", "-a", project.path, copy);
  const call = callerIn(copy, project);

  assertEquals((await call("answer", before.id, "PostgreSQL")).code, 0);
  const resumed = await call("resume");
  assertEquals(resumed.code, 0, resumed.stderr);
  assertStringIncludes(resumed.stderr, `it was carried here from ${project.path}: agents begin new sessions`);
  assertEquals([made(project.path), made(copy)], [["done-1"], ["done-1", "done-3", "done-4"]]);
  assertEquals((await onlyRun(project.path)).journal, before.journal);
  const prompt = (await project.prompts())[2] ?? "";
  assertStringIncludes(prompt, `Working directory: ${copy}\nThe project was in ${project.path} before.`);
  assertStringIncludes(prompt, "PostgreSQL");
  // Its session knows the original's paths.
  assertEquals((await project.args()).some((args) => args.includes(" resume ")), false);

  assertEquals((await project.run("answer", before.id, "MySQL")).code, 0);
  const original = await project.run("resume");
  assertEquals(original.code, 0, original.stderr);
  assertEquals(made(project.path), ["done-1", "done-5", "done-6"]);
  assertStringIncludes((await project.args())[4] ?? "", " resume ");
  await project.sandbox.assertNothingLeft();
});

Deno.test("a project that was moved while its killed run's agent worked: resume ends that agent and begins anew", async () => {
  await using project = await execProject();
  await killAtWork(project);
  const moved = `${project.sandbox.root}/elsewhere/checkout`;
  await Deno.mkdir(`${project.sandbox.root}/elsewhere`);
  await Deno.rename(project.path, moved);
  await Deno.writeTextFile(`${moved}/go`, "");
  const resumed = await callerIn(moved, project)("resume", "--json");
  assertEquals(resumed.code, 0, resumed.stderr);
  const fact = resumed.stdout.split("\n").find((line) => line.includes('"run_resumed"'));
  assertEquals(JSON.parse(fact ?? "{}").carriedFrom, project.path);
  assertEquals(made(moved), ["done-2"]);
  await project.sandbox.assertNothingLeft();
  // A second time it is at home here.
  const records = (await onlyRun(moved)).journal;
  assertEquals(records.match(/"carriedFrom"/g)?.length, 1);
});

for (const link of [false, true]) {
  const where = link ? "moved, with a link in its old place" : "moved";
  Deno.test(`the agents of a killed run are found where its project was ${where}: runs and stop`, async () => {
    await using project = await execProject();
    await killAtWork(project);
    const moved = `${project.sandbox.root}/moved`;
    await Deno.rename(project.path, moved);
    if (link) await Deno.symlink(moved, project.path);
    const call = callerIn(moved, project);
    assertStringIncludes((await call("runs")).stdout, "agents are alive");
    const stopped = await call("stop", (await onlyRun(moved)).id);
    assertStringIncludes(stopped.stdout, "The agents of run");
    await project.sandbox.assertNothingLeft();
  });
}

Deno.test("CI: ask, exit 3, archive; a day later another machine unpacks, answers and resumes", async () => {
  await using project = await execProject();
  const { root } = project.sandbox;
  const asked = await project.run("exec", "task.md", "--no-input");
  assertEquals(asked.code, 3);
  await shell("tar", "-C", project.path, "-czf", `${root}/panewright-run.tgz`, ".");
  await Deno.remove(project.path, { recursive: true });

  // Nothing of the first machine is there but the archive.
  const machine = { home: `${root}/runner/home`, checkout: `${root}/runner/code/shop` };
  for (const folder of [...Object.values(machine), `${root}/runner/codex`]) {
    await Deno.mkdir(folder, { recursive: true });
  }
  await shell("tar", "-C", machine.checkout, "-xzf", `${root}/panewright-run.tgz`);
  const env = { ...project.env, HOME: machine.home, CODEX_HOME: `${root}/runner/codex` };
  const call = callerIn(machine.checkout, { ...project, env });
  const questions = await call("questions");
  assertStringIncludes(questions.stdout, "Which database?");
  const { id } = await onlyRun(machine.checkout);
  assertEquals((await call("answer", id, "--question", "q1", "PostgreSQL")).code, 0);
  const resumed = await call("resume", id);
  assertEquals(resumed.code, 0, resumed.stderr);
  // What was here before nobody knows on this machine.
  assertMatch(
    resumed.stdout,
    /^✓ PASS with remarks +task-md [^]*nothing was run once more: [^]*Cost +300 tokens in/,
  );
  const prompt = (await project.prompts())[2] ?? "";
  for (const text of ["Build a login.", "Which database?", "PostgreSQL", "Looking around."]) {
    assertStringIncludes(prompt, text);
  }
  assertEquals(await Deno.stat(project.path).then(() => "there", () => "gone"), "gone");
  await project.sandbox.assertNothingLeft();
});

Deno.test("tasks of a folder that have passed stay passed in another place", async () => {
  await using project = await execProject();
  await Deno.mkdir(`${project.path}/tasks`);
  await Deno.writeTextFile(`${project.path}/tasks/1.md`, "---\npipeline: single\n---\nTidy up.\n");
  await Deno.writeTextFile(`${project.path}/tasks/2.md`, "---\npipeline: single\n---\nBuild a login.\nASK database\n");
  assertEquals((await project.run("exec", "tasks")).code, 3);
  const moved = `${project.sandbox.root}/moved`;
  await Deno.rename(project.path, moved);
  const call = callerIn(moved, project);
  assertEquals((await call("answer", (await onlyRun(moved)).id, "PostgreSQL")).code, 0);
  const resumed = await call("resume");
  assertEquals(resumed.code, 0, resumed.stderr);
  assertStringIncludes(resumed.stdout, "Result    all 2 tasks passed");
  assertEquals((await project.prompts()).length, 3);
});

Deno.test("a config file that is not there is named; --config names another one, from then on", async () => {
  await using project = await execProject();
  assertEquals((await project.run("exec", "task.md")).code, 3);
  const { id } = await onlyRun(project.path);
  await Deno.rename(`${project.path}/panewright.jsonc`, `${project.path}/ci.jsonc`);
  const refused = await project.call("resume");
  assertEquals(refused.code, 2);
  assertStringIncludes(refused.stderr, `there is no config file ${project.path}/panewright.jsonc`);
  assertStringIncludes(refused.stderr, "--config FILE");
  const waiting = await project.run("resume", "--config", "ci.jsonc");
  assertEquals(waiting.code, 3, waiting.stderr);
  assertEquals((await project.run("answer", id, "PostgreSQL")).code, 0);
  const resumed = await project.run("resume");
  assertEquals(resumed.code, 0, resumed.stderr);
});

Deno.test("a config beside the project is found, and must be trusted, where a link leads to the project as well", async () => {
  await using project = await execProject();
  await Deno.rename(`${project.path}/panewright.jsonc`, `${project.sandbox.root}/ci.jsonc`);
  const config = JSON.parse(await Deno.readTextFile(`${project.sandbox.root}/ci.jsonc`));
  await Deno.writeTextFile(`${project.sandbox.root}/ci.jsonc`, JSON.stringify({ ...config, wd: project.path }));
  for (const name of ["first.md", "last.md"]) {
    await Deno.copyFile(`${project.path}/${name}`, `${project.sandbox.root}/${name}`);
  }
  const asked = await project.run("exec", "task.md", "--config", "../ci.jsonc");
  assertEquals(asked.code, 3, asked.stderr);
  const links = `${project.sandbox.root}/some/where`;
  await Deno.mkdir(links, { recursive: true });
  await Deno.symlink(project.path, `${links}/link`);
  const { PANEWRIGHT_TRUST: _, ...env } = project.env;
  const { id } = await onlyRun(project.path);
  // It was used without being trusted: only as it was then.
  await Deno.writeTextFile(`${project.sandbox.root}/last.md`, "Something else.");
  const refused = await callerIn(`${links}/link`, { ...project, env })(
    "answer",
    id,
    "PostgreSQL",
    "--wd",
    `${links}/link`,
  );
  assertEquals(refused.code, 3, refused.stdout + refused.stderr);
  assertStringIncludes(refused.stderr, `Cannot use ${project.sandbox.root}/ci.jsonc: you have not trusted it`);
});

Deno.test("a run of another working directory than --wd names is refused with both paths", async () => {
  await using dir = await tempDir();
  const path = await Deno.realPath(dir.path);
  await Deno.mkdir(`${path}/shop`);
  await Deno.mkdir(`${path}/other`);
  const { path: folder } = await writeRun({ workdir: `${path}/shop`, id: RUN_ID, events: [started(`${path}/shop`)] });
  const { code, stderr } = await callCli(["resume", folder, "--wd", "other"], { cwd: path });
  assertEquals(code, 2);
  assertStringIncludes(stderr, `its folder ${folder} is not below its working directory ${path}/other`);
});

Deno.test("a journal of version 1 in another place: refused with both paths, unless --wd names the place", async () => {
  await using journal = await unpackJournal("waiting_at_a_question");
  const { sandbox, runId } = journal;
  const panewright = await panewrightFromSource();
  await Deno.mkdir(`${sandbox.root}/fake`);
  const fake = { CODEX_HOME: `${sandbox.root}/codex`, FAKE_FOLDER: `${sandbox.root}/fake` };
  const moved = `${sandbox.root}/moved`;
  await Deno.rename(sandbox.project, moved);
  const call = callerIn(moved, { panewright, env: { ...sandbox.env, ...panewright.env, ...fake } });
  assertEquals((await call("answer", runId, "PostgreSQL")).code, 0);
  const refused = await call("resume");
  assertEquals(refused.code, 2);
  assertStringIncludes(
    refused.stderr,
    `its folder ${moved}/.panewright/runs/${runId} is not below its working directory ${sandbox.project}`,
  );
  assertStringIncludes(refused.stderr, `panewright resume ${runId} --wd ${moved}`);
  const resumed = await call("resume", runId, "--wd", moved);
  assertEquals(resumed.code, 0, resumed.stderr);
  assertMatch(resumed.stdout, /^✓ PASS with remarks +tasks [^]*Result +all 2 tasks passed/m);
  assertEquals(await Deno.stat(sandbox.project).then(() => "there", () => "gone"), "gone");
});

Deno.test("a review loop is not resumed in a copy while the original is there, and stop there leaves its agents alone", async () => {
  await using dir = await tempDir();
  const path = await Deno.realPath(dir.path);
  await Deno.mkdir(`${path}/shop`);
  await Deno.writeTextFile(`${path}/shop/panewright.jsonc`, "{}");
  const socket = `panewright-test-${crypto.randomUUID().slice(0, 8)}`;
  const events = [started(`${path}/shop`), ...agentReady({ socket })];
  await writeRun({ workdir: `${path}/shop`, id: RUN_ID, events });
  await shell("cp", "-a", `${path}/shop`, `${path}/copy`);
  const refused = await callCli(["resume", "--trust"], { cwd: `${path}/copy` });
  assertEquals(refused.code, 2);
  assertStringIncludes(
    refused.stderr,
    `Cannot resume run ${RUN_ID} in ${path}/copy/.panewright/runs/${RUN_ID}: it is a copy of the run in ` +
      `${path}/shop/.panewright/runs/${RUN_ID}`,
  );

  const { code, stderr } = await callCli(["resume", "--trust", "--junit", "a.xml"], { cwd: `${path}/copy` });
  assertEquals(code, 2);
  assertStringIncludes(stderr, `Cannot use --junit: run ${RUN_ID} is a review loop, and has no tasks`);

  const env = { PATH: Deno.env.get("PATH") ?? "", [PANE_MARK_VARIABLE]: `test-${socket}` };
  await using agent = startProgram(["sleep", "600"], { cwd: path, env });
  const stop = (place: string) => callCli(["stop", RUN_ID], { cwd: `${path}/${place}` });
  assertStringIncludes((await stop("copy")).stdout, "nothing of it is left running");
  assertStringIncludes((await stop("shop")).stdout, "The agents of run");
  assertEquals((await agent.ended).code, 143);
});

Deno.test("of two folders made of one that is gone, the one that was executed is the review loop, and the other its copy", async () => {
  await using dir = await tempDir();
  const path = await Deno.realPath(dir.path);
  await Deno.mkdir(`${path}/shop`);
  await Deno.writeTextFile(`${path}/shop/panewright.jsonc`, "{}");
  const socket = `panewright-test-${crypto.randomUUID().slice(0, 8)}`;
  await writeRun({
    workdir: `${path}/shop`,
    id: RUN_ID,
    events: [started(`${path}/shop`), ...agentReady({ socket })],
  });
  await Deno.rename(`${path}/shop`, `${path}/moved`);
  await shell("cp", "-a", `${path}/moved`, `${path}/copy`);
  await claimRunMail(runFolderAt(`${path}/moved`, RUN_ID), { taker: "process 1" });

  const env = { PATH: Deno.env.get("PATH") ?? "", [PANE_MARK_VARIABLE]: `test-${socket}` };
  await using agent = startProgram(["sleep", "600"], { cwd: path, env });
  const refused = await callCli(["resume", "--trust"], { cwd: `${path}/copy` });
  assertEquals(refused.code, 2);
  assertStringIncludes(
    refused.stderr,
    `Cannot resume run ${RUN_ID} in ${path}/copy/.panewright/runs/${RUN_ID}: it is a copy of the run in ` +
      `${path}/moved/.panewright/runs/${RUN_ID}`,
  );
  const stop = (place: string) => callCli(["stop", RUN_ID], { cwd: `${path}/${place}` });
  assertStringIncludes((await stop("copy")).stdout, "nothing of it is left running");
  assertStringIncludes((await stop("moved")).stdout, "The agents of run");
  assertEquals((await agent.ended).code, 143);
});

function started(workdir: string): ReviewFact {
  return reviewStarted(workdir, RUN_ID);
}
