import { assertEquals, assertStringIncludes } from "@std/assert";
import { systemProcessRunner } from "../../lib/base/ports/process.ts";
import { startCliServer } from "../lab/cli_server.ts";
import type { Turn } from "../lab/steps.ts";
import { writeCliHome } from "../support/cli_home.ts";
import { installCli } from "../support/clis.ts";
import { panewrightCommands } from "../support/panewright.ts";
import { runProgram } from "../support/program.ts";
import { createSandbox } from "../support/sandbox.ts";

for (const provider of ["codex", "claude_code"] as const) {
  Deno.test(`init --exec writes a pipeline that works with the CLI that is there: ${provider}, in a folder that it does not trust`, async () => {
    const cli = await installCli(provider);
    const panewright = (await panewrightCommands()).at(-1)!;
    await using sandbox = await createSandbox();
    const { project, root } = sandbox;
    const made = `${project}/fixed.txt`;
    const turn: Turn = provider === "codex"
      ? [{ do: "shell", command: `echo rounded > ${made}` }, { do: "say", text: "Rounded." }]
      : [
        { do: "call", tool: "Write", input: { file_path: made, content: "rounded\n" } },
        { do: "shell", command: "git push" },
        { do: "say", text: "Rounded." },
      ];
    const respond = () => turn;
    await using server = startCliServer(provider, { respond });
    const baseUrl = server.baseUrl();
    const codex = { trusted: false, sandboxMode: "read-only" } as const;
    const cliEnv = await writeCliHome(sandbox, { provider, version: cli.version, baseUrl, codex });
    await systemProcessRunner.run({ argv: ["git", "init", "--quiet", project] });
    await Deno.writeTextFile(`${project}/Makefile`, "test:\n\tgrep rounded fixed.txt\n");
    // Without its install script the command that npm puts on PATH is none.
    await Deno.mkdir(`${root}/bin`);
    const program = `${root}/bin/${provider === "codex" ? "codex" : "claude"}`;
    await Deno.writeTextFile(program, `#!/bin/sh\nexec '${cli.argv.join("' '")}' "$@"\n`, { mode: 0o755 });
    const env = { ...sandbox.env, ...panewright.env, ...cliEnv, PATH: `${root}/bin:${sandbox.env["PATH"]}` };
    const run = (...args: readonly string[]) =>
      runProgram([...panewright.argv, ...args], { cwd: project, env, timeoutMs: 120_000 });

    const written = await run("init", "--exec");
    assertEquals(written.code, 0, written.stderr);
    assertEquals((await run("validate", "task.md")).code, 0);
    await Deno.writeTextFile(`${project}/task.md`, "Fix the rounding.\n");
    const done = await run("exec", "task.md", "--no-input");
    // What is not on the list is the person's to permit.
    if (provider === "claude_code") {
      assertEquals(done.code, 3, done.stderr + done.stdout);
      assertStringIncludes(done.stdout, "The agent asks for permission: the command `git push`");
      const [id = ""] = [...Deno.readDirSync(`${project}/.panewright/runs`)].map(({ name }) => name);
      assertEquals((await run("answer", id, "no,", "nothing", "leaves", "this", "machine")).code, 0);
      const resumed = await run("resume", id, "--no-input");
      assertEquals(resumed.code, 0, resumed.stderr + resumed.stdout);
      assertStringIncludes(resumed.stderr, "refused by person: command git push. nothing leaves this machine");
    } else {
      assertEquals(done.code, 0, done.stderr + done.stdout);
      assertStringIncludes(done.stderr, "sandbox workspace-write, approvals never");
    }
    assertEquals(await Deno.readTextFile(made), "rounded\n");
  });
}
