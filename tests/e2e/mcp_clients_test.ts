import { assertEquals, assertStringIncludes } from "@std/assert";
import { listRunIds } from "../../lib/run/find_run.ts";
import { runFolderAt } from "../../lib/run/run_folder.ts";
import { type ExecProject, execProject } from "../cli/commands/exec_project.ts";
import { startAnthropicServer } from "../lab/anthropic_server.ts";
import type { ModelServer } from "../lab/model_server.ts";
import { startOpenAiServer } from "../lab/openai_server.ts";
import type { Turn } from "../lab/steps.ts";
import { writeCliHome } from "../support/cli_home.ts";
import { installCli, type InstalledCli } from "../support/clis.ts";
import { type ProgramResult, runProgram } from "../support/program.ts";

const TASK = { taskFile: "task.md", pipeline: "single", key: "from-a-model" } as const;

/** What the model of Codex does: its tools are functions of a program. */
const PROGRAM = `// @exec: {"yield_time_ms": 60000}
const call = async (tool, input) => {
  const { isError, structuredContent, content } = await tools["mcp__panewright__" + tool](input);
  if (isError) throw new Error(JSON.stringify(content));
  return structuredContent;
};
const { run } = await call("exec_task", ${JSON.stringify(TASK)});
const again = await call("exec_task", ${JSON.stringify(TASK)});
let seen = await call("wait", { run });
while (!seen.isOver) seen = await call("wait", { run, after: seen.sequence });
const result = await call("result", { run });
text(JSON.stringify({ run, again, state: result.state }));
`;

Deno.test("the real Codex starts a task over MCP, waits for it, and is told the result", async () => {
  await using project = await plainProject();
  const cli = await installCli("codex");
  await using server = startOpenAiServer({
    respond: () => [{ do: "call", tool: "exec", input: PROGRAM }, { do: "say", text: "It has passed." }],
  });
  const home = await homeOf(project, { cli, server, provider: "codex" });
  const config = `${project.sandbox.root}/codex-home/config.toml`;
  const [command, ...args] = project.panewright.argv;
  // Codex gives a server few of its own variables.
  const variables = Object.entries(project.env).map(([name, value]) => `${name} = ${JSON.stringify(value)}`);
  await Deno.writeTextFile(
    config,
    `
[mcp_servers.panewright]
command = ${JSON.stringify(command)}
args = ${JSON.stringify([...args, "mcp"])}
env = { ${variables.join(", ")} }
startup_timeout_sec = 60
required = true
`,
    { append: true },
  );
  const ended = await runProgram([...cli.argv, "exec", "--json", "--skip-git-repo-check", "Do the task."], {
    ...{ cwd: project.path, env: { ...project.env, ...home } },
    timeoutMs: 120_000,
  });
  assertStringIncludes(ended.stdout, '"tool":"result"', ended.stderr);
  await assertOneRun(project, ended, "codex");
});

Deno.test("the real Claude Code starts a task over MCP, waits for it, and is told the result", async () => {
  await using project = await plainProject();
  const cli = await installCli("claude_code");
  const ofRun = {
    get run() {
      return [...Deno.readDirSync(`${project.path}/.panewright/runs`)][0]?.name;
    },
  };
  const call = (tool: string, input: object): Turn => [
    { do: "say", text: `Now ${tool}.` },
    { do: "call", tool: `mcp__panewright__${tool}`, input: input as Readonly<Record<string, unknown>> },
  ];
  await using server = startAnthropicServer({
    respond: () => [
      ...call("exec_task", TASK),
      ...call("exec_task", TASK),
      ...call("wait", ofRun),
      ...call("result", ofRun),
      { do: "say", text: "It has passed." },
    ],
  });
  const home = await homeOf(project, { cli, server, provider: "claude_code" });
  const [command, ...args] = project.panewright.argv;
  await Deno.writeTextFile(
    `${project.path}/mcp.json`,
    JSON.stringify({ mcpServers: { panewright: { command, args: [...args, "mcp"], env: project.env } } }),
  );
  const ended = await runProgram(
    [
      ...[...cli.argv, "-p", "Do the task.", "--mcp-config", "mcp.json", "--strict-mcp-config"] as const,
      ...["--allowedTools", "mcp__panewright", "--output-format", "stream-json", "--verbose"],
    ],
    {
      ...{ cwd: project.path, env: { ...project.env, ...home, MCP_TIMEOUT: "60000" } },
      timeoutMs: 120_000,
    },
  );
  assertStringIncludes(ended.stdout, '"name":"mcp__panewright__result"', ended.stderr);
  await assertOneRun(project, ended, "claude-code");
});

/** A project whose task asks nothing. */
async function plainProject(): Promise<ExecProject> {
  const project = await execProject();
  await Deno.writeTextFile(`${project.path}/task.md`, "Build.\n");
  return project;
}

function homeOf(
  { sandbox }: ExecProject,
  { cli, server, provider }: {
    readonly cli: InstalledCli;
    readonly server: ModelServer;
    readonly provider: "codex" | "claude_code";
  },
) {
  return writeCliHome(sandbox, { provider, version: cli.version, baseUrl: server.baseUrl() });
}

/** The same key twice is one run; it is over, and the model was told so. */
async function assertOneRun({ path }: ExecProject, { code, stdout, stderr }: ProgramResult, client: string) {
  assertEquals(code, 0, stderr);
  const runs = await listRunIds(path);
  assertEquals(runs.length, 1, `${client}: ${stdout}`);
  const journal = await Deno.readTextFile(runFolderAt(path, runs[0]!).journalPath);
  assertStringIncludes(journal, '"startedBy":"mcp"');
  assertStringIncludes(journal, '"outcome":"pass","reason"');
  // In what the tools returned, as the CLI prints it, quotes may be escaped.
  const told = stdout.replaceAll("\\", "");
  for (const part of [`"run":"${runs[0]}"`, '"isNew":false', '"state":"passed"']) assertStringIncludes(told, part);
}
