import { exists } from "@std/fs";
import { present } from "../../lib/base/schema.ts";
import { systemProcessRunner } from "../../lib/base/ports/process.ts";
import { JOB } from "../e2e/review_project.ts";
import { type StartedRun, watchProgram } from "../e2e/failures_stage.ts";
import { startLabServer, type Wire, WIRES } from "../lab/lab_server.ts";
import { fakeAcpAgent } from "../support/acp_fake.ts";
import { writeAgentHome } from "../support/agent_home.ts";
import { AGENT_NAMES, type AgentName, installAgent } from "../support/agents.ts";
import { writeCliHome } from "../support/cli_home.ts";
import { type CliName, installCli } from "../support/clis.ts";
import { panewrightThatStartsFast } from "../support/panewright.ts";
import { type ProgramResult, runProgram, startProgram } from "../support/program.ts";
import { shareTrials } from "../support/hook_trials.ts";
import { createSandbox, type Sandbox } from "../support/sandbox.ts";
import { until } from "../support/until.ts";
import { fakeModel, labModel, type Play, replayScript } from "./model.ts";

/**
 * Who plays the scenarios: real agents over the protocol; the two CLIs, without a terminal as steps and in panes as
 * roles, and as roles without a pane; and, with no model behind them, a fake agent over the protocol, and replay in
 * panes.
 */
export type PlayerName = RealPlayer | "fake" | "replay";

type RealPlayer = AgentName | CliName | `${CliName}_process`;

/** All of them, those without a model first. */
export const PLAYERS: readonly PlayerName[] = [
  ...["fake", "replay", "codex", "claude_code", "codex_process", "claude_code_process"] as const,
  ...AGENT_NAMES,
];

/** Whose agent a player has. */
function providerOf<Player extends PlayerName>(player: Player): Exclude<Player, `${CliName}_process`> | CliName {
  switch (player) {
    case "codex_process":
      return "codex";
    case "claude_code_process":
      return "claude_code";
    default:
      return player as Exclude<Player, `${CliName}_process`>;
  }
}

/** What each agent speaks to its model. */
export const WIRE_OF: Readonly<Record<AgentName | CliName, Wire>> = {
  claude_code: "messages",
  codex: "responses",
  claude_acp: "messages",
  codex_acp: "responses",
  copilot: "chat",
  gemini: "gemini",
  opencode: "chat",
  qwen: "chat",
};

/** The programs of their packs. */
const PROGRAM_OF: Readonly<Record<AgentName | CliName, string>> = {
  claude_code: "claude",
  codex: "codex",
  claude_acp: "claude-agent-acp",
  codex_acp: "codex-acp",
  copilot: "copilot",
  gemini: "gemini",
  opencode: "opencode",
  qwen: "qwen",
};

/** The pack of the fake agent, which it has as agents of people have theirs. */
const FAKE_PACK = {
  label: "Fake agent",
  program: "fake-agent",
  ask_mode: { id: "default", asks_before: ["edit", "delete", "move", "execute"] },
  tools: [
    { kind: "execute", as: "command", subject: { from: "input", path: ["command"] } },
    { kind: "edit", as: "file_edit", subject: { from: "locations" } },
  ],
  usage: [{ from: "prompt", of: "turn" }],
  resume: ["load"],
};

/** What a scenario sets its stage up with. */
export interface StageOptions {
  readonly player: PlayerName;
  /** What the model does. */
  readonly plays: readonly Play[];
  /** Keys of the configuration. */
  readonly config?: Readonly<Record<string, unknown>>;
  /** Keys of the pipeline's only step. */
  readonly step?: Readonly<Record<string, unknown>>;
  /** A program that is started in the agent's place: its arguments are the agent's program, and the arguments of that. */
  readonly wrapper?: string;
}

/** A project with a task of one step, and a job of one turn, for an agent whose model plays a scenario. */
export interface AgentStage extends AsyncDisposable {
  readonly sandbox: Sandbox;
  readonly project: string;
  /** Resolves once the model stands at a `hold`. */
  untilHeld(): Promise<void>;
  /** What the agent was prompted with, over all its starts. */
  prompts(): Promise<readonly string[]>;
  /** Starts panewright. */
  start(...args: readonly string[]): Promise<StartedRun>;
  /** Runs panewright to its end. */
  command(...args: readonly string[]): Promise<ProgramResult>;
  /** The id of the only run. */
  runId(): string;
  /** Takes away what the agent keeps of its sessions. */
  forgetSessions(): Promise<void>;
}

/** How long a command of panewright may take on a busy machine. */
const PATIENCE_MS = 300_000;

/** Sets the stage for a scenario. */
export async function setUpStage(options: StageOptions): Promise<AgentStage> {
  const { player, plays } = options;
  const provider = providerOf(player);
  await using stack = new AsyncDisposableStack();
  const panewright = await panewrightThatStartsFast();
  const sandbox = stack.use(await createSandbox());
  await shareTrials(sandbox.home);
  const { project, root } = sandbox;
  const bin = `${root}/bin`;
  await Deno.mkdir(bin);
  await systemProcessRunner.run({ argv: ["git", "init", "--quiet", project] });
  const cast = player === "fake"
    ? await castFake(sandbox, { bin, plays })
    : player === "replay"
    ? await castReplay(sandbox, plays)
    : await castReal(sandbox, { player: providerOf(player), plays });
  stack.use(cast);

  const wrapped = options.wrapper === undefined ? undefined : [options.wrapper, cast.program];
  await Deno.writeTextFile(`${project}/task.md`, "Do what the scenario says.\n");
  await Deno.writeTextFile(`${project}/job.md`, JOB);
  await Deno.writeTextFile(
    `${project}/panewright.jsonc`,
    JSON.stringify({
      provider,
      ...(player === "fake" ? { agents: { fake: "./fake.jsonc" } } : {}),
      providers: { [provider]: present({ command: wrapped, args: cast.args }) },
      ...(player === provider ? {} : { roles: { tester: { driver: "process" } } }),
      permissions: { auto_accept: true, default: "allow" },
      exec: { resume: "native" },
      pipelines: { main: [{ name: "work", prompt: "self", check: { type: "none" }, ...options.step }] },
      prompt_file: "job.md",
      start_agent: "tester",
      ...options.config,
      limits: { max_rounds: 1, ...options.config?.["limits"] as object },
      handoff: { poll_seconds: 0.2, error_retry_seconds: 0.5, ...options.config?.["handoff"] as object },
    }),
  );
  let starts = 0;
  const place = async () => {
    const env = {
      ...sandbox.env,
      ...panewright.env,
      ...await cast.enter(++starts),
      PATH: [bin, ...cast.path, sandbox.env["PATH"]].join(":"),
    };
    return { cwd: project, env };
  };
  const resources = stack.move();
  return {
    sandbox,
    project,
    untilHeld: () => cast.untilHeld(),
    prompts: () => cast.prompts(),
    async start(...args) {
      const here = await place();
      return watchProgram(startProgram([...panewright.argv, ...args], here), { env: here.env, project });
    },
    async command(...args) {
      return await runProgram([...panewright.argv, ...args], { ...await place(), timeoutMs: PATIENCE_MS });
    },
    runId: () => [...Deno.readDirSync(`${project}/.panewright/runs`)].map(({ name }) => name)[0] ?? "",
    forgetSessions: () => cast.forgetSessions(),
    [Symbol.asyncDispose]: () => resources.disposeAsync(),
  };
}

/** An agent with what stands for its model. */
interface Cast extends AsyncDisposable {
  readonly program: string;
  readonly path: readonly string[];
  /** Its arguments where it plays a role. */
  readonly args?: readonly string[];
  /** Prepares for a start of panewright, and returns the variables that the agent needs. */
  enter(start: number): Promise<Readonly<Record<string, string>>>;
  untilHeld(): Promise<void>;
  prompts(): Promise<readonly string[]>;
  forgetSessions(): Promise<void>;
}

async function castReal(
  sandbox: Sandbox,
  { player, plays }: { readonly player: AgentName | CliName; readonly plays: readonly Play[] },
): Promise<Cast> {
  const { path, enter, program = PROGRAM_OF[player] } = await install(player, sandbox);
  const { prompts, respond } = labModel(plays, { escalate: player !== "codex" });
  const server = startLabServer({ respond });
  const isHeld = () => server.log.entries.some((entry) => entry.event === "step" && entry.step === "hold");
  const wire = WIRES[WIRE_OF[player]];
  return {
    program,
    path,
    // Each start has conversations of its own: most agents do not tell theirs apart.
    enter: (start) => enter(server.baseUrl(`start-${start}`, wire)),
    untilHeld: async () => void await until(isHeld),
    prompts: () => Promise.resolve(prompts),
    async forgetSessions() {
      for (const entry of [...Deno.readDirSync(sandbox.home)]) {
        await Deno.remove(`${sandbox.home}/${entry.name}`, { recursive: true });
      }
      await Deno.remove(`${sandbox.root}/codex-home`, { recursive: true }).catch(() => {});
    },
    [Symbol.asyncDispose]: () => server[Symbol.asyncDispose](),
  };
}

/** What PATH must begin with, and what writes its settings for a model server and returns its variables. */
async function install(player: AgentName | CliName, sandbox: Sandbox): Promise<{
  readonly path: readonly string[];
  readonly program?: string;
  readonly enter: (baseUrl: string) => Promise<Readonly<Record<string, string>>>;
}> {
  if (player !== "codex" && player !== "claude_code") {
    const { path } = await installAgent(player);
    return { path, enter: (baseUrl) => writeAgentHome(sandbox, { agent: player, baseUrl }) };
  }
  const { argv, binFolder, version } = await installCli(player);
  // The command of npm may be a launcher whose program a script of the installation would have fetched.
  return {
    path: [binFolder],
    program: argv.at(-1)!,
    enter: (baseUrl) => writeCliHome(sandbox, { provider: player, version, baseUrl }),
  };
}

/** A role's agent that plays a script on its screen; what it is prompted with is in a log. */
async function castReplay({ project }: Sandbox, plays: readonly Play[]): Promise<Cast> {
  const [script, log] = [`${project}/replay.json`, `${project}/.tmp/prompts.ndjson`];
  await Deno.mkdir(`${project}/.tmp`);
  await Deno.writeTextFile(script, JSON.stringify(replayScript(plays)));
  const prompts = async () => {
    const text = await Deno.readTextFile(log).catch(() => "");
    return text.split("\n").filter((line) => line !== "").map((line): string => JSON.parse(line).prompt);
  };
  return {
    ...{ program: "replay", path: [], prompts },
    args: ["--script", script, "--log", log],
    enter: () => Promise.resolve({}),
    untilHeld: async () => void await until(prompts, (got) => got.length > 0),
    forgetSessions: () => Promise.resolve(),
    [Symbol.asyncDispose]: () => Promise.resolve(),
  };
}

async function castFake(
  { project }: Sandbox,
  { bin, plays }: { readonly bin: string; readonly plays: readonly Play[] },
): Promise<Cast> {
  const agent = await fakeAcpAgent(bin, fakeModel(plays), { name: "fake-agent" });
  await Deno.writeTextFile(`${project}/fake.jsonc`, JSON.stringify(FAKE_PACK));
  const prompts = async () =>
    (await agent.received()).filter(({ method }) => method === "session/prompt")
      .map(({ params }) => (params as { prompt: { text: string }[] }).prompt.map(({ text }) => text).join("\n"));
  return {
    program: agent.path,
    path: [],
    enter: () => Promise.resolve({}),
    // Killed before it has chosen a turn, it would play that one anew.
    untilHeld: async () => void await until(() => exists(`${bin}/fake-agent.script.json.state/begun`)),
    prompts,
    forgetSessions: () => Deno.remove(`${bin}/fake-agent.script.json.state/sessions`, { recursive: true }),
    [Symbol.asyncDispose]: () => Promise.resolve(),
  };
}
