import type { AttemptRequest } from "../../lib/agents/process/seam.ts";
import type { AgentFact } from "../../lib/agents/agent.ts";
import { systemClock } from "../../lib/base/ports/clock.ts";
import { findStepProvider } from "../../lib/agents/mod.ts";
import { startCliServer } from "../lab/cli_server.ts";
import type { ModelServer } from "../lab/model_server.ts";
import type { Respond } from "../lab/script.ts";
import { writeCliHome } from "../support/cli_home.ts";
import { type CliName, installCli } from "../support/clis.ts";
import { panewrightFromSource } from "../support/panewright.ts";
import { createSandbox, type Sandbox } from "../support/sandbox.ts";

/** A project in which a real CLI runs steps with a model of ours. */
export interface HeadlessProject extends AsyncDisposable {
  readonly sandbox: Sandbox;
  readonly server: ModelServer;
  /** What the agent was told and did, in order. */
  readonly facts: AgentFact[];
  /** The request of an attempt; each has folders of its own. */
  request(prompt: string, change?: Partial<AttemptRequest>): AttemptRequest;
}

/** What differs from a CLI that may do everything. */
export interface HeadlessProjectOptions {
  readonly provider: CliName;
  readonly respond: Respond;
  /** @default {"gpt-6.1-sol"} of Codex; gpt-5.5 has no code mode */
  readonly model?: string;
  /** @default {"danger-full-access"} of Codex */
  readonly sandboxMode?: "read-only" | "workspace-write" | "danger-full-access";
  /** Whether the CLI's hooks tell of its commands. @default {true} */
  readonly hooks?: boolean;
}

/** The commands of a step that ask, as the configuration has them by default. */
export const ASK_COMMANDS = [["panewright", "ask"], ["cat-herder", "ask"]] as const;

/** Sets up a project for steps without a terminal. */
export async function setUpHeadlessProject(options: HeadlessProjectOptions): Promise<HeadlessProject> {
  await using stack = new AsyncDisposableStack();
  const { provider, respond } = options;
  const cli = await installCli(provider);
  const panewright = await panewrightFromSource();
  const sandbox = stack.use(await createSandbox());
  const { project, root } = sandbox;
  const server = stack.use(startCliServer(provider, { respond }));
  const baseUrl = server.baseUrl();
  const codex = {
    ...(options.model === undefined ? {} : { model: options.model }),
    ...(options.sandboxMode === undefined ? {} : { sandboxMode: options.sandboxMode }),
  };
  const cliEnv = await writeCliHome(sandbox, { provider, version: cli.version, baseUrl, codex });
  const facts: AgentFact[] = [];
  let attempts = 0;
  const resources = stack.move();
  return {
    sandbox,
    server,
    facts,
    request(prompt, change = {}) {
      const folder = `${project}/.panewright/runs/test/attempt-${++attempts}`;
      return {
        provider: findStepProvider(provider),
        workdir: project,
        prompt,
        command: cli.argv,
        ...(provider === "codex" ? { args: ["--skip-git-repo-check"] } : {}),
        env: { ...sandbox.env, ...panewright.env, ...cliEnv },
        stepFolder: folder,
        ask: {
          commands: ASK_COMMANDS,
          channelFolder: `${folder}/asks`,
          launcherFolder: `${folder}/bin`,
          panewright: panewright.argv,
          ...(options.hooks === false ? {} : { hookFolder: `${root}/hooks/attempt-${attempts}` }),
        },
        signal: new AbortController().signal,
        clock: systemClock,
        timeLimitSeconds: 60,
        onProgress: (fact) => facts.push(fact),
        ...change,
      };
    },
    [Symbol.asyncDispose]: () => resources.disposeAsync(),
  };
}
