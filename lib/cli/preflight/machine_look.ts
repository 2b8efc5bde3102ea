import { systemProcessRunner } from "../../base/ports/process.ts";
import { type AgentToLookAt, type CliHere, cliHere } from "./agent_cli.ts";
import type { Finding } from "./finding.ts";
import { type LookContext, once } from "./look_context.ts";
import { checkTmux, checkTools } from "./machine.ts";

/** What is on this machine: each part is looked at when a command first asks for it, and once. */
export interface Machine extends LookContext {
  tools(): Finding;
  tmux(): Promise<Finding>;
  cli(agent: AgentToLookAt): CliHere;
}

export function lookAtMachine(
  { processRunner = systemProcessRunner, signal, env }:
    & Pick<LookContext, "signal" | "env">
    & Partial<Pick<LookContext, "processRunner">>,
): Machine {
  const context = { processRunner, signal, env: (name: string) => env(name) };
  const clis = new Map<string, CliHere>();
  return {
    ...context,
    tools: once(() => checkTools(context)),
    tmux: once(() => checkTmux(context)),
    cli(agent) {
      const { provider: { id }, env, args, profile, workdir, asksPerson } = agent;
      const key = JSON.stringify([id, env, args, profile, workdir, asksPerson]);
      const cli = clis.get(key) ?? cliHere(agent, context);
      clis.set(key, cli);
      return cli;
    },
  };
}
