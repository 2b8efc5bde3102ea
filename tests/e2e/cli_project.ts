import { dirname } from "@std/path/posix";
import { present } from "../../lib/base/schema.ts";
import { createPrintedCommands } from "../support/printed_commands.ts";
import { systemProcessRunner } from "../../lib/base/ports/process.ts";
import { startCliServer } from "../lab/cli_server.ts";
import type { ModelServer } from "../lab/model_server.ts";
import type { ModelRequest } from "../lab/script.ts";
import type { Turn } from "../lab/steps.ts";
import { type CliHomeOptions, writeCliHome } from "../support/cli_home.ts";
import { type CliName, installCli } from "../support/clis.ts";
import { type PanewrightCommand, panewrightFromSource } from "../support/panewright.ts";
import { type ProgramResult, type RunningProgram, runProgram, startProgram } from "../support/program.ts";
import { shareTrials } from "../support/hook_trials.ts";
import { createSandbox, type Sandbox } from "../support/sandbox.ts";
import { type StartedRun, watchProgram } from "./failures_stage.ts";

/** A project of a person who has panewright and a real CLI, whose model is ours. */
export interface CliProject extends AsyncDisposable {
  readonly sandbox: Sandbox;
  /** The model of the first CLI. */
  readonly server: ModelServer;
  readonly servers: Readonly<Partial<Record<CliName, ModelServer>>>;
  /** The environment in which the person starts panewright. */
  readonly env: Readonly<Record<string, string>>;
  /** What starts panewright. */
  readonly argv: readonly [string, ...string[]];
  /** What starts the first CLI. */
  readonly cli: readonly [string, ...string[]];
  /** How many replies the models were asked for. */
  replies(): number;
  configure(config: Readonly<Record<string, unknown>>): Promise<void>;
  start(...args: readonly string[]): RunningProgram;
  /** Starts it with `--json`, and reads what it tells. */
  watch(...args: readonly string[]): StartedRun;
  /** Runs it to its end. */
  run(...args: readonly string[]): Promise<ProgramResult>;
  /** The id of the only run. */
  runId(): string;
}

export interface CliProjectOptions extends Pick<CliHomeOptions, "codex" | "claude"> {
  readonly provider: CliName;
  /** Other CLIs that are there, each with a model of its own. */
  readonly also?: readonly CliName[];
  readonly respond: (request: ModelRequest, sandbox: Sandbox) => Turn | Promise<Turn>;
  /** @default {the version that end-to-end tests are pinned to} */
  readonly version?: string;
  readonly panewright?: PanewrightCommand;
  /** The project's files; what is no text is written as JSON. */
  readonly files?: Readonly<Record<string, string | object>>;
  /** @default {false} whether the project is a repository: without arguments, Codex takes no other one for a step */
  readonly isRepository?: boolean;
  /**
   * Without its install script the command that npm puts on PATH is only a launcher, or none: `itself` puts the program
   * there.
   *
   * @default {"npm"}
   */
  readonly onPath?: "npm" | "itself";
  /**
   * Whether hooks that another project's run has tried, with this very code and CLI, are not tried again.
   *
   * @default {true}
   */
  readonly sharesTrials?: boolean;
  /** Further variables. */
  readonly env?: Readonly<Record<string, string>>;
}

/** How long a command of panewright may take on a busy machine. */
const PATIENCE_MS = 300_000;

const PROGRAMS: Readonly<Record<CliName, string>> = { codex: "codex", claude_code: "claude" };

/** Sets up a project. */
export async function cliProject(options: CliProjectOptions): Promise<CliProject> {
  await using stack = new AsyncDisposableStack();
  const { provider, also = [], respond, files = {}, codex, claude } = options;
  const panewright = options.panewright ?? await panewrightFromSource();
  const sandbox = stack.use(await createSandbox());
  const { project, root } = sandbox;
  const servers: Partial<Record<CliName, ModelServer>> = {};
  const variables: Record<string, string> = {};
  const path: string[] = [];
  let cli: CliProject["cli"] | undefined;
  for (const name of [provider, ...also]) {
    const { argv, binFolder, version } = await installCli(name, name === provider ? options.version : undefined);
    cli ??= argv;
    const server = servers[name] = stack.use(startCliServer(name, { respond: (request) => respond(request, sandbox) }));
    const home = { provider: name, version, baseUrl: server.baseUrl(), ...present({ codex, claude }) };
    Object.assign(variables, await writeCliHome(sandbox, home));
    path.push(options.onPath === "itself" ? await putOnPath(`${root}/bin`, PROGRAMS[name], argv) : binFolder);
  }
  if (options.sharesTrials !== false) await shareTrials(sandbox.home);
  if (options.isRepository) await systemProcessRunner.run({ argv: ["git", "init", "--quiet", project] });
  const write = async (name: string, content: string | object) => {
    await Deno.mkdir(dirname(`${project}/${name}`), { recursive: true });
    await Deno.writeTextFile(`${project}/${name}`, typeof content === "string" ? content : JSON.stringify(content));
  };
  for (const [name, content] of Object.entries(files)) await write(name, content);
  const PATH = [...path, sandbox.env["PATH"]].join(":");
  const env = { ...sandbox.env, ...panewright.env, ...variables, PATH, ...options.env };
  const { argv } = panewright;
  const place = { cwd: project, env };
  const printed = createPrintedCommands({ argv, ...place });
  const resources = stack.move();
  return {
    ...{ sandbox, server: servers[provider]!, servers, env, argv, cli: cli! },
    replies: () =>
      Object.values(servers).flatMap(({ log }) => log.entries).filter(({ event }) => event === "busy").length,
    configure: (config) => write("panewright.jsonc", config),
    start: (...args) => startProgram([...argv, ...args], place),
    watch: (...args) => watchProgram(startProgram([...argv, ...args, "--json"], place), { env, project }),
    async run(...args) {
      const told = await runProgram([...argv, ...args], { ...place, timeoutMs: PATIENCE_MS });
      if (!LISTING.has(args[0] ?? "")) await printed.carryOut(args.join(" "), told);
      return told;
    },
    runId: () => [...Deno.readDirSync(`${project}/.panewright/runs`)].map(({ name }) => name)[0] ?? "",
    [Symbol.asyncDispose]: () => resources.disposeAsync(),
  };
}

/** What lists commands that are for other situations. */
const LISTING: ReadonlySet<string> = new Set(["help", "logs", "report", "man", "explain"]);

async function putOnPath(folder: string, name: string, argv: readonly string[]): Promise<string> {
  await Deno.mkdir(folder, { recursive: true });
  if (argv.length === 1) {
    // One program for all projects, so that its hooks are tried once.
    await Deno.symlink(argv[0]!, `${folder}/${name}`);
    return folder;
  }
  const script = `#!/bin/sh\nexec ${argv.map((word) => `'${word}'`).join(" ")} "$@"\n`;
  await Deno.writeTextFile(`${folder}/${name}`, script, { mode: 0o755 });
  return folder;
}
