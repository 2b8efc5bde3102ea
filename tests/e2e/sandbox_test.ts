import { assert, assertEquals, assertStringIncludes } from "@std/assert";
import { exists } from "@std/fs";
import { CAN_RUN } from "../support/can_run_sandbox.ts";
import type { CliName } from "../support/clis.ts";
import { parseEvents } from "../support/panewright.ts";
import { type CliProject, cliProject } from "./cli_project.ts";
import { createReviewModel } from "./review_model.ts";
import { reviewProject } from "./review_project.ts";

/** Writes inside, outside in several ways, and to a server that listens on loopback. */
const PROBE = [
  "echo in > inside.txt",
  'echo out > "$HOME/outside.txt"',
  "echo up > ../outside.txt",
  'mkdir -p "$HOME/.local/state/panewright" && echo x > "$HOME/.local/state/panewright/trust.json"',
  "bash -c 'echo hello > /dev/tcp/127.0.0.1/PORT'",
  "echo end > end.txt",
].join("; ");

interface SandboxProject extends CliProject {
  /** Files that commands of the agent may have written, and connections that they made. */
  written(): Promise<readonly string[]>;
}

/** A project with one step for a real CLI, whose own settings want no sandbox. */
async function setUpProject(provider: CliName): Promise<SandboxProject> {
  const listener = Deno.listen({ hostname: "127.0.0.1", port: 0 });
  let connections = 0;
  (async () => {
    for await (const connection of listener) {
      connections++;
      connection.close();
    }
  })().catch(() => {});
  const { port } = listener.addr as Deno.NetAddr;
  const project = await cliProject({
    provider,
    onPath: "itself",
    respond: () => [
      { do: "shell", command: PROBE.replace("PORT", String(port)) },
      { do: "say", text: "All done." },
    ],
    files: {
      "task.md": "Try what you may do.",
      "panewright.jsonc": {
        provider,
        providers: { codex: { args: ["--skip-git-repo-check"] } },
        sandbox: "cli",
        pipelines: { main: [{ name: "build", prompt: "self", check: { type: "none" } }] },
      },
    },
  });
  const { home, project: folder, root } = project.sandbox;
  return {
    ...project,
    async written() {
      const files = {
        inside: `${folder}/inside.txt`,
        end: `${folder}/end.txt`,
        home: `${home}/outside.txt`,
        above: `${root}/outside.txt`,
        trust: `${home}/.local/state/panewright/trust.json`,
      };
      const found: string[] = connections > 0 ? ["a connection"] : [];
      for (const [name, path] of Object.entries(files)) if (await exists(path)) found.push(name);
      return found;
    },
    async [Symbol.asyncDispose]() {
      listener.close();
      await project[Symbol.asyncDispose]();
    },
  };
}

for (const provider of ["codex", "claude_code"] as const) {
  Deno.test({
    name: `exec, ${provider}: in its CLI's sandbox a command writes inside only, and reaches no server`,
    ignore: !CAN_RUN[provider],
    async fn() {
      await using project = await setUpProject(provider);
      const { code, stdout, stderr } = await project.run("exec", "task.md", "--json");
      assertEquals(code, 0, stderr + stdout);
      assertEquals(await project.written(), ["inside", "end"]);
    },
  });
}

for (
  const [provider, label, remedy] of [
    ["codex", "Codex", "codex sandbox -- true"],
    ["claude_code", "Claude Code", "apt-get install bubblewrap socat"],
  ] as const
) {
  Deno.test({
    name: `exec, ${provider}: where its sandbox cannot run, the agent is refused before it gets any work`,
    ignore: CAN_RUN[provider],
    async fn() {
      await using project = await setUpProject(provider);
      const { code, stderr } = await project.run("exec", "task.md", "--json");
      assertEquals(code, 2, stderr);
      assertStringIncludes(stderr, `sandbox of ${label}: it cannot be switched on: `);
      assertStringIncludes(stderr, remedy);
      assertEquals(await project.written(), []);
    },
  });
}

Deno.test({
  name: "exec, claude_code: what a repository's settings let out of the sandbox is told, and nothing is started",
  ignore: !CAN_RUN.claude_code,
  async fn() {
    await using project = await setUpProject("claude_code");
    const folder = `${project.sandbox.project}/.claude`;
    await Deno.mkdir(folder);
    const loose = { enabled: false, allowUnsandboxedCommands: true, excludedCommands: ["sh *"] };
    await Deno.writeTextFile(`${folder}/settings.json`, JSON.stringify({ sandbox: loose }));
    const { code, stderr } = await project.run("exec", "task.md", "--json");
    assertEquals(code, 2, stderr);
    assertStringIncludes(stderr, 'its settings have sandbox.excludedCommands: ["sh *"]');
    assertEquals(await project.written(), []);
  },
});

Deno.test({
  name: "run, codex: five agents work in the sandbox of their CLI, which is read back from each turn",
  ignore: !CAN_RUN.codex,
  fn: runFiveAgents,
});

async function runFiveAgents(): Promise<void> {
  const review = "REVIEW_RESULT: APPROVED\nREVIEW_NOTES:\n- The plan is complete for `greeting.txt` and `check.sh`.\n" +
    '- The scenario "hello, world" is covered.\n- Run `check.sh` afterwards.\n';
  const model = createReviewModel((name) => {
    if (name === "programmer_summary") {
      const commands = ['echo out > "$HOME/outside.txt"; echo "hello, world" > greeting.txt'];
      return { commands, response: "greeting.txt says hello, world." };
    }
    if (name === "test_result") return { response: "I looked at it.\n\nRESULT: PASS" };
    return { response: name === "analyst_summary" ? "Plan: write greeting.txt, run check.sh." : review };
  });
  await using project = await reviewProject({
    respond: model.respond,
    config: { sandbox: "cli", limits: { min_review_cycles_before_approval: 1, review_evidence_min_match: 0 } },
  });
  const { sandbox } = project;
  const { code, stdout, stderr } = await project.run("run", "--json");
  assertEquals(code, 0, stderr);
  assertEquals(await Deno.readTextFile(`${sandbox.project}/greeting.txt`), "hello, world\n");
  assertEquals(await exists(`${sandbox.home}/outside.txt`), false);
  const ready = parseEvents(stdout).filter(({ type }) => type === "agent_ready");
  assertEquals(ready.length, 5);
  assert(ready.every((event) => JSON.stringify(event).includes('"sandbox":[]')), stdout);
}
