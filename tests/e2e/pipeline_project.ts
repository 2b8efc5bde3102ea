import { present } from "../../lib/base/schema.ts";
import type { Turn } from "../lab/steps.ts";
import { writeCliHome } from "../support/cli_home.ts";
import { type CliName, installCli } from "../support/clis.ts";
import type { PanewrightCommand } from "../support/panewright.ts";
import { runProgram } from "../support/program.ts";
import { type CliProject, cliProject } from "./cli_project.ts";

/** A project with a pipeline of three steps for a real CLI, whose model asks in the second one. */
export interface PipelineProject extends CliProject {
  /** The prompts that the model got, in their order. */
  readonly prompts: readonly string[];
  /** Makes the CLI's home of another person for a project in this folder, and runs panewright there as that person. */
  elsewhere(folder: string): Promise<CliProject["run"]>;
}

const TIMEOUT_MS = 120_000;

/** What differs from one project to another. */
export interface PipelineProjectOptions {
  readonly panewright?: PanewrightCommand;
  /** @default {"codex"} */
  readonly provider?: CliName;
  readonly resume?: "native" | "replay";
  /** What the model does with a prompt. @default the pipeline's own three steps */
  readonly turnFor?: (prompt: string) => Turn;
  /** Arguments of Claude Code. @default {["--allowedTools", "Bash"]} */
  readonly args?: readonly string[];
  /** Keys of the configuration that take the place of the pipeline's own. */
  readonly config?: Readonly<Record<string, unknown>>;
}

/** Sets up a project with a task for three steps: plan, build, tidy. */
export async function pipelineProject(options: PipelineProjectOptions = {}): Promise<PipelineProject> {
  const { provider = "codex", panewright } = options;
  const prompts: string[] = [];
  const project = await cliProject({
    provider,
    ...present({ panewright }),
    isRepository: true,
    onPath: provider === "codex" ? "npm" : "itself",
    respond(request) {
      const prompt = request.prompts.at(-1) ?? "";
      prompts.push(prompt);
      return (options.turnFor ?? turnFor)(prompt);
    },
    files: {
      "plan.md": "Write a plan to plan.txt.",
      "tidy.md": "Tidy up, and write tidy.txt.",
      "task.md": "---\nautonomy_level: 3\n---\nStore the users in a database.\n",
      "panewright.jsonc": {
        provider,
        providers: { claude_code: { args: options.args ?? ["--allowedTools", "Bash"] } },
        exec: { resume: options.resume ?? "replay" },
        pipelines: { main: STEPS },
        ...options.config,
      },
    },
  });
  const { argv, env, sandbox, server } = project;
  return {
    ...project,
    prompts,
    async elsewhere(folder) {
      const root = `${sandbox.root}/elsewhere`;
      const machine = { ...sandbox, root, home: `${root}/home`, project: folder };
      await Deno.mkdir(machine.home, { recursive: true });
      const { version } = await installCli(provider);
      const home = await writeCliHome(machine, { provider, version, baseUrl: server.baseUrl() });
      const there = { ...env, HOME: machine.home, ...home };
      return (...args) => runProgram([...argv, ...args], { cwd: folder, env: there, timeoutMs: TIMEOUT_MS });
    },
  };
}

const STEPS = [
  {
    name: "plan",
    prompt: "plan.md",
    check: { type: "fileExists", path: "plan.txt" },
    file_access: { allow_write: ["*.txt"] },
  },
  { name: "build", prompt: "self", check: { type: "shell", command: "grep PostgreSQL database.txt" } },
  { name: "tidy", prompt: "tidy.md", check: { type: "fileExists", path: "tidy.txt" } },
];

function turnFor(prompt: string): Turn {
  if (prompt.includes('YOUR STEP, "plan"')) {
    return [{ do: "shell", command: "echo plan > plan.txt" }, { do: "say", text: "Planned." }];
  }
  if (prompt.includes('YOUR STEP, "tidy"')) {
    return [{ do: "shell", command: "echo tidy > tidy.txt" }, { do: "say", text: "Tidy." }];
  }
  const answer = /The answer of the person to it:\s`{3}text\s(.*?)\s`{3}/.exec(prompt)?.[1];
  if (answer !== undefined) {
    return [{ do: "shell", command: `echo '${answer}' > database.txt` }, { do: "say", text: "Built." }];
  }
  return [
    { do: "say", text: "I have looked at the project.", phase: "commentary" },
    { do: "shell", command: "ls" },
    { do: "shell", command: 'panewright ask "Which database?"' },
    { do: "say", text: "This must never be said: the agent was not stopped." },
  ];
}
