import { assertEquals, assertMatch, assertStringIncludes } from "@std/assert";
import { exists } from "@std/fs";
import type { Turn } from "../lab/steps.ts";
import { CAN_RUN } from "../support/can_run_sandbox.ts";
import type { CliName } from "../support/clis.ts";
import { runProgram } from "../support/program.ts";
import { cliProject } from "./cli_project.ts";

const TASK = "Fix the rounding of coupons";

/**
 * A repository without a config for panewright, which neither its CLI nor the person trusts, with a test command, and
 * with a hook of its own for Claude Code. The model asks, then writes with the tool that its CLI has for it.
 */
async function textProject(provider: CliName) {
  const prompts: string[] = [];
  const write = (path: string): Turn =>
    provider === "codex"
      ? [{ do: "shell", command: `echo rounded > ${path}` }]
      : [{ do: "call", tool: "Write", input: { file_path: path, content: "rounded\n" } }];
  const project = await cliProject({
    provider,
    isRepository: true,
    onPath: "itself",
    ...{ codex: { trusted: false }, claude: { trusted: false } },
    respond({ prompts: given }, { project: folder, root }) {
      prompts.push(given.at(-1) ?? "");
      if (!prompts.at(-1)?.includes("The answer of the person")) {
        return [{ do: "shell", command: 'panewright ask "Up or down?"' }, { do: "say", text: "Never said." }];
      }
      return [...write(`${folder}/fixed.txt`), ...write(`${root}/outside.txt`), { do: "say", text: "Rounded." }];
    },
    files: { Makefile: "test:\n\tgrep rounded fixed.txt\n" },
    env: { PANEWRIGHT_TRUST: "0" },
  });
  const { argv, env, sandbox: { project: cwd, root } } = project;
  await Deno.mkdir(`${cwd}/.claude`);
  const hooks = { SessionStart: [{ hooks: [{ type: "command", command: `touch ${root}/hook-ran` }] }] };
  await Deno.writeTextFile(`${cwd}/.claude/settings.json`, JSON.stringify({ hooks }));
  return {
    ...project,
    /** How often the model was given a prompt. */
    prompts,
    run: (...args: readonly string[]) =>
      runProgram(["sh", "-c", `printf '%s' "$0" | "$@"`, TASK, ...argv, ...args], { cwd, env, timeoutMs: 120_000 }),
  };
}

for (const provider of ["codex", "claude_code"] as const) {
  Deno.test({
    name:
      `exec of a text, ${provider}: refused in a folder that is not trusted; then asks, and is done in a sandbox with the project's tests as its check`,
    ignore: !CAN_RUN[provider],
    async fn() {
      await using project = await textProject(provider);
      const { root, project: folder } = project.sandbox;
      const refused = await project.run("exec", TASK, "--provider", provider);
      assertEquals([refused.code, project.prompts.length], [3, 0], refused.stderr);
      assertStringIncludes(refused.stderr, `Cannot use ${folder}: you have not trusted it`);
      assertStringIncludes(refused.stderr, "--trust or PANEWRIGHT_TRUST=1");
      assertEquals(await exists(`${root}/hook-ran`), false);
      assertEquals(await exists(`${folder}/.panewright`), false);

      const stopped = await project.run("exec", "-", "--provider", provider, "--trust", "--json");
      assertEquals(stopped.code, 3, stopped.stderr + stopped.stdout);
      const run = /"runId":"([^"]+)"/.exec(stopped.stdout)?.[1] ?? "";
      assertMatch(stopped.stdout, /"type":"question_asked".*"text":"Up or down\?"/);
      assertEquals((await project.run("answer", run, "Up")).code, 0);
      const resumed = await project.run("resume", run);
      assertEquals(resumed.code, 0, resumed.stderr + resumed.stdout);
      assertStringIncludes(resumed.stderr, "check 1, make test: it passed");
      assertEquals(project.prompts.length, 2);
      assertStringIncludes(project.prompts[1] ?? "", TASK);
      assertEquals(await exists(`${root}/outside.txt`), false);
    },
  });
}
