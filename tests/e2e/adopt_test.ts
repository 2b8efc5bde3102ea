import { assertEquals, assertMatch, assertStringIncludes } from "@std/assert";
import { CAN_RUN } from "../support/can_run_sandbox.ts";
import { openPersonTerminal } from "../support/person_terminal.ts";
import { runProgram } from "../support/program.ts";
import { until } from "../support/until.ts";
import { cliProject } from "./cli_project.ts";

const PLAN = "First the upper half, then the lower one.";

for (const provider of ["codex", "claude_code"] as const) {
  Deno.test({
    name:
      `adopt, ${provider}: a copy of a person's session goes on apart, fails its check, and goes on in the same one`,
    ignore: !CAN_RUN[provider],
    async fn() {
      const asked: (readonly string[])[] = [];
      await using project = await cliProject({
        provider,
        isRepository: true,
        onPath: "itself",
        files: { Makefile: "test:\n\tgrep lower halves.txt\n", "halves.txt": "" },
        respond({ prompts }) {
          asked.push(prompts);
          const lines = ["", "upper", "lower"];
          const line = lines[asked.length - 1] ?? "lower";
          const say = { do: "say", text: asked.length === 1 ? PLAN : "Done." } as const;
          if (line === "") return [say];
          const command = `echo ${line} >> halves.txt`;
          return provider === "codex"
            ? [{ do: "shell", command }, say]
            : [{ do: "call", tool: "Bash", input: { command, description: "Writes" } }, say];
        },
      });
      const { project: folder, home } = project.sandbox;
      const own = provider === "codex" ? ["exec", "--skip-git-repo-check", "Plan it"] : ["-p", "Plan it"];
      const begun = await runProgram([...project.cli, ...own], { cwd: folder, env: project.env, timeoutMs: 120_000 });
      assertEquals(begun.code, 0, begun.stderr);
      const { CODEX_HOME = `${home}/.codex`, CLAUDE_CONFIG_DIR = `${home}/.claude` } = project.env;
      const kept = provider === "codex" ? `${CODEX_HOME}/sessions` : `${CLAUDE_CONFIG_DIR}/projects`;
      const before = await contentsOf(kept);
      assertEquals(before.size, 1);
      const adopted = await project.run("adopt", "last", "Finish it", "--trust");
      assertEquals(adopted.code, 0, adopted.stderr + adopted.stdout);
      assertMatch(adopted.stdout, /^✓ PASS +finish-it .* 2 turns?\n/);
      // Each turn has what was said before: the person's own, and the one that failed.
      assertStringIncludes(asked[1]!.join("\n"), "Plan it");
      assertStringIncludes(asked.at(-1)!.join("\n"), "Plan it");
      assertStringIncludes(asked.at(-1)!.join("\n"), "Finish it");
      // What is the person's is as it was.
      assertEquals(await contentsOf(kept), before);
      assertEquals(await Deno.readTextFile(`${folder}/halves.txt`), "");
      assertEquals((await project.run("apply", "finish-it")).code, 0);
      assertEquals(await Deno.readTextFile(`${folder}/halves.txt`), "upper\nlower\n");

      const detached = await project.run("adopt", "last", "Say it again", "--trust", "--detach", "--check", "true");
      assertEquals(detached.code, 0, detached.stderr);
      await until(() => project.run("show", "say-it-again"), ({ stdout }) => /^✓ PASS/m.test(stdout));
      assertStringIncludes(asked.at(-1)!.join("\n"), "Plan it");

      const unknown = await project.run("adopt", crypto.randomUUID(), "Finish it", "--trust");
      assertEquals(unknown.code, 2);
      assertStringIncludes(unknown.stderr, "neither Codex nor Claude Code has one of that id");
      const open = await runProgram([...project.argv, "adopt", "last", "Finish it again", "--trust"], {
        ...{ cwd: folder, env: { ...project.env, PANEWRIGHT_SANDBOX: "off" }, timeoutMs: 120_000 },
      });
      assertEquals(open.code, 2, open.stdout);
      assertStringIncludes(open.stderr, "without the sandbox around the agent");
      await project.sandbox.assertNothingLeft();
    },
  });
}

for (const provider of ["codex", "claude_code"] as const) {
  Deno.test({
    name: `adopt, ${provider}: the session of a pane, which stays open`,
    ignore: !CAN_RUN[provider],
    async fn() {
      const asked: (readonly string[])[] = [];
      await using project = await cliProject({
        provider,
        isRepository: true,
        onPath: "itself",
        files: { Makefile: "test:\n\ttrue\n" },
        respond({ prompts }) {
          asked.push(prompts);
          return [{ do: "say", text: asked.length === 1 ? PLAN : "Done." }];
        },
      });
      const { sandbox: { root }, env } = project;
      await using terminal = await openPersonTerminal(project, { argv: project.cli });
      await terminal.shows(/[›❯]/);
      await terminal.type("Plan the halves");
      await terminal.shows(/Plan the halves/);
      await terminal.press("Enter");
      await terminal.shows(/First the upper half/);
      const inside = (...words: readonly string[]) =>
        runProgram([...project.argv, "adopt", ...words, "--trust"], {
          ...{ cwd: project.sandbox.project, env: { ...env, TMUX: `${root}/person,1,0` }, timeoutMs: 120_000 },
        });
      const adopted = await inside("%0", "Finish the halves");
      assertMatch(adopted.stdout, /^✓ PASS/m, adopted.stderr);
      assertStringIncludes(asked.at(-1)!.join("\n"), "Plan the halves");
      assertStringIncludes(asked.at(-1)!.join("\n"), "Finish the halves");
      await terminal.shows(/First the upper half/);
      const none = await inside("%9", "Finish the halves");
      assertEquals(none.code, 2, none.stdout);
      assertStringIncludes(none.stderr, "Cannot find pane %9");
    },
  });
}

async function contentsOf(folder: string): Promise<ReadonlyMap<string, string>> {
  const found = new Map<string, string>();
  for await (const entry of Deno.readDir(folder)) {
    const path = `${folder}/${entry.name}`;
    if (entry.isDirectory) { for (const [name, text] of await contentsOf(path)) found.set(name, text); }
    else found.set(path, await Deno.readTextFile(path));
  }
  return found;
}
