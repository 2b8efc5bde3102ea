import { assertEquals, assertMatch, assertNotMatch, assertStringIncludes } from "@std/assert";
import { callCli } from "../../support/call_cli.ts";
import { runProgram } from "../../support/program.ts";
import { until } from "../../support/until.ts";
import { type ExecProject, execProject } from "./exec_project.ts";

interface PrintedEvent {
  readonly type: string;
  readonly runId?: string;
  readonly [key: string]: unknown;
}

function eventsOf(stdout: string): PrintedEvent[] {
  return stdout.split("\n").filter((line) => line !== "").map((line) => JSON.parse(line));
}

function runOf(stdout: string): string {
  return eventsOf(stdout).find(({ type }) => type === "run_started")?.runId ?? "";
}

Deno.test("seed 004: Codex is halted by its ask, the run stops with 3, panewright answer and resume take it to its end", async () => {
  await using project = await execProject();
  const stopped = await project.run("exec", "task.md", "--json");
  assertEquals(stopped.code, 3, stopped.stderr);
  const run = runOf(stopped.stdout);
  const waiting = eventsOf(stopped.stdout).find(({ type }) => type === "question_waiting");
  assertEquals(
    [waiting?.["question"], waiting?.["text"], waiting?.["answerCommand"], waiting?.["resumeCommand"]],
    ["q1", "Which database?", `panewright answer ${run} --question q1 "YOUR ANSWER"`, `panewright resume ${run}`],
  );
  await project.sandbox.assertNothingLeft();

  const questions = await project.call("questions", "--json");
  assertEquals(
    eventsOf(questions.stdout).map(({ run, id, text, answered }) => ({ run, id, text, answered })),
    [{ run, id: "q1", text: "Which database?", answered: false }],
  );

  const answered = await project.call("answer", run, "--question", "q1", "PostgreSQL,", "please");
  assertEquals([answered.code, answered.stderr], [0, ""]);
  assertEquals(answered.stdout, `Question q1 of run ${run} is answered. Resume with: panewright resume ${run}\n`);

  const resumed = await project.run("resume", run);
  assertEquals(resumed.code, 0, resumed.stderr);
  assertMatch(resumed.stdout, /^✓ PASS +task-md [^]*Cost +300 tokens in \(30 cached\), 15 out/);
  const prompts = await project.prompts();
  assertEquals(prompts.length, 4);
  for (const text of ["Build a login.", "Which database?", "PostgreSQL, please", "Looking around."]) {
    assertStringIncludes(prompts[2] ?? "", text);
  }
  assertStringIncludes(prompts[3] ?? "", "PostgreSQL, please");
  assertEquals((await project.args()).some((args) => args.includes(" resume ")), false);
  const again = await project.call("resume", run);
  assertEquals([again.code, again.stderr.split("\n")[0]], [
    2,
    `panewright: Cannot resume run ${run}: it has passed`,
  ]);
});

Deno.test("resume native: codex exec resume gets the thread's id and the answer only", async () => {
  await using project = await execProject({ exec: { resume: "native" } });
  const run = runOf((await project.run("exec", "task.md", "--json", "--pipeline", "single")).stdout);
  await project.call("answer", run, "MySQL");
  const resumed = await project.run("resume", run);
  assertEquals(resumed.code, 0, resumed.stderr);
  const [, prompt] = await project.prompts();
  assertStringIncludes(prompt ?? "", "MySQL");
  assertNotMatch(prompt ?? "", /Build a login/);
  assertMatch((await project.args())[1] ?? "", /^exec .*resume .*019a0000-0000-7000-8000-\d{12} -\n$/);
});

Deno.test("a second answer is refused, and so is one to a question that is not open", async () => {
  await using project = await execProject();
  const run = runOf((await project.run("exec", "task.md", "--json")).stdout);
  const refused = async (...args: string[]) => {
    const { code, stderr } = await project.call("answer", run, ...args);
    return [code, stderr.split("\n")[0]];
  };
  assertEquals(await refused("--question", "q2", "x"), [
    2,
    `panewright: Cannot answer q2: no such question of run ${run} waits for an answer`,
  ]);
  assertEquals(await refused("--question", "../q1", "x"), [
    2,
    `panewright: Cannot answer ../q1: no such question of run ${run} waits for an answer`,
  ]);
  assertEquals(await refused("  "), [2, "panewright: Cannot record the answer: it is empty"]);
  assertEquals((await project.call("answer", run, "first")).code, 0);
  const before = `panewright: Cannot answer q1: that question of run ${run} was answered before`;
  assertEquals(await refused("second"), [2, before]);
  const questions = await project.call("questions");
  assertStringIncludes(questions.stdout, `answered by panewright answer; resume with: panewright resume ${run}`);
  assertEquals((await project.run("resume", run)).code, 0);
  assertEquals(await refused("--question", "q1", "third"), [2, before]);
  assertEquals(await refused("third"), [2, `panewright: Cannot answer: nothing of run ${run} waits for an answer`]);
  assertStringIncludes((await project.prompts())[2] ?? "", "first");
  const unknown = await project.call("answer", "20200101-000000-aaaa", "x");
  assertEquals(unknown.code, 2);
  assertStringIncludes(unknown.stderr, 'Cannot find the run "20200101-000000-aaaa"');
  assertEquals((await project.call("questions")).stdout, `Nothing waits for an answer in ${project.path}.\n`);
});

Deno.test("kill -9 of panewright while the question waits: it is listed, answered, and the run resumed", async () => {
  await using project = await execProject({ exec: { answer_timeout_seconds: 600 } });
  await using running = project.start("exec", "task.md", "--json");
  await until(() => running.output.stdout.includes('"question_asked"'));
  const run = runOf(running.output.stdout);
  const rejected = await project.call("resume", run);
  assertEquals(rejected.code, 2);
  assertMatch(rejected.stderr, new RegExp(`Cannot resume run ${run}: process ${running.pid} executes it`));
  running.kill("SIGKILL");
  assertEquals((await running.ended).code, 137);

  assertStringIncludes((await project.call("questions")).stdout, `run ${run}, step "build", asked `);
  assertEquals((await project.call("answer", run, "PostgreSQL")).code, 0);
  const resumed = await project.run("resume", run);
  assertEquals(resumed.code, 0, resumed.stderr);
  assertStringIncludes((await project.prompts())[2] ?? "", "PostgreSQL");
  await project.sandbox.assertNothingLeft();
});

Deno.test("kill -9 of panewright while an agent works: resume ends the agent that was left, and begins the step anew", async () => {
  await using project = await execProject();
  await project.holdAgent();
  await using running = project.start("exec", "task.md", "--json", "--pipeline", "single");
  await until(() => running.output, ({ stdout }) => stdout.includes("Looking around."));
  const run = runOf(running.output.stdout);
  running.kill("SIGKILL");
  await running.ended;
  await Deno.writeTextFile(`${project.path}/go`, "");
  const resumed = await project.run("resume", run, "--json");
  assertEquals(resumed.code, 0, resumed.stderr);
  await project.sandbox.assertNothingLeft();
  const prompts = await project.prompts();
  assertEquals(prompts.length, 2);
  assertStringIncludes(prompts[1] ?? "", "Looking around.");
});

Deno.test("an answer given while the run waits is taken by it", async () => {
  await using project = await execProject({ exec: { answer_timeout_seconds: 600 } });
  await using running = project.start("exec", "task.md");
  await until(() => running.output.stderr.includes("question q1"));
  const [run] = [...Deno.readDirSync(`${project.path}/.panewright/runs`)];
  const answered = await project.call("answer", run?.name ?? "", "PostgreSQL");
  assertStringIncludes(answered.stdout, "The run continues by itself.");
  const { code, stdout, stderr } = await running.ended;
  assertEquals(code, 0, stderr);
  assertMatch(stdout, /^✓ PASS +/);
  assertMatch(stderr, /answer to q1, given by panewright answer: PostgreSQL/);
});

Deno.test("two pipelines in parallel that both ask do not disturb each other", async () => {
  await using project = await execProject();
  await Deno.writeTextFile(`${project.path}/other.md`, "Build a cart.\nASK currency\n");
  const [a, b] = await Promise.all([
    project.run("exec", "task.md", "--json", "--pipeline", "single"),
    project.run("exec", "other.md", "--json", "--pipeline", "single"),
  ]);
  assertEquals([a.code, b.code], [3, 3]);
  const question = ({ stdout }: { stdout: string }) =>
    eventsOf(stdout).find(({ type }) => type === "question_waiting")?.["text"];
  assertEquals([question(a), question(b)], ["Which database?", "Which currency?"]);
  const runs = [runOf(a.stdout), runOf(b.stdout)];
  assertEquals((await project.call("answer", runs[0] ?? "", "Postgres")).code, 0);
  assertEquals((await project.call("answer", runs[1] ?? "", "Euro")).code, 0);
  const resumed = await Promise.all(runs.map((run) => project.run("resume", run)));
  assertEquals(resumed.map(({ code }) => code), [0, 0]);
  const prompts = (await project.prompts()).slice(2);
  assertEquals(prompts.length, 2);
  for (const prompt of prompts) {
    const isFirst = prompt.includes("Build a login.");
    assertStringIncludes(prompt, isFirst ? "Postgres" : "Euro");
    assertNotMatch(prompt, isFirst ? /Euro|cart/ : /Postgres|login/);
  }
  await project.sandbox.assertNothingLeft();
});

for (const [signal, code] of [["SIGINT", 130], ["SIGTERM", 143]] as const) {
  Deno.test(`${signal} ends the agent and the run with ${code}, and resume goes on`, async () => {
    await using project = await execProject();
    await project.holdAgent();
    await using running = project.start("exec", "task.md", "--json", "--pipeline", "single");
    await until(() => running.output, ({ stdout }) => stdout.includes("Looking around."));
    running.kill(signal);
    const ended = await running.ended;
    assertEquals(ended.code, code);
    assertEquals(eventsOf(ended.stdout).find(({ type }) => type === "run_finished")?.["outcome"], "interrupted");
    await project.sandbox.assertNothingLeft();
    await Deno.writeTextFile(`${project.path}/go`, "");
    assertEquals((await project.run("resume", runOf(ended.stdout))).code, 0);
  });
}

Deno.test("from a folder below, and from elsewhere with --wd, the run is found", async () => {
  await using project = await execProject();
  const run = runOf((await project.run("exec", "task.md", "--json", "--pipeline", "single")).stdout);
  const { argv } = project.panewright;
  const { home: cwd } = project.sandbox;
  const elsewhere = await callCli(["answer", run, "--wd", "../project", "Postgres"], { cwd, env: project.env });
  assertStringIncludes(elsewhere.stdout, `panewright resume ${run} --wd ../project`);
  const resume = [...argv, "resume", `../project/.panewright/runs/${run}`] as const;
  const resumed = await runProgram(resume, { cwd, env: project.env, timeoutMs: 600_000 });
  assertStringIncludes(resumed.stdout, "✓ PASS  ");
});

Deno.test("wrong usage of exec starts nothing: exit code 2", async () => {
  await using project = await execProject();
  await Deno.mkdir(`${project.path}/empty`);
  const refused = async (...args: string[]) => {
    const { code, stderr } = await project.call(...args);
    return [code, stderr.split("\n")[0]];
  };
  assertEquals(await refused("exec", "nope.md"), [
    2,
    "panewright: Cannot do the task nope.md: there is no such file or folder",
  ]);
  assertEquals(await refused("exec", "empty"), [2, "panewright: Cannot do the tasks of empty: it has no tasks"]);
  assertEquals((await refused("exec", "task.md", "--autonomy-level", "9"))[0], 2);
  await Deno.writeTextFile(`${project.path}/panewright.jsonc`, '{ "pipelines": { "a": [{ "prompt": "self" }] } }');
  assertEquals(await refused("exec", "task.md"), [
    2,
    "panewright: Cannot use the configuration of panewright.jsonc: 3 problems",
  ]);
  assertEquals(await project.prompts(), []);
});

Deno.test("exec of a folder: mistakes in any task are told before the first begins; then each line names its task", async () => {
  await using project = await execProject();
  const write = (name: string, text: string) => Deno.writeTextFile(`${project.path}/tasks/${name}`, text);
  await Deno.mkdir(`${project.path}/tasks`);
  await write("2-b.md", "Build b.\n");
  await write("10-c.md", "---\npipelin: single\n---\nBuild c.\n");
  const refused = await project.call("exec", "tasks", "--pipeline", "single");
  assertEquals([refused.code, refused.stderr], [
    2,
    'panewright: Cannot do the tasks: tasks/10-c.md:2: unknown key "pipelin"; did you mean "pipeline"? Allowed here: ' +
    "pipeline, autonomy_level, needs, writes\n      |\n    2 | pipelin: single\n      | ^^^^^^^\n",
  ]);
  assertEquals(await project.prompts(), []);

  await write("10-c.md", "Build c.\n");
  const done = await project.run("exec", "tasks", "--pipeline", "single", "--junit", "report.xml");
  assertEquals(done.code, 0, done.stderr);
  assertMatch(
    done.stdout,
    /^TASK +STEP +RESULT +TIME +TOKENS\n2-b +only +PASS .*\n10-c +only +PASS .*\n2 of 2 tasks done\n✓ PASS +/,
  );
  const lines = done.stderr.trimEnd().split("\n").slice(1);
  for (const line of lines) assertMatch(line, /^\S+ \[(?:2-b|10-c)\] /);
  assertStringIncludes(done.stderr, "[2-b] said: Looking around.");
  assertMatch(await Deno.readTextFile(`${project.path}/report.xml`), /<testsuite name="10-c" tests="1" failures="0"/);
  const again = await project.run("exec", "tasks", "--pipeline", "single");
  assertMatch(
    again.stdout,
    /2-b +SKIPPED\n10-c +SKIPPED\n2 of 2 tasks done\n✓ PASS +[^]*all 2 tasks had passed before/,
  );
  assertEquals((await project.prompts()).length, 2);
});

Deno.test("exec --dry-run shows tasks, command lines, prompts and checks, and starts nothing", async () => {
  await using project = await execProject();
  const { code, stdout, stderr } = await project.call("exec", "task.md", "--dry-run", "--autonomy-level", "4");
  assertEquals([code, stderr], [0, ""]);
  assertMatch(
    stdout,
    /^task 1 of 1: \S+\/task\.md, pipeline main\n {2}step 1 "first": codex, autonomy level 4\n {4}argv +\S.* exec .*\n/,
  );
  assertStringIncludes(stdout, "    checks       there is done-1\n");
  assertStringIncludes(stdout, "      | Look around.\n");
  assertStringIncludes(stdout, '  step 3 "last"');
  assertMatch(stdout, / {6}… \d+ lines more: --verbose shows them\n/);
  const json = eventsOf((await project.call("exec", "task.md", "--dry-run", "--json")).stdout);
  assertEquals(json.map(({ type, pipeline }) => [type, pipeline]), [["task_preview", "main"]]);
  const other = await project.call("exec", "task.md", "--dry-run", "--provider", "claude_code");
  assertStringIncludes(other.stdout, '  step 1 "first": claude_code, ');
  assertEquals(await project.prompts(), []);
  assertEquals([...Deno.readDirSync(project.path)].some(({ name }) => name === ".panewright"), false);
});

Deno.test("the table at the end of a folder's run has what was done before a resume, too", async () => {
  await using project = await execProject();
  await Deno.mkdir(`${project.path}/tasks`);
  await Deno.writeTextFile(`${project.path}/tasks/1-a.md`, "Build a.\n");
  await Deno.writeTextFile(`${project.path}/tasks/2-b.md`, "Build b.\nASK database\n");
  const stopped = await project.run("exec", "tasks", "--pipeline", "single", "--json");
  assertEquals(stopped.code, 3, stopped.stderr);
  const run = runOf(stopped.stdout);
  await project.call("answer", run, "PostgreSQL");
  const resumed = await project.run("resume", run, "--junit", "all.xml");
  assertMatch(resumed.stdout, /\n1-a +only +PASS .*\n2-b +only +PASS .*\n2 of 2 tasks done\n✓ PASS/);
  assertMatch(await Deno.readTextFile(`${project.path}/all.xml`), /name="1-a"[\s\S]*name="2-b"/);
});

/** Starts a run whose CLI is gone after its first step, until it is brought back. */
async function startWithoutCli(project: ExecProject) {
  const fake = `${project.sandbox.root}/bin/fake-codex`;
  await Deno.writeTextFile(`${project.path}/task.md`, "Build.\n");
  await Deno.writeTextFile(fake, `${await Deno.readTextFile(fake)}[ "$number" != 1 ] || mv "$0" "$0.old"\n`);
  const run = project.start("exec", "task.md");
  await until(() => run.output.stderr.includes("is not there"));
  return { run, bringBack: () => Deno.rename(`${fake}.old`, fake) };
}

Deno.test("a CLI that is gone between two steps, as while it is updated, is waited for", async () => {
  await using project = await execProject();
  const { run, bringBack } = await startWithoutCli(project);
  await using _ = run;
  await bringBack();
  const { code, stderr } = await run.ended;
  assertEquals(code, 0, stderr);
  assertMatch(stderr, /step "build": .*fake-codex is not there, as while it is updated.*[^]*fake-codex is there again/);
  assertEquals((await project.prompts()).length, 3);
});

Deno.test("a run that waits for its CLI ends with Ctrl-C at once, and is resumed", async () => {
  await using project = await execProject();
  const { run, bringBack } = await startWithoutCli(project);
  await using _ = run;
  run.kill("SIGINT");
  const { code, stderr } = await run.ended;
  assertEquals(code, 130, stderr);
  await bringBack();
  const resumed = await project.run("resume", "@1");
  assertEquals(resumed.code, 0, resumed.stderr);
});

Deno.test("a CLI of which parts are gone for a while is tried again after a pause", async () => {
  await using project = await execProject();
  const fake = `${project.sandbox.root}/bin/fake-codex`;
  const config = JSON.parse(await Deno.readTextFile(`${project.path}/panewright.jsonc`));
  config.handoff = { error_retry_seconds: 1 };
  await Deno.writeTextFile(`${project.path}/panewright.jsonc`, JSON.stringify(config));
  await Deno.writeTextFile(`${project.path}/task.md`, "Build.\n");
  const missing = "Missing optional dependency @openai/codex-linux-x64. Reinstall Codex: npm install -g @openai/codex";
  const broken = `if mkdir "$FAKE_FOLDER/broken"; then echo "Error: ${missing}" >&2; exit 1; fi\n`;
  await Deno.writeTextFile(fake, (await Deno.readTextFile(fake)).replace("\n", `\n${broken}`));
  const { code, stderr, stdout } = await project.run("exec", "task.md", "--pipeline", "single", "--json");
  assertEquals(code, 0, stderr);
  const [failed] = eventsOf(stdout).filter(({ type }) => type === "attempt_recovering");
  assertEquals([failed?.["class"], failed?.["recovery"]], ["program", "pause"]);
});
