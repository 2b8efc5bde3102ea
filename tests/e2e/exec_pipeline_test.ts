import { assert, assertEquals, assertMatch, assertNotMatch, assertStringIncludes } from "@std/assert";
import { systemProcessRunner } from "../../lib/ports/process.ts";
import type { CliName } from "../support/clis.ts";
import { type PanewrightCommand, panewrightCommands, panewrightFromSource } from "../support/panewright.ts";
import { processesWith } from "../providers/headless/support.ts";
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

interface Case {
  readonly panewright: PanewrightCommand;
  readonly provider: CliName;
  readonly resume: "native" | "replay";
}

const commands = await panewrightCommands();
const cases: readonly Case[] = commands.flatMap((panewright) =>
  (panewright.name === "source" ? ["codex", "claude_code"] as const : ["codex"] as const).flatMap((provider) =>
    (["replay", "native"] as const).map((resume) => ({ panewright, provider, resume }))
  )
);

for (const { panewright, provider, resume } of cases) {
  const name = provider === "codex" ? "codex exec" : "claude -p";
  Deno.test(`three steps with the real ${name}, the second asks; answered by panewright answer, resumed by ${resume} (from ${panewright.name})`, async () => {
    await using project = await pipelineProject({ panewright, provider, resume });
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

Deno.test("three steps with the real codex exec, the second asks; answered in the terminal", async () => {
  await using project = await pipelineProject();
  const { sandbox, env, argv } = project;
  const tmux = async (...args: string[]) =>
    (await systemProcessRunner.run({
      argv: ["tmux", "-S", `${sandbox.root}/person`, "-f", "/dev/null", ...args],
      clearEnv: true,
      env,
      cwd: sandbox.project,
    }))
      .stdout;
  const screen = () => tmux("capture-pane", "-p", "-t", "=terminal:");
  const until = async (pattern: RegExp) => {
    for (let attempt = 0; attempt < 400; attempt++) {
      if (pattern.test(await screen())) return;
      await new Promise((resolve) => setTimeout(resolve, 100));
    }
    throw new Error(`${pattern} did not appear on the screen:\n${await screen()}`);
  };
  try {
    await tmux("new-session", "-d", "-s", "terminal", "-x", "110", "-y", "40", "sh");
    const line = [...argv, "exec", "task.md"].map((word) => `'${word}'`).join(" ");
    await tmux("send-keys", "-t", "=terminal:", "-l", `clear; ${line}; echo exit code $?`);
    await tmux("send-keys", "-t", "=terminal:", "Enter");
    await until(/Your answer[\s\S]*^>\s*$/m);
    assertMatch(await screen(), /Question q1 of step "build"[\s\S]*What the agent did last:[\s\S]*Which database\?/);
    await tmux("send-keys", "-t", "=terminal:", "-l", "MySQK\\");
    await tmux("send-keys", "-t", "=terminal:", "Enter");
    await until(/^> MySQK$/m);
    await tmux("send-keys", "-t", "=terminal:", "C-u", "BSpace", "C-w");
    await tmux("send-keys", "-t", "=terminal:", "-l", "PostgreSQL");
    await until(/^> PostgreSQL$/m);
    await tmux("send-keys", "-t", "=terminal:", "Enter");
    await until(/^exit code \d/m);
    const final = await screen();
    assertMatch(final, /answer to q1, given here: PostgreSQL/);
    assertMatch(final, /^PASS after /m);
    assertMatch(final, /^exit code 0/m);
    assertEquals(await Deno.readTextFile(`${sandbox.project}/database.txt`), "PostgreSQL\n");
    // The terminal is as it was: what is typed is echoed, and a line at a time.
    await tmux("send-keys", "-t", "=terminal:", "-l", "stty -a | grep -o ' -*icanon\\| -*echo ' | tr '\\n' ' '");
    await tmux("send-keys", "-t", "=terminal:", "Enter");
    await until(/^ icanon +echo/m);
    assert(project.prompts.length === 4);
  } finally {
    await tmux("kill-server");
  }
  await sandbox.assertNothingLeft();
});
