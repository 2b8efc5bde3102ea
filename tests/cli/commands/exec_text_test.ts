import { assertEquals, assertStringIncludes } from "@std/assert";
import { callCli } from "../../support/call_cli.ts";
import { runProgram } from "../../support/program.ts";
import { type ExecProject, execProject } from "./exec_project.ts";

/** The environment of a person who has said of nothing yet that it is trusted. */
function untrusting({ env }: ExecProject): Readonly<Record<string, string>> {
  return Object.fromEntries(Object.entries(env).filter(([name]) => name !== "PANEWRIGHT_TRUST"));
}

/** A project without pipelines, whose files name a test command; its agent's program is the script. */
async function textProject(): Promise<ExecProject> {
  const project = await execProject();
  const [fake] = JSON.parse(await Deno.readTextFile(`${project.path}/panewright.jsonc`)).pipelines.main[0].command;
  await Deno.symlink(fake, `${project.sandbox.root}/bin/codex`);
  await Deno.writeTextFile(`${project.path}/package.json`, '{ "scripts": { "test": "test -e done-2" } }');
  // A script instead of an agent has no sandbox to try.
  await Deno.writeTextFile(`${project.path}/panewright.jsonc`, '{ "sandbox": "off", "provider": "codex" }');
  const PATH = `${project.sandbox.root}/bin:${project.env["PATH"]}`;
  const env = { ...project.env, PATH };
  return {
    ...project,
    env,
    call: (...args) => callCli(args, { cwd: project.path, env }),
    run: (...args) => runProgram([...project.panewright.argv, ...args], { cwd: project.path, env, timeoutMs: 60_000 }),
  };
}

Deno.test("exec takes several words for a task, unless they may be the name of a file", async () => {
  await using project = await textProject();
  await Deno.writeTextFile(`${project.path}/README.md`, "");
  const { code, stdout } = await project.call("exec", "Fix the typo in README.md", "--dry-run");
  assertEquals([code, stdout.split(",")[0]], [0, 'task 1 of 1: "Fix the typo in README.md"']);
  for (
    const [args, problem] of [
      [["nope"], "Cannot do the task nope: there is no such file or folder"],
      [["my task.md"], "Cannot do the task my task.md: there is no such file or folder"],
      [[""], "Cannot use the argument TASK: it is empty"],
      [["Fix it", "--only", "a"], "Cannot use --only with one task"],
      [["Fix it", "--check", " "], "Cannot use --check: it names no command"],
    ] as const
  ) {
    const { code, stderr } = await project.call("exec", ...args);
    assertEquals([code, stderr.split("\n")[0]?.includes(problem)], [2, true], stderr);
  }
  for (const [stdin, problem] of [["", "it has no text"], [new Uint8Array([255]), "it is not UTF-8 text"]] as const) {
    const { code, stderr } = await callCli(["exec", "-"], { cwd: project.path, env: project.env, stdin });
    assertEquals(code, 2);
    assertStringIncludes(stderr, problem);
  }
  const config = { pipelines: { main: [{ name: "only", prompt: "self", check: { type: "none" } }] } };
  await Deno.writeTextFile(`${project.path}/panewright.jsonc`, JSON.stringify(config));
  assertStringIncludes((await project.call("exec", "Fix it", "--dry-run")).stdout, "pipeline main\n");
  const { stderr } = await project.call("exec", "Fix it", "--check", "true");
  assertStringIncludes(stderr, "Cannot use --check: panewright.jsonc has pipelines, and their steps have checks");
  const file = await project.call("exec", "README.md", "--check", "true");
  assertStringIncludes(file.stderr, "Cannot use --check: panewright.jsonc has pipelines, and their steps have checks");
  assertEquals(await project.prompts(), []);
});

Deno.test("exec of a text: exec.review says whether another agent looks at the work, and a run that is resumed keeps its own", async () => {
  await using project = await textProject();
  const configure = (review: string) =>
    Deno.writeTextFile(
      `${project.path}/panewright.jsonc`,
      JSON.stringify({ sandbox: "off", provider: "codex", exec: { review } }),
    );
  const stepsOf = async () => {
    const { stdout } = await project.call("exec", "Fix the rounding", "--dry-run");
    return [...stdout.matchAll(/^ {2}step \d "(\w+)"|^ {4}(only if)/gm)].map(([, name, condition]) =>
      name ?? condition
    );
  };
  await configure("never");
  assertEquals(await stepsOf(), ["work"]);
  await configure("if_needed");
  assertEquals(await stepsOf(), ["work", "review", "only if"]);
  await configure("always");
  assertEquals(await stepsOf(), ["work", "review"]);
  const asking = await project.run("exec", "Build a login.\nASK database", "--no-input", "--trust");
  assertEquals(asking.code, 3, asking.stderr);
  await configure("never");
  const told = JSON.parse((await project.run("status", "--json")).stdout);
  const answered = await project.run("answer", told.run, "--question", "q1", "SQLite", "--trust");
  assertEquals(answered.code, 0, answered.stderr);
  const resumed = await project.run("resume", told.run, "--no-input", "--trust", "--accept-changes");
  assertStringIncludes(resumed.stderr, 'step 2 "review"');
});

Deno.test("exec of a text: where the agent's CLI is not there, that is said, and another one is taken where none is named", async () => {
  await using project = await textProject();
  await Deno.remove(`${project.path}/panewright.jsonc`);
  const bin = `${project.sandbox.root}/bin`;
  const only = { ...project.env, PATH: bin };
  const call = (...args: string[]) =>
    callCli(["exec", "Fix it", "--dry-run", ...args], { cwd: project.path, env: only });
  assertStringIncludes((await call()).stdout, 'step 1 "work": codex, ');
  await Deno.rename(`${bin}/codex`, `${bin}/claude`);
  assertStringIncludes((await call()).stdout, 'step 1 "work": claude_code, ');
  const named = await call("--provider", "codex");
  assertEquals(named.code, 2);
  assertStringIncludes(named.stderr, "Cannot start an agent: Codex cannot be found\n");
  assertStringIncludes(named.stderr, "npm install --global @openai/codex");
  await Deno.remove(`${bin}/claude`);
  assertStringIncludes((await call()).stderr, "Cannot start an agent: Codex and Claude Code cannot be found\n");
});

Deno.test("exec of a text is carried out, asks and is resumed with the check that it was begun with", async () => {
  await using project = await textProject();
  const stopped = await project.run("exec", "Build a login.\nASK database", "--json");
  assertEquals(stopped.code, 3, stopped.stderr);
  const run = /"runId":"([^"]+)"/.exec(stopped.stdout)?.[1] ?? "";
  // What a text is called is its text, and no file that is not there.
  const asked = JSON.parse((await project.call("questions", "--json")).stdout);
  assertEquals(asked.task, '"Build a login."');
  const { stdout: status } = await project.call("status", run);
  assertStringIncludes(status, '  job       "Build a login."\n');
  assertStringIncludes(status, '  task      "Build a login.", pipeline built-in, ');
  assertEquals((await project.call("answer", run, "PostgreSQL")).code, 0);
  // The work has brought another test command.
  await Deno.writeTextFile(`${project.path}/Cargo.toml`, "");
  await Deno.writeTextFile(`${project.path}/AGENTS.md`, "Be brief.");
  const refused = await callCli(["resume", run], { cwd: project.path, env: untrusting(project) });
  assertEquals(refused.code, 3);
  await Deno.remove(`${project.path}/AGENTS.md`);
  const resumed = await project.run("resume", run);
  assertEquals(resumed.code, 0, resumed.stderr);
  assertStringIncludes(resumed.stderr, "check 1, npm test: it passed");
  assertStringIncludes((await project.prompts())[1] ?? "", "Build a login.");
  const logs = await project.call("logs", run);
  assertStringIncludes(logs.stdout, 'task 1 of 1: "Build a login.", pipeline built-in (work, review)');
});

Deno.test("a folder of tasks needs no pipelines: each is done as a text is, with the project's tests as its check", async () => {
  await using project = await textProject();
  await Deno.mkdir(`${project.path}/tasks`);
  await Deno.writeTextFile(`${project.path}/tasks/a.md`, "Build a login.\nASK database\n");
  await Deno.writeTextFile(`${project.path}/tasks/b.md`, "Write its docs.\n");
  const valid = await project.call("validate", "tasks");
  assertEquals([valid.code, valid.stdout], [0, "0 errors, 0 warnings\n"]);
  const stopped = await project.run("exec", "tasks", "--trust", "--json");
  assertEquals(stopped.code, 3, stopped.stderr);
  const run = /"runId":"([^"]+)"/.exec(stopped.stdout)?.[1] ?? "";
  assertEquals((await project.call("answer", run, "PostgreSQL")).code, 0);
  // The work has brought another test command.
  await Deno.writeTextFile(`${project.path}/Cargo.toml`, "");
  const resumed = await project.run("resume", run, "--trust");
  assertEquals(resumed.code, 0, resumed.stderr);
  assertStringIncludes(resumed.stderr, "check 1, npm test: it passed");
  const named = await project.call("exec", "tasks/a.md", "--check", "true", "--dry-run");
  assertStringIncludes(named.stdout, "pipeline built-in");
  await Deno.remove(`${project.path}/Cargo.toml`);
  await Deno.writeTextFile(`${project.path}/tasks/b.md`, "---\npipeline: thorough\n---\n\nWrite its docs.\n");
  for (const words of [["validate", "tasks"], ["exec", "tasks", "--force"]]) {
    const { code, stderr, stdout } = await project.call(...words);
    assertEquals(code, 2);
    assertStringIncludes(stdout + stderr, 'names "thorough", and there is no such pipeline');
  }
});
