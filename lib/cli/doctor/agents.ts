import { hasAcp } from "../../agents/mod.ts";
import type { Provider } from "../../agents/provider.ts";
import type { StepPlan } from "../../jobs/pipeline/plan.ts";
import { findProgram, programProblem } from "../../run/programs.ts";
import { checkAgent, checkTrust } from "../preflight/agent.ts";
import { hasCli } from "../preflight/agent_cli.ts";
import type { Finding } from "../preflight/finding.ts";
import { placeIn } from "../preflight/look_context.ts";
import type { Machine } from "../preflight/machine_look.ts";
import { checkSandbox } from "../preflight/sandbox.ts";
import { findHooks } from "./hook_trial.ts";

/** An agent that a configuration names. */
export type NamedAgent = Pick<StepPlan, "command" | "env"> & {
  readonly provider: Provider;
  readonly isInPane: boolean;
};

interface AgentsContext {
  readonly machine: Machine;
  readonly cwd: string;
  readonly workdir: string;
  readonly providers: readonly Provider[];
  readonly sandbox: string | undefined;
  readonly triesHooks?: boolean;
  readonly hooksLimitSeconds?: number | undefined;
}

/**
 * Without a configuration one agent CLI is enough; with one, those that it names are needed, and no others looked at.
 */
export async function* checkAgents(
  named: readonly NamedAgent[] | undefined,
  context: AgentsContext,
): AsyncGenerator<Finding> {
  const agents = named ?? [];
  let anyInstalled = false;
  const added = agents.map(({ provider }) => provider).filter(({ isOfConfig }) => isOfConfig === true);
  for (const provider of new Set([...context.providers, ...added])) {
    const roles = agents.filter((agent) => agent.provider.id === provider.id);
    if (agents.length > 0 ? roles.length === 0 : !isOffered(provider, context)) continue;
    const commands = new Map(roles.map(({ command }) => [JSON.stringify(command), command]));
    if (commands.size === 0) commands.set("", undefined);
    for (const command of commands.values()) {
      const own = provider.cli?.program;
      const [program] = command ?? (provider.isOfConfig === true && own !== undefined ? [own] : []);
      if (program === undefined) anyInstalled = (yield* checkCli(provider, roles, context)) || anyInstalled;
      else if (hasCli(provider) || hasAcp(provider)) yield checkNamedProgram(provider.label, program, context);
    }
  }
  if (named === undefined && !anyInstalled) {
    yield {
      check: "agents",
      status: "fail",
      detail: "no agent CLI was found",
      remedy: 'Install one of them: "panewright agents" lists all. "panewright demo" works without.',
    };
  }
}

/** A provider's own CLI, for the roles and steps that use it; returns whether it is installed. */
async function* checkCli(
  provider: Provider,
  roles: readonly NamedAgent[],
  { machine, workdir, sandbox, triesHooks, hooksLimitSeconds: limitSeconds = 20 }: AgentsContext,
): AsyncGenerator<Finding, boolean> {
  // That a command is missing is found with the configuration.
  if (!hasCli(provider)) return false;
  const agent = { provider, workdir, asksPerson: roles.every((role) => role.isInPane) };
  const isNeeded = roles.length > 0 && !roles.some(({ env }) => Object.keys(env).length > 0);
  const needs = { needed: roles.length > 0, loginNeeded: isNeeded };
  const { installed, ...finding } = await checkAgent(machine.cli(agent), needs);
  yield finding;
  if (!installed) return false;
  if (isNeeded && roles.some((role) => role.isInPane)) {
    const trust = await checkTrust(machine.cli({ ...agent, asksPerson: true }));
    if (trust !== undefined) yield trust;
  }
  if (provider.sandbox !== undefined) {
    yield await checkSandbox(provider, machine, { needed: (sandbox === "cli" || sandbox === "commands") && isNeeded });
  }
  const trial = provider.terminal?.hookTrial;
  if (triesHooks && trial !== undefined) {
    const version = /\d+(?:\.\d+)+/.exec(finding.detail)?.[0] ?? "";
    const { searchPath } = placeIn(workdir, machine);
    yield await findHooks({ provider, trial }, { version, searchPath, limitSeconds, signal: machine.signal });
  }
  return true;
}

function checkNamedProgram(check: string, program: string, { workdir, machine }: AgentsContext): Finding {
  const problem = programProblem(program, placeIn(workdir, machine));
  if (problem === undefined) {
    return { check, status: "ok", detail: `${program} of the config is there; doctor does not run it` };
  }
  const remedy = "Correct the command of the config, or install the program.";
  return { check, status: "fail", detail: problem, remedy };
}

/**
 * Whether an agent is looked at where no configuration names one: those that work in panes, and of the others those that
 * are there.
 */
function isOffered(provider: Provider, { machine, cwd }: AgentsContext): boolean {
  if (!hasCli(provider)) return false;
  return !hasAcp(provider) || findProgram(provider.cli.program, placeIn(cwd, machine)) !== undefined;
}
