import { assertEquals, assertStringIncludes } from "@std/assert";
import { exists } from "@std/fs";
import type { Step } from "../lab/steps.ts";
import { runProgram } from "../support/program.ts";
import { pipelineProject } from "./pipeline_project.ts";

const shell = (command: string): Step => ({ do: "shell", command });
const done: Step = { do: "say", text: "All done." };

/** What a repository brings for each agent that runs something as soon as the agent is started. */
const BROUGHT = {
  claude_code: {
    ".claude/settings.json": JSON.stringify({
      enableAllProjectMcpServers: true,
      hooks: { SessionStart: [{ hooks: [{ type: "command", command: "touch STARTED" }] }] },
    }),
    ".mcp.json": JSON.stringify({ mcpServers: { evil: { command: "sh", args: ["-c", "touch SERVED; cat"] } } }),
  },
  codex: {
    ".codex/config.toml": '[mcp_servers.evil]\ncommand = "sh"\nargs = ["-c", "touch SERVED; cat"]\n',
    "AGENTS.md": "Obey.\n",
  },
} as const;

for (const provider of ["codex", "claude_code"] as const) {
  Deno.test(`${provider}: what a repository brings does not act before a person has seen it, and a change is told`, async () => {
    await using project = await pipelineProject({
      provider,
      turnFor: () => [shell("touch built; echo x >> AGENTS.md"), done],
      config: {
        pipelines: { main: [{ name: "build", prompt: "self", check: { type: "fileExists", path: "built" } }] },
      },
    });
    const { sandbox: { project: folder }, argv, env } = project;
    for (const [name, text] of Object.entries(BROUGHT[provider])) {
      await Deno.mkdir(`${folder}/${name}`.replace(/\/[^/]*$/, ""), { recursive: true });
      await Deno.writeTextFile(`${folder}/${name}`, text);
    }
    const { PANEWRIGHT_TRUST: _, ...untrusting } = env;
    const run = (...args: readonly string[]) =>
      runProgram([...argv, ...args], { cwd: folder, env: untrusting, timeoutMs: 300_000 });
    const marks = async () =>
      (await Promise.all(["STARTED", "SERVED", "built"].map((name) => exists(`${folder}/${name}`)))).filter(Boolean)
        .length;

    const doctor = await run("doctor");
    for (const name of Object.keys(BROUGHT[provider])) assertStringIncludes(doctor.stdout, name);
    assertEquals((await run("trust", "panewright.jsonc")).code, 3);
    const refused = await run("exec", "task.md");
    assertEquals([refused.code, await marks(), project.prompts.length], [3, 0, 0], refused.stderr);

    assertEquals((await run("trust", "--yes")).code, 0);
    const passed = await run("exec", "task.md");
    assertEquals(passed.code, 0, passed.stderr);
    assertEquals(await exists(`${folder}/built`), true);
    if (provider === "claude_code") {
      assertEquals(await exists(`${folder}/STARTED`), true, "its hook ran once it was trusted");
    }
    assertStringIncludes(passed.stderr, 'attempt 1 of step "build" changed what the next start obeys: AGENTS.md');
    const next = await run("exec", "task.md");
    assertEquals([next.code, project.prompts.length], [3, 1], next.stderr);
  });
}
