import { startCliServer } from "../lab/cli_server.ts";
import type { ModelServer } from "../lab/model_server.ts";
import type { ModelRequest } from "../lab/script.ts";
import type { Step, Turn } from "../lab/steps.ts";
import { writeCliHome } from "../support/cli_home.ts";
import { type CliName, installCli } from "../support/clis.ts";
import { panewrightFromSource } from "../support/panewright.ts";
import { type ProgramResult, runProgram, startProgram } from "../support/program.ts";
import { createSandbox, type Sandbox } from "../support/sandbox.ts";
import { JOB } from "./codex_project.ts";
import { type StartedRun, watchProgram } from "./failures_stage.ts";
import { responseTargetOf, workTurn } from "./review_model.ts";

/** How the model server refuses a request. */
export type Refusal = Omit<Extract<Step, { do: "refuse" }>, "do" | "times">;

/** What a stage is set up with. */
export interface OneTurnOptions {
  readonly provider: CliName;
  /** What each prompt is answered with, in their order; those after them are worked on. */
  readonly refusals?: readonly (() => Refusal)[];
  /** Keys of the configuration. */
  readonly config?: Readonly<Record<string, unknown>>;
}

/** A job of one turn for a real CLI, whose model server may refuse prompts. */
export interface OneTurnStage extends AsyncDisposable {
  readonly sandbox: Sandbox;
  readonly server: ModelServer;
  /** All that the person typed in the conversation of the last request. */
  conversation(): string;
  /** Starts panewright. */
  start(...args: readonly string[]): StartedRun;
  /** Runs panewright to its end. */
  command(...args: readonly string[]): Promise<ProgramResult>;
}

/** What only the prompt of the turn says. */
export const PROMPT_MARK = "check.sh reads greeting.txt, which is not there yet.";

/** Sets the stage: the tester has the only turn. */
export async function setUpOneTurn(options: OneTurnOptions): Promise<OneTurnStage> {
  const { provider, refusals = [] } = options;
  await using stack = new AsyncDisposableStack();
  const panewright = await panewrightFromSource();
  const cli = await installCli(provider);
  const sandbox = stack.use(await createSandbox());
  const { home, project } = sandbox;
  let asked = 0;
  let last: readonly string[] = [];
  const respond = ({ prompts }: ModelRequest): Turn => {
    last = prompts;
    const refusal = refusals[asked++];
    // A client tries again by itself as often as it likes.
    if (refusal !== undefined) return [{ do: "refuse", times: 20, ...refusal() }];
    const target = responseTargetOf(prompts.at(-1) ?? "");
    return target === undefined
      ? [{ do: "say", text: "I was given no response file." }]
      : workTurn(target, { response: "RESULT: PASS\nIt is as it should be." });
  };
  const server = stack.use(startCliServer(provider, { respond }));
  const baseUrl = server.baseUrl();
  const cliEnv = await writeCliHome(sandbox, { provider, version: cli.version, baseUrl });
  if (provider === "claude_code") {
    const path = `${home}/.claude/settings.json`;
    const settings = JSON.parse(await Deno.readTextFile(path));
    await Deno.writeTextFile(path, JSON.stringify({ ...settings, env: { CLAUDE_CODE_MAX_RETRIES: "0" } }));
  }
  await Deno.writeTextFile(`${project}/job.md`, JOB);
  const { limits, handoff, ...config } = options.config ?? {};
  await Deno.writeTextFile(
    `${project}/panewright.jsonc`,
    JSON.stringify({
      provider,
      providers: { claude_code: { args: ["--allowedTools", "Bash"] } },
      prompt_file: "job.md",
      start_agent: "tester",
      limits: { max_rounds: 1, ...limits as object },
      handoff: { poll_seconds: 0.5, error_retry_seconds: 0.5, ...handoff as object },
      ...config,
    }),
  );
  const env = { ...sandbox.env, ...panewright.env, ...cliEnv, PATH: `${cli.binFolder}:${sandbox.env.PATH}` };
  const place = { cwd: project, env };
  const resources = stack.move();
  return {
    sandbox,
    server,
    conversation: () => last.join("\n"),
    start: (...args) => watchProgram(startProgram([...panewright.argv, ...args], place), { env, project }),
    command: (...args) => runProgram([...panewright.argv, ...args], { ...place, timeoutMs: 60_000 }),
    [Symbol.asyncDispose]: () => resources.disposeAsync(),
  };
}
