import { assertEquals, assertMatch, assertStringIncludes } from "@std/assert";
import type { Turn } from "../lab/steps.ts";
import { CAN_RUN } from "../support/can_run_sandbox.ts";
import type { CliName } from "../support/clis.ts";
import { openPersonTerminal } from "../support/person_terminal.ts";
import { runProgram } from "../support/program.ts";
import { until } from "../support/until.ts";
import { type CliProject, cliProject } from "./cli_project.ts";

const PLAN = "First the upper half, then the lower one.";

/** A project whose model has a plan at its first prompt, and writes a line at each further one, as far as there are lines. */
async function planned(
  provider: CliName,
  { lines, test, hold = () => Promise.resolve() }: {
    readonly lines: readonly string[];
    readonly test: string;
    /** Waits, with the number of the prompt, before the model answers. */
    readonly hold?: (number: number) => Promise<void>;
  },
): Promise<CliProject & { readonly asked: readonly (readonly string[])[] }> {
  const asked: (readonly string[])[] = [];
  const project = await cliProject({
    provider,
    isRepository: true,
    onPath: "itself",
    files: { Makefile: `test:\n\t${test}\n`, "halves.txt": "" },
    async respond({ prompts }): Promise<Turn> {
      const number = asked.push(prompts);
      await hold(number);
      if (number === 1) return [{ do: "say", text: PLAN }];
      const line = lines[number - 2];
      if (line === undefined) return [{ do: "say", text: "Done." }];
      const command = `echo ${line} >> halves.txt`;
      return provider === "codex"
        ? [{ do: "shell", command }, { do: "say", text: "Done." }]
        : [{ do: "call", tool: "Bash", input: { command, description: "Writes" } }, { do: "say", text: "Done." }];
    },
  });
  return { ...project, asked };
}

/** Has the person plan with their CLI, without panewright. */
async function plan({ cli, env, sandbox: { project: cwd } }: CliProject, provider: CliName): Promise<void> {
  const own = provider === "codex" ? ["exec", "--skip-git-repo-check", "Plan it"] : ["-p", "Plan it"];
  const begun = await runProgram([...cli, ...own], { cwd, env, timeoutMs: 120_000 });
  assertEquals(begun.code, 0, begun.stderr);
}

for (const provider of ["codex", "claude_code"] as const) {
  const ignore = !CAN_RUN[provider];

  Deno.test({
    name:
      `adopt, ${provider}: a copy of a person's session goes on apart, fails its check, and goes on in the same one`,
    ignore,
    async fn() {
      await using project = await planned(provider, { lines: ["upper", "lower"], test: "grep lower halves.txt" });
      const { asked, env, sandbox: { project: folder, home } } = project;
      await plan(project, provider);
      const { CODEX_HOME = `${home}/.codex`, CLAUDE_CONFIG_DIR = `${home}/.claude` } = env;
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
        ...{ cwd: folder, env: { ...env, PANEWRIGHT_SANDBOX: "off" }, timeoutMs: 120_000 },
      });
      assertEquals(open.code, 2, open.stdout);
      assertStringIncludes(open.stderr, "without the sandbox around the agent");
      await project.sandbox.assertNothingLeft();
    },
  });

  Deno.test({
    name: `adopt, ${provider}: Ctrl-C in the middle of its turn; resumed, it still knows what was said before`,
    ignore,
    async fn() {
      const isAtWork = Promise.withResolvers<void>();
      const isOver = Promise.withResolvers<void>();
      await using project = await planned(provider, {
        ...{ lines: ["lost", "lower"], test: "grep lower halves.txt" },
        async hold(number) {
          if (number !== 2) return;
          isAtWork.resolve();
          await isOver.promise;
        },
      });
      await plan(project, provider);
      const adopting = project.start("adopt", "last", "Finish it", "--trust");
      await isAtWork.promise;
      adopting.kill("SIGINT");
      assertEquals((await adopting.ended).code, 130);
      isOver.resolve();
      const resumed = await project.run("resume", "--trust");
      assertEquals(resumed.code, 0, resumed.stderr);
      assertMatch(resumed.stdout, /^✓ PASS +finish-it /m);
      assertStringIncludes(project.asked.at(-1)!.join("\n"), "Plan it");
      await project.sandbox.assertNothingLeft();
    },
  });

  Deno.test({
    name: `adopt, ${provider}: the session of a pane, which stays open`,
    ignore,
    async fn() {
      await using project = await planned(provider, { lines: [], test: "true" });
      const { asked, env, sandbox: { project: cwd, root } } = project;
      await using terminal = await openPersonTerminal(project, { argv: project.cli });
      await terminal.shows(/[›❯]/);
      await terminal.type("Plan the halves");
      await terminal.shows(/Plan the halves/);
      await terminal.press("Enter");
      await terminal.shows(/First the upper half/);
      const adopt = (pane: string) =>
        runProgram([...project.argv, "adopt", pane, "Finish the halves", "--trust"], {
          ...{ cwd, env: { ...env, TMUX: `${root}/person,1,0` }, timeoutMs: 120_000 },
        });
      const adopted = await adopt("%0");
      assertMatch(adopted.stdout, /^✓ PASS/m, adopted.stderr);
      assertStringIncludes(asked.at(-1)!.join("\n"), "Plan the halves");
      assertStringIncludes(asked.at(-1)!.join("\n"), "Finish the halves");
      await terminal.shows(/First the upper half/);
      const none = await adopt("%9");
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
