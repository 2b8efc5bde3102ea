import { cliProject } from "./cli_project.ts";
import { runProgram } from "../support/program.ts";
const LOG = "/tmp/hand.log";
Deno.test("hand", async () => {
  await using project = await cliProject({
    ...{ provider: "codex", isRepository: false, onPath: "itself", codex: { trusted: false } } as const,
    respond() {
      return [{ do: "shell", command: "echo rounded > fixed.txt" }, { do: "say", text: "Rounded." }];
    },
    files: { Makefile: "test:\n\tgrep rounded fixed.txt\n", "src/a.txt": "a\n" },
    env: { PANEWRIGHT_TRUST: "0" },
  });
  const out: string[] = [];
  const call = async (...words: string[]) => {
    const r = await runProgram([...project.argv, ...words], {
      cwd: project.sandbox.project,
      env: project.env,
      timeoutMs: 120_000,
    });
    out.push(`$ panewright ${words.join(" ")}\n${r.stdout}${r.stderr}[${r.code}]\n`);
    return r;
  };
  await call("exec", "Fix the rounding", "--provider", "codex", "--trust");
  await call("runs");
  await call("evidence", "fix-the-rounding");
  await call("evidence", "verify", "fix-the-rounding");
  await call("evidence", "verify", "fix-the-rounding", "--again", "--trust");
  await Deno.writeTextFile(`${project.sandbox.project}/src/a.txt`, "b\n");
  await call("evidence", "verify", "fix-the-rounding");
  await call("show", "fix-the-rounding");
  await call("diff", "fix-the-rounding");
  await call("workspaces");
  await call("Fix the rounding", "--provider", "codex", "--trust");
  out.push(
    (await runProgram(
      ["sh", "-c", "ls -la; find .local/state -maxdepth 3 | head -40; du -sh .local/state/*/stores/*"],
      { cwd: project.sandbox.home, env: project.env, timeoutMs: 10000 },
    )).stdout,
  );
  await Deno.writeTextFile(LOG, out.join("\n"));
});
