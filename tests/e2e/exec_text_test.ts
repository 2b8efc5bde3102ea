import { assertEquals, assertMatch, assertStringIncludes } from "@std/assert";
import { exists } from "@std/fs";
import { type CommandResult, systemProcessRunner } from "../../lib/base/ports/process.ts";
import { startCliServer } from "../lab/cli_server.ts";
import type { ModelRequest } from "../lab/script.ts";
import type { Turn } from "../lab/steps.ts";
import { CAN_RUN } from "../support/can_run_sandbox.ts";
import { writeClaudeHome } from "../support/claude_home.ts";
import { type CliName, installCli } from "../support/clis.ts";
import { writeCodexHome } from "../support/codex_home.ts";
import { panewrightFromSource } from "../support/panewright.ts";
import { createSandbox, type Sandbox } from "../support/sandbox.ts";

interface TextProject extends AsyncDisposable {
  readonly sandbox: Sandbox;
  /** How often the model was given a prompt. */
  readonly prompts: readonly string[];
  run(...args: readonly string[]): Promise<CommandResult>;
}

const TASK = "Fix the rounding of coupons";

/**
 * A repository without a config for panewright, which neither its CLI nor the person trusts, with a test command, and
 * with a hook of its own for Claude Code. The model asks, then writes with the tool that its CLI has for it.
 */
async function textProject(provider: CliName): Promise<TextProject> {
  await using stack = new AsyncDisposableStack();
  const cli = await installCli(provider);
  const panewright = await panewrightFromSource();
  const sandbox = stack.use(await createSandbox());
  const { project, home, root } = sandbox;
  const prompts: string[] = [];
  const write = (path: string): Turn =>
    provider === "codex"
      ? [{ do: "shell", command: `echo rounded > ${path}` }]
      : [{ do: "call", tool: "Write", input: { file_path: path, content: "rounded\n" } }];
  const respond = ({ prompts: given }: ModelRequest): Turn => {
    prompts.push(given.at(-1) ?? "");
    if (!prompts.at(-1)?.includes("The answer of the person")) {
      return [{ do: "shell", command: 'panewright ask "Up or down?"' }, { do: "say", text: "Never said." }];
    }
    return [...write(`${project}/fixed.txt`), ...write(`${root}/outside.txt`), { do: "say", text: "Rounded." }];
  };
  const server = stack.use(startCliServer(provider, { respond }));
  const baseUrl = server.baseUrl();
  const cliEnv = provider === "codex"
    ? await writeCodexHome({ folder: `${root}/codex-home`, project, baseUrl, trusted: false })
    : await writeClaudeHome({ home, project, baseUrl, tmp: `${root}/tmp`, version: cli.version, trusted: false });
  await systemProcessRunner.run({ argv: ["git", "init", "--quiet", project] });
  await Deno.writeTextFile(`${project}/Makefile`, "test:\n\tgrep rounded fixed.txt\n");
  await Deno.mkdir(`${project}/.claude`);
  const hooks = { SessionStart: [{ hooks: [{ type: "command", command: `touch ${root}/hook-ran` }] }] };
  await Deno.writeTextFile(`${project}/.claude/settings.json`, JSON.stringify({ hooks }));
  // Without its install script the command that npm puts on PATH is none.
  await Deno.mkdir(`${root}/bin`);
  const program = `${root}/bin/${provider === "codex" ? "codex" : "claude"}`;
  await Deno.writeTextFile(program, `#!/bin/sh\nexec '${cli.argv.join("' '")}' "$@"\n`, { mode: 0o755 });
  const { PANEWRIGHT_TRUST: _, ...own } = sandbox.env;
  const env = { ...own, ...panewright.env, ...cliEnv, PATH: `${root}/bin:${own["PATH"]}` };
  const resources = stack.move();
  return {
    sandbox,
    prompts,
    run: (...args) =>
      systemProcessRunner.run({
        argv: [...panewright.argv, ...args],
        cwd: project,
        env,
        clearEnv: true,
        stdin: TASK,
        timeoutMs: 120_000,
      }),
    [Symbol.asyncDispose]: () => resources.disposeAsync(),
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
      assertEquals((await project.run("answer", run, "Up", "--trust")).code, 0);
      const resumed = await project.run("resume", run, "--trust");
      assertEquals(resumed.code, 0, resumed.stderr + resumed.stdout);
      assertStringIncludes(resumed.stderr, "check 1, make test: it passed");
      assertEquals(project.prompts.length, 2);
      assertStringIncludes(project.prompts[1] ?? "", TASK);
      assertEquals(await exists(`${root}/outside.txt`), false);
    },
  });
}
