import { systemHost } from "../../base/ports/host.ts";
import { makeOwnFolder, stateFolder } from "../../base/ports/state_folder.ts";
import type { Provider } from "../../agents/provider.ts";
import type { SandboxSupport } from "../../agents/sandbox.ts";
import { findSandboxObstacle } from "../../sandbox/obstacles.ts";
import { errorText } from "../../base/text/error_text.ts";
import type { AgentToLookAt } from "./agent_cli.ts";
import { type Finding, lookAtEach, type Obstacle } from "./finding.ts";
import { type LookContext, placeIn } from "./look_context.ts";
import type { Machine } from "./machine_look.ts";

export async function checkSandbox(
  { label, sandbox }: Provider,
  context: TrialContext,
  { needed }: { readonly needed: boolean },
): Promise<Finding> {
  const check = `sandbox of ${label}`;
  if (sandbox === undefined) return { check, status: "ok", detail: "the CLI brings none" };
  const problem = await tried(sandbox, context);
  return problem === undefined ? { check, status: "ok", detail: 'it can be switched on with "sandbox": "commands"' } : {
    check,
    status: needed ? "fail" : "warn",
    detail: `it cannot be switched on: ${problem}`,
    remedy: needed ? neededRemedy(sandbox) : sandbox.remedy,
  };
}

/**
 * What is in the way of the sandboxes of agents whose CLIs are there, by looks that take no longer than a moment: as
 * each agent is started, its CLI is asked itself. Of a script in place of a CLI nothing is known.
 */
export async function lookAtSandboxes(
  agents: readonly AgentToLookAt[],
  machine: Machine,
): Promise<readonly Obstacle[]> {
  return await lookAtEach(agents, {
    same: ({ provider, env }) => [provider.id, env],
    async look(agent) {
      const { provider: { label, sandbox } } = agent;
      if (sandbox === undefined || !machine.cli(agent).isItself()) return [];
      const problem = await (sandbox.findObstacle === undefined
        ? tried(sandbox, machine, agent)
        : toldProblem(sandbox.findObstacle(groundOf(machine, agent)), machine));
      if (problem === undefined) {
        return [];
      }
      const detail = `it cannot be switched on: ${problem}`;
      const remedy = neededRemedy(sandbox);
      return [{ check: `sandbox of ${label}`, status: "fail", detail, remedy, isOfMachine: true }];
    },
  });
}

/** Whether the sandbox around whole agents works here, for `doctor`. */
export async function checkWholeSandbox(
  context: TrialContext,
  { needed }: { readonly needed: boolean },
): Promise<Finding> {
  const check = "sandbox around agents";
  const found = await findSandboxObstacle(groundOf(context, {}));
  if (found === undefined) return { check, status: "ok", detail: '"sandbox": "agent" works here' };
  if (!needed) {
    return { check, status: "ok", detail: `not asked for; it could not be opened here: ${found.problem}` };
  }
  return { check, status: "fail", detail: `it cannot be opened: ${found.problem}`, remedy: found.remedy };
}

/** What is in the way of a sandbox around whole agents. */
export async function lookAtWholeSandbox(machine: TrialContext): Promise<readonly Obstacle[]> {
  const found = await findSandboxObstacle(groundOf(machine, {}));
  if (found === undefined) return [];
  const remedy =
    `${found.remedy}\nTo work without it: "sandbox": "commands" in the config, or PANEWRIGHT_SANDBOX=commands.`;
  const detail = `it cannot be opened: ${found.problem}`;
  return [{ check: "sandbox around agents", status: "fail", detail, remedy, isOfMachine: true }];
}

function neededRemedy({ remedy }: SandboxSupport): string {
  return `${remedy}\nTo work without it, in a container for example: "sandbox": "off" in the config, or PANEWRIGHT_SANDBOX=off.`;
}

type TrialContext = Pick<LookContext, "processRunner" | "signal" | "env">;

async function tried(
  { findProblem }: SandboxSupport,
  context: TrialContext,
  agent: Pick<AgentToLookAt, "env"> = {},
): Promise<string | undefined> {
  const state = stateFolder();
  if (state === undefined) return "neither HOME nor XDG_STATE_HOME names a folder to try it in";
  const workdir = `${state}/doctor-${crypto.randomUUID()}`;
  const find = async () => {
    makeOwnFolder(workdir);
    return await findProblem({ ...groundOf(context, agent), env: agent.env ?? {}, sandbox: { writable: [] }, workdir });
  };
  try {
    return await toldProblem(find(), context);
  } finally {
    await Deno.remove(workdir, { recursive: true }).catch(() => {});
  }
}

async function toldProblem(
  finding: Promise<string | undefined>,
  { signal }: TrialContext,
): Promise<string | undefined> {
  return await finding.catch((error) => {
    signal.throwIfAborted();
    return errorText(error);
  });
}

function groundOf(context: TrialContext, { env }: Pick<AgentToLookAt, "env">) {
  const { processRunner, signal } = context;
  return { host: systemHost({ PATH: placeIn("/", context, env).searchPath }), processRunner, signal };
}
