import { assertEquals, assertMatch, assertStringIncludes } from "@std/assert";
import { exists } from "@std/fs";
import type { Step } from "../lab/steps.ts";
import { panewrightThatStartsFast } from "../support/panewright.ts";
import { runProgram } from "../support/program.ts";
import { until } from "../support/until.ts";
import { shellJoin } from "../../lib/shell/quote.ts";
import { type PipelineProject, pipelineProject } from "./pipeline_project.ts";

const shell = (command: string): Step => ({ do: "shell", command });
const done: Step = { do: "say", text: "All done." };

/**
 * Leaves a program behind that knows nothing of the run's marks, and that nothing of the run is above. It is tried three
 * times: one that is seen before it is detached is ended with the step.
 */
const LEAVE = "sh leave.sh";

async function leaveBehind({ argv, env, sandbox }: PipelineProject, script: string): Promise<void> {
  const variables = Object.entries(env).map(([name, value]) => `${name}=${value}`);
  const leftover = shellJoin(["env", "-i", ...variables, "setsid", "sh", `${sandbox.project}/leftover.sh`]);
  await Deno.writeTextFile(
    `${sandbox.project}/leave.sh`,
    `for i in 1 2 3; do (${leftover} >>leftover.log 2>&1 </dev/null &); sleep 0.2; done\n`,
  );
  await Deno.writeTextFile(
    `${sandbox.project}/leftover.sh`,
    `panewright() { ${
      shellJoin(argv)
    } "$@"; }\nuntil [ -e asked ]; do sleep 0.1; done\nmkdir first || exit\n${script}\ntouch left\n`,
  );
}

for (const provider of ["codex", "claude_code"] as const) {
  Deno.test(`who answered, ${provider}: what an agent leaves behind says no yes, a person does, and both are told`, async () => {
    await using project = await pipelineProject({
      panewright: await panewrightThatStartsFast(),
      provider,
      resume: "replay",
      turnFor: () => [shell(LEAVE), shell("touch pushed"), done],
      config: {
        permissions: { ask: ["touch pushed"] },
        pipelines: { main: [{ name: "build", prompt: "self", check: { type: "fileExists", path: "pushed" } }] },
      },
    });
    const at = (name: string) => `${project.sandbox.project}/${name}`;
    const pushed = () => exists(at("pushed"));
    await leaveBehind(
      project,
      `panewright answer "$(ls .panewright/runs)" --question q1 yes; echo "answer $?"
       script -qec '${shellJoin(project.argv)} resume' /dev/null <<E; echo "resume $?"
yes
E`,
    );
    const stopped = await project.run("exec", "task.md");
    assertEquals([stopped.code, await pushed()], [3, false], stopped.stderr);
    const [run = ""] = [...Deno.readDirSync(at(".panewright/runs"))].map(({ name }) => name);
    await Deno.writeTextFile(at("asked"), "");
    await until(() => exists(at("left")));
    const leftover = await Deno.readTextFile(at("leftover.log"));
    assertStringIncludes(leftover, "Cannot say yes to q1");
    assertStringIncludes(leftover, "answer 3");
    assertStringIncludes(leftover, "the answer to q1 was refused: it was given in the terminal of");
    assertStringIncludes(leftover, "resume 3");
    assertEquals(await pushed(), false, leftover);

    // A process with a run's mark, whichever it is, or below one.
    const env = { ...project.env, PANEWRIGHT_ROLE_OF: "/elsewhere/" };
    for (const words of [["answer", run, "--question", "q1", "yes"], ["answer", run, "no"], ["resume", run]]) {
      const marked = await runProgram(
        ["env", "-u", "PANEWRIGHT_ROLE_OF", ...project.argv, ...words].toSpliced(
          0,
          0,
          "sh",
          "-c",
          '"$@"; exit $?',
          "sh",
        ) as [
          string,
          ...string[],
        ],
        { cwd: project.sandbox.project, env, timeoutMs: 60_000 },
      );
      assertEquals(marked.code, 3, marked.stderr);
      assertStringIncludes(marked.stderr, "an agent of a run has started this process");
    }

    // A person, whose terminal is older than the run; `left` keeps the next leftover from asking again.
    assertEquals((await project.run("answer", run, "--question", "q1", "yes")).code, 0);
    const resumed = await project.run("resume", run);
    assertEquals([resumed.code, await pushed()], [0, true], resumed.stderr + resumed.stdout);
    const logs = await project.run("logs", run, "--verbose");
    assertMatch(logs.stdout + logs.stderr, /given by panewright answer: yes[^]*it was given by process \d+.*, below /);
    const audit = await project.run("audit", "show", run);
    assertStringIncludes(audit.stdout, "The person who was asked said yes.");
    assertEquals(audit.stdout.includes("program of this user"), false);
  });
}

Deno.test("who answered: with answers_from any, what opens a request is a program's, and never called a person", async () => {
  await using project = await pipelineProject({
    panewright: await panewrightThatStartsFast(),
    turnFor: () => [shell(LEAVE), shell("touch pushed"), done],
    config: {
      permissions: { ask: ["touch pushed"], answers_from: "any" },
      pipelines: { main: [{ name: "build", prompt: "self", check: { type: "fileExists", path: "pushed" } }] },
    },
  });
  const at = (name: string) => `${project.sandbox.project}/${name}`;
  await leaveBehind(project, 'panewright answer "$(ls .panewright/runs)" --question q1 yes; echo "answer $?"');
  const stopped = await project.run("exec", "task.md");
  assertEquals(stopped.code, 3, stopped.stderr);
  await Deno.writeTextFile(at("asked"), "");
  await until(() => exists(at("left")));
  assertStringIncludes(await Deno.readTextFile(at("leftover.log")), "answer 0");
  const [run = ""] = [...Deno.readDirSync(at(".panewright/runs"))].map(({ name }) => name);
  const resumed = await project.run("resume", run);
  assertEquals([resumed.code, await exists(at("pushed"))], [0, true], resumed.stderr + resumed.stdout);
  const audit = await project.run("audit", "show", run);
  assertStringIncludes(audit.stdout, "A program of this user said yes.");
  assertEquals(audit.stdout.includes("The person who was asked"), false);
});
