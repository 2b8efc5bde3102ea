import { assert, assertEquals } from "@std/assert";
import { CLI_LABELS, type CliName } from "../support/clis.ts";
import { startProgram } from "../support/program.ts";
import { until } from "../support/until.ts";
import { cliProject } from "./cli_project.ts";
import { watchProgram } from "./failures_stage.ts";
import { responseTargetOf, workTurn } from "./review_model.ts";

/**
 * A tmux that stops at the command that the file `stop-at` names, before it reads its input, until the file `go` is
 * there.
 */
const SLOW_TMUX = `#!/bin/sh
case " $* " in *" $(cat "$SLOW_TMUX/stop-at") "*)
  : > "$SLOW_TMUX/stopped"
  while [ ! -e "$SLOW_TMUX/go" ]; do sleep 0.05; done
esac
exec "$SLOW_TMUX/tmux" "$@"
`;

/** Of some 250,000 characters: a pipe takes 65,536 bytes before somebody reads. */
const SCENARIO = Array.from({ length: 10_000 }, (_, step) => `${step + 1}. It greets person ${step}.`).join("\n");

const JOB = `Keep the greeter as it is.
*** ORIGINAL EXPLORE SUMMARY ***
There is nothing to explore.
*** SCENARIO TEST ***
${SCENARIO}
`;

async function findProgram(name: string, path: string): Promise<string> {
  for (const folder of path.split(":")) {
    const info = await Deno.stat(`${folder}/${name}`).catch(() => undefined);
    if (info?.isFile) return `${folder}/${name}`;
  }
  throw new TypeError(`There is no ${name} in ${path}`);
}

async function setUp(provider: CliName, prompts: string[]) {
  const project = await cliProject({
    provider,
    respond(request) {
      const prompt = request.prompts.at(-1) ?? "";
      const target = responseTargetOf(prompt);
      if (target === undefined) return [{ do: "say", text: "I was given no response file." }];
      prompts.push(prompt);
      return workTurn(target, { response: "All is well.\nRESULT: PASS" });
    },
    files: {
      "job.md": JOB,
      "panewright.jsonc": {
        provider,
        providers: { claude_code: { args: ["--allowedTools", "Bash"] } },
        prompt_file: "job.md",
        start_agent: "tester",
        limits: { max_rounds: 1 },
        handoff: { poll_seconds: 0.5, response_timeout: 120 },
      },
    },
  });
  const { argv, env: own, sandbox } = project;
  const slow = `${sandbox.root}/slow-tmux`;
  await Deno.mkdir(`${slow}/bin`, { recursive: true });
  await Deno.symlink(await findProgram("tmux", own["PATH"] ?? ""), `${slow}/tmux`);
  await Deno.writeTextFile(`${slow}/bin/tmux`, SLOW_TMUX, { mode: 0o755 });
  const env = { ...own, SLOW_TMUX: slow, PATH: `${slow}/bin:${own["PATH"]}` };
  const place = { env, project: sandbox.project };
  return {
    ...project,
    slow,
    start: (...args: readonly string[]) =>
      watchProgram(startProgram([...argv, ...args, "--json"], { env, cwd: sandbox.project }), place),
  };
}

for (const provider of ["codex", "claude_code"] as const) {
  for (const command of ["load-buffer", "paste-buffer"]) {
    Deno.test(`${CLI_LABELS[provider]} gets a long prompt once and whole, though panewright is killed at its ${command}`, async () => {
      const prompts: string[] = [];
      await using stage = await setUp(provider, prompts);
      await Deno.writeTextFile(`${stage.slow}/stop-at`, command);
      await using run = stage.start("run");
      await run.fact("message_sending");
      await until(() => Deno.lstat(`${stage.slow}/stopped`).then(() => true, () => false));
      run.program.kill("SIGKILL");
      await run.program.ended;
      await Deno.writeTextFile(`${stage.slow}/go`, "");

      await using resumed = stage.start("resume");
      const { code, stderr } = await resumed.ended();
      assertEquals(code, 0, stderr);
      const [prompt = "", ...others] = new Set(prompts);
      assertEquals(others.map((one) => one.length), [], "another prompt");
      // The log of what Claude Code asks has blanks for line ends.
      const words = (text: string) => text.replaceAll(/\s+/g, " ");
      assert(words(prompt).includes(words(SCENARIO)), `a prompt of ${prompt.length} characters`);
      assert(prompt.includes("--- END OF RESPONSE FILE INSTRUCTION ---"));
      // The Claude Code whose panewright was killed has left its own socket.
      await Deno.remove(`${stage.sandbox.env["TMPDIR"]}/cc-socks`, { recursive: true }).catch(() => {});
      await stage.sandbox.assertNothingLeft();
    });
  }
}
