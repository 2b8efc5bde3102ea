import { systemProcessRunner } from "../../lib/base/ports/process.ts";
import { startCliServer } from "../lab/cli_server.ts";
import type { ModelRequest } from "../lab/script.ts";
import type { Turn } from "../lab/steps.ts";
import { writeCliHome } from "../support/cli_home.ts";
import { type CliName, installCli } from "../support/clis.ts";
import { type PanewrightCommand, panewrightFromSource } from "../support/panewright.ts";
import { type ProgramResult, runProgram } from "../support/program.ts";
import { createSandbox, type Sandbox } from "../support/sandbox.ts";

/** A project with a pipeline of three steps for a real CLI, whose model asks in the second one. */
export interface PipelineProject extends AsyncDisposable {
  readonly sandbox: Sandbox;
  readonly env: Readonly<Record<string, string>>;
  readonly argv: readonly [string, ...string[]];
  /** The prompts that the model got, in their order. */
  readonly prompts: readonly string[];
  run(...args: readonly string[]): Promise<ProgramResult>;
  /** Makes the CLI's home of another person for a project in this folder, and runs panewright there as that person. */
  elsewhere(folder: string): Promise<PipelineProject["run"]>;
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
  await using stack = new AsyncDisposableStack();
  const panewright = options.panewright ?? await panewrightFromSource();
  const provider = options.provider ?? "codex";
  const cli = await installCli(provider);
  const sandbox = stack.use(await createSandbox());
  const prompts: string[] = [];
  const respond = (request: ModelRequest): Turn => {
    const prompt = request.prompts.at(-1) ?? "";
    prompts.push(prompt);
    return (options.turnFor ?? turnFor)(prompt);
  };
  const server = stack.use(startCliServer(provider, { respond }));
  const { project, root } = sandbox;
  const baseUrl = server.baseUrl();
  const cliOptions = { provider, version: cli.version, baseUrl } as const;
  const cliEnv = await writeCliHome(sandbox, cliOptions);
  // Codex works in git repositories only, unless it is told otherwise.
  await systemProcessRunner.run({ argv: ["git", "init", "--quiet", project] });
  await Deno.writeTextFile(`${project}/plan.md`, "Write a plan to plan.txt.");
  await Deno.writeTextFile(`${project}/tidy.md`, "Tidy up, and write tidy.txt.");
  await Deno.writeTextFile(`${project}/task.md`, "---\nautonomy_level: 3\n---\nStore the users in a database.\n");
  await Deno.writeTextFile(
    `${project}/panewright.jsonc`,
    JSON.stringify({
      provider,
      // Without its install script the command that npm puts on PATH is none.
      providers: { claude_code: { command: cli.argv, args: options.args ?? ["--allowedTools", "Bash"] } },
      exec: { resume: options.resume ?? "replay" },
      pipelines: {
        main: [
          {
            name: "plan",
            prompt: "plan.md",
            check: { type: "fileExists", path: "plan.txt" },
            file_access: { allow_write: ["*.txt"] },
          },
          { name: "build", prompt: "self", check: { type: "shell", command: "grep PostgreSQL database.txt" } },
          { name: "tidy", prompt: "tidy.md", check: { type: "fileExists", path: "tidy.txt" } },
        ],
      },
      ...options.config,
    }),
  );
  const env = { ...sandbox.env, ...panewright.env, ...cliEnv, PATH: `${cli.binFolder}:${sandbox.env["PATH"]}` };
  const { argv } = panewright;
  const resources = stack.move();
  return {
    sandbox,
    env,
    argv,
    prompts,
    run: (...args) => runProgram([...argv, ...args], { cwd: project, env, timeoutMs: TIMEOUT_MS }),
    async elsewhere(folder) {
      const machine = { ...sandbox, root: `${root}/elsewhere`, home: `${root}/elsewhere/home`, project: folder };
      await Deno.mkdir(machine.home, { recursive: true });
      const there = { ...env, HOME: machine.home, ...await writeCliHome(machine, cliOptions) };
      return (...args) => runProgram([...argv, ...args], { cwd: folder, env: there, timeoutMs: TIMEOUT_MS });
    },
    [Symbol.asyncDispose]: () => resources.disposeAsync(),
  };
}

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
