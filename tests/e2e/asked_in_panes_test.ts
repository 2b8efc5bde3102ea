import { assertEquals, assertMatch, assertStringIncludes } from "@std/assert";
import { exists } from "@std/fs";
import { CLI_LABELS } from "../support/clis.ts";
import { parseEvents } from "../support/panewright.ts";
import { runProgram } from "../support/program.ts";
import { until } from "../support/until.ts";
import { responseTargetOf, workTurn } from "./review_model.ts";
import { type ReviewProject, reviewProject } from "./review_project.ts";

interface Question {
  readonly run: string;
  readonly id: string;
  readonly text: string;
}

/** A project whose tester runs `touch pushed`, which its CLI's own settings let it do without asking. */
function projectOf(
  provider: "codex" | "claude_code",
  { permissions, ...config }: Readonly<{ permissions: Record<string, unknown>; sandbox?: "agent" | "off" }>,
) {
  return reviewProject({
    provider,
    files: { "greeting.txt": "hello, world\n" },
    config: {
      ...{ start_agent: "tester", limits: { max_rounds: 1 }, ...config },
      permissions: { ask: ["touch pushed"], ...permissions },
    },
    respond(request) {
      const target = responseTargetOf(request.prompts.at(-1) ?? "");
      if (target === undefined) return [{ do: "say", text: "Well." }];
      return workTurn(target, { commands: ["touch pushed"], response: "RESULT: PASS\nIt is as it should be." });
    },
  });
}

async function questionOf(project: ReviewProject): Promise<Question> {
  return JSON.parse(await until(async () => (await project.run("questions", "--json")).stdout));
}

for (const provider of ["codex", "claude_code"] as const) {
  const label = CLI_LABELS[provider];

  Deno.test(`a person is asked about what the settings of a real ${label} in a pane just let run, and their answer counts`, async () => {
    for (const [answer, sandbox] of [["yes", "off"], ["no", "off"], ["yes", "agent"]] as const) {
      await using project = await projectOf(provider, { permissions: { dialog_timeout_seconds: 60 }, sandbox });
      const pushed = () => exists(`${project.sandbox.project}/pushed`);
      await using run = project.start("run", "--json");
      const question = await questionOf(project);
      assertStringIncludes(question.text, "touch pushed");
      assertStringIncludes((await project.run("status")).stdout, "q1");
      assertEquals(await pushed(), false);
      assertEquals((await project.run("answer", question.run, answer)).code, 0);
      const { code, stdout, stderr } = await run.ended;
      assertEquals([code, await pushed()], [0, answer === "yes"], stderr);
      // Nothing is in the pane to be answered there.
      const asked = JSON.stringify(parseEvents(stdout).filter(({ type }) => type === "dialog_waiting"));
      assertStringIncludes(asked, '"subject":"touch pushed"');
      assertEquals(asked.includes("attachCommand"), false, asked);
      const audit = await project.run("audit", "show");
      assertStringIncludes(audit.stdout, `The person who was asked said ${answer}.`);
      assertEquals((await project.run("audit", "verify")).code, 0);
      await project.sandbox.assertNothingLeft();
    }
  });

  Deno.test(`a hook that holds a call of a real ${label} in a pane ends by no signal of its agent's end: without a yes nothing runs`, async () => {
    await using project = await projectOf(provider, { permissions: { dialog_timeout_seconds: 60 } });
    await using run = project.start("run");
    const question = await questionOf(project);
    const { env, project: folder, root } = project.sandbox;
    // A CLI whose hook dies without a word makes the call.
    const script = `for f in /proc/[0-9]*/cmdline; do
      words=$(tr '\\0' ' ' <$f) 2>/dev/null; pid=\${f#/proc/}; pid=\${pid%/cmdline}
      case $words in "/bin/sh -c "*"${root}"*" call-tester "*) kill -HUP $pid; kill -TERM $pid; echo $pid;; esac
    done 2>/dev/null`;
    const told = await runProgram(["sh", "-c", script], { cwd: folder, env, timeoutMs: 20_000 });
    assertMatch(told.stdout, /^\d+\n/);
    assertEquals((await project.run("answer", question.run, "no")).code, 0);
    const { code, stderr } = await run.ended;
    assertEquals([code, await exists(`${folder}/pushed`)], [0, false], stderr);
    await project.sandbox.assertNothingLeft();
  });

  Deno.test(`what a real ${label} in a pane may not run without a person's yes stays open, and runs once they gave it`, async () => {
    await using project = await projectOf(provider, { permissions: { dialog_timeout_seconds: 2 } });
    const pushed = () => exists(`${project.sandbox.project}/pushed`);
    const stopped = await project.run("run");
    assertEquals([stopped.code, await pushed()], [3, false], stopped.stderr);
    await project.sandbox.assertNothingLeft();
    const question = await questionOf(project);
    assertEquals((await project.run("answer", question.run, "yes")).code, 0);
    const resumed = await project.run("resume", question.run);
    assertEquals([resumed.code, await pushed()], [0, true], resumed.stderr);
    await project.sandbox.assertNothingLeft();
  });
}
