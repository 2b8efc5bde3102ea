import { cliProject } from "./cli_project.ts";
import { dirty } from "./checkouts.ts";
import { runProgram } from "../support/program.ts";
const LOG = "/tmp/hand.log";
for (const isRepository of [true, false]) {
  Deno.test("hand " + isRepository, async () => {
    await using project = await cliProject({
      ...{ provider: "codex", isRepository, onPath: "itself", codex: { trusted: false } } as const,
      respond({ prompts }) {
        return [{
          do: "shell",
          command: `echo rounded >> fixed.txt; mkdir -p __pycache__; echo ${prompts.length} > __pycache__/x`,
        }, { do: "say", text: "Rounded." }];
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
    if (isRepository) await dirty(project.sandbox.project);
    await call("exec", "Fix the rounding", "--provider", "codex", "--trust");
    await call("diff", "fix-the-rounding");
    await call("diff", "--stat");
    await call("diff", "--json");
    await call("diff", "fix-the-rounding", "--turns");
    await call(
      "exec",
      "Break it",
      "--provider",
      "codex",
      "--trust",
      "--max-attempts",
      "1",
      "--review",
      "none",
      "--check",
      "false",
    );
    await Deno.writeTextFile(`${project.sandbox.project}/src/a.txt`, "b\n");
    await call("show");
    await call("diff", "--stat");
    await call("diff", "nothing");
    await Deno.writeTextFile(LOG, out.join("\n") + (await Deno.readTextFile(LOG).catch(() => "")));
  });
}
