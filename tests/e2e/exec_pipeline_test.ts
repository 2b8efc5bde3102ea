import { assertEquals, assertMatch, assertNotMatch, assertStringIncludes } from "@std/assert";
import type { CliName } from "../support/clis.ts";
import { openPersonTerminal, type PersonTerminal } from "../support/person_terminal.ts";
import { processesWith } from "../agents/process/support.ts";
import { type PipelineProject, pipelineProject } from "./pipeline_project.ts";

interface PrintedEvent {
  readonly type: string;
  readonly [key: string]: unknown;
}

function eventsOf(stdout: string): PrintedEvent[] {
  return stdout.split("\n").filter((line) => line !== "").map((line) => JSON.parse(line));
}

/** Codex leaves nothing at all; Claude Code keeps temporary files of its own. */
async function assertNothingLeft(project: PipelineProject, provider: CliName): Promise<void> {
  if (provider === "codex") await project.sandbox.assertNothingLeft();
  else assertEquals(await processesWith(project.sandbox.root), []);
}

/** The other two pairs are played in exec_permissions_test.ts and carried_run_test.ts. */
const CASES = [["codex", "replay"], ["claude_code", "native"]] as const;

for (const [provider, resume] of CASES) {
  const name = provider === "codex" ? "codex exec" : "claude -p";
  Deno.test(`three steps with the real ${name}, the second asks; answered by panewright answer, resumed by ${resume}`, async () => {
    await using project = await pipelineProject({ provider, resume });
    const stopped = await project.run("exec", "task.md", "--json");
    assertEquals(stopped.code, 3, stopped.stderr + stopped.stdout);
    await assertNothingLeft(project, provider);
    const events = eventsOf(stopped.stdout);
    const found = (type: string) => events.find((event) => event.type === type);
    assertEquals(
      [found("question_waiting")?.["question"], found("question_waiting")?.["text"]],
      ["q1", "Which database?"],
    );
    assertStringIncludes(String(found("question_asked")?.["attemptLog"]), "I have looked at the project.");
    const run = String(found("run_started")?.["runId"]);

    assertEquals((await project.run("answer", run, "--question", "q1", "PostgreSQL")).code, 0);
    const resumed = await project.run("resume", run, "--json");
    assertEquals(resumed.code, 0, resumed.stderr + resumed.stdout);
    assertEquals(eventsOf(resumed.stdout).at(-1)?.["outcome"], "pass");
    assertEquals(await Deno.readTextFile(`${project.sandbox.project}/database.txt`), "PostgreSQL\n");

    const [, asked, answered, last] = project.prompts;
    assertEquals(project.prompts.length, 4);
    assertStringIncludes(asked ?? "", "AUTONOMY LEVEL: 3");
    if (resume === "native") assertNotMatch(answered ?? "", /Store the users|AUTONOMY/);
    else {
      for (const text of ["Store the users", "Which database?", "PostgreSQL", "I have looked at the project."]) {
        assertStringIncludes(answered ?? "", text);
      }
    }
    assertStringIncludes(last ?? "", "PostgreSQL");
    await assertNothingLeft(project, provider);
  });
}

Deno.test("two pipelines in parallel with the real codex exec that both ask do not disturb each other", async () => {
  await using project = await pipelineProject();
  const stopped = await Promise.all([1, 2].map(() => project.run("exec", "task.md", "--json")));
  assertEquals(stopped.map(({ code }) => code), [3, 3]);
  const runs = stopped.map(({ stdout }) =>
    String(eventsOf(stdout).find(({ type }) => type === "run_started")?.["runId"])
  );
  for (const run of runs) assertEquals((await project.run("answer", run, "PostgreSQL")).code, 0);
  const resumed = await Promise.all(runs.map((run) => project.run("resume", run)));
  assertEquals(resumed.map(({ code }) => code), [0, 0], resumed.map(({ stderr }) => stderr).join("\n"));
  assertEquals(project.prompts.length, 8);
  await project.sandbox.assertNothingLeft();
});

/** The shell reads a line as the terminal gives it: what panewright leaves of its modes shows. */
const SHELL = { columns: 110, argv: ["sh"] } as const;

const ASKED = /Question q1 of step "build"[\s\S]*Which database\?[\s\S]*Your answer[\s\S]*^>\s*$/m;

/** What is typed is echoed, and comes a line at a time: the terminal is as it was. */
async function assertTerminalIsSane(terminal: PersonTerminal): Promise<void> {
  await terminal.type("clear; stty -a | grep -o ' -*icanon\\| -*echo ' | tr '\\n' ' '");
  await terminal.press("Enter");
  await terminal.shows(/^ icanon +echo/m);
}

Deno.test("three steps with the real codex exec, the second asks; answered in the terminal", async () => {
  await using project = await pipelineProject();
  {
    await using terminal = await openPersonTerminal(project, SHELL);
    await terminal.command(...project.argv, "exec", "task.md");
    assertMatch(await terminal.shows(ASKED), /What the agent did last:\n {2}Said: I have looked at the project\./);
    await terminal.type("MySQK\\");
    await terminal.press("Enter");
    await terminal.shows(/^> MySQK$/m);
    await terminal.press("C-u", "BSpace", "C-w");
    await terminal.type("PostgreSQL");
    await terminal.shows(/^> PostgreSQL$/m);
    await terminal.press("Enter");
    const final = await terminal.shows(/^exit code \d/m);
    assertMatch(final, /answer to q1, given here: PostgreSQL/);
    assertMatch(final, /^✓ PASS +/m);
    assertMatch(final, /^exit code 0/m);
    assertEquals(await Deno.readTextFile(`${project.sandbox.project}/database.txt`), "PostgreSQL\n");
    await assertTerminalIsSane(terminal);
    assertEquals(project.prompts.length, 4);
  }
  await project.sandbox.assertNothingLeft();
});

Deno.test("Ctrl-C and a kill -9 while the terminal asks: the question is asked again by resume, and answered from elsewhere", async () => {
  await using project = await pipelineProject();
  {
    await using terminal = await openPersonTerminal(project, SHELL);
    await terminal.command(...project.argv, "exec", "task.md");
    await terminal.shows(ASKED);
    await terminal.press("C-c");
    assertMatch(await terminal.shows(/^exit code \d/m), /^exit code 130/m);
    await assertTerminalIsSane(terminal);

    const id = project.runId();
    await terminal.command(...project.argv, "resume", id);
    await terminal.shows(ASKED);
    const owner = /^process (\d+)$/.exec(
      await Deno.readTextFile(`${project.sandbox.project}/.panewright/runs/${id}/owner.lock`),
    );
    Deno.kill(Number(owner?.[1]), "SIGKILL");
    assertMatch(await terminal.shows(/^exit code \d/m), /^exit code 137/m);
    await terminal.type("stty sane");
    await terminal.press("C-j");

    await terminal.command(...project.argv, "resume", id);
    await terminal.shows(ASKED);
    const answered = await project.run("answer", id, "--question", "q1", "PostgreSQL");
    assertStringIncludes(answered.stdout, "The run continues by itself.");
    const final = await terminal.shows(/^exit code \d/m);
    assertMatch(final, /answer to q1, given by panewright answer: PostgreSQL/);
    assertMatch(final, /^exit code 0/m);
    await assertTerminalIsSane(terminal);
  }
  await project.sandbox.assertNothingLeft();
});
