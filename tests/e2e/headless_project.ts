import { spoolAt } from "../../lib/agents/spool.ts";
import type { AttemptRequest } from "../../lib/agents/process/seam.ts";
import type { AgentFact } from "../../lib/agents/agent.ts";
import { present } from "../../lib/base/schema.ts";
import { systemClock } from "../../lib/base/ports/clock.ts";
import { findStepProvider } from "../../lib/agents/mod.ts";
import type { ModelServer } from "../lab/model_server.ts";
import type { Respond } from "../lab/script.ts";
import type { CliName } from "../support/clis.ts";
import type { Sandbox } from "../support/sandbox.ts";
import { ASK_COMMANDS } from "../agents/process/support.ts";
import { cliProject } from "./cli_project.ts";

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

/** Sets up a project for steps without a terminal. */
export async function setUpHeadlessProject(options: HeadlessProjectOptions): Promise<HeadlessProject> {
  const { provider, respond, model, sandboxMode } = options;
  const codex = present({ model, sandboxMode });
  const { argv, cli, env, sandbox, server, ...project } = await cliProject({ provider, respond, codex });
  const { project: workdir, root } = sandbox;
  const facts: AgentFact[] = [];
  let attempts = 0;
  return {
    sandbox,
    server,
    facts,
    request(prompt, change = {}) {
      const folder = `${workdir}/.panewright/runs/test/attempt-${++attempts}`;
      return {
        provider: findStepProvider(provider),
        workdir,
        prompt,
        command: cli,
        ...(provider === "codex" ? { args: ["--skip-git-repo-check"] } : {}),
        env,
        stepFolder: folder,
        ask: {
          commands: ASK_COMMANDS,
          channelFolder: `${folder}/asks`,
          launcherFolder: `${folder}/bin`,
          panewright: argv,
          ...(options.hooks === false ? {} : { hooks: spoolAt(`${root}/hooks/attempt-${attempts}`) }),
        },
        signal: new AbortController().signal,
        clock: systemClock,
        timeLimitSeconds: 600,
        onProgress: (fact) => facts.push(fact),
        ...change,
      };
    },
    [Symbol.asyncDispose]: () => project[Symbol.asyncDispose](),
  };
}
