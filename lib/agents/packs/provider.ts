import { UsageError } from "../../base/errors.ts";
import type { AgentLaunch, LaunchPlan } from "../launch_plan.ts";
import type { AcpAgentProvider, CliProgram, ProviderId } from "../provider.ts";
import { findLogin, loginSetup } from "./login.ts";
import type { Pack } from "./pack.ts";
import { present } from "../../base/schema.ts";

export function packProvider(
  id: ProviderId,
  pack: Pack,
  { isOfConfig = false }: { readonly isOfConfig?: boolean } = {},
): AcpAgentProvider {
  const { label, failures = [], login = [], usage = [], obeys, sandbox: whole } = pack;
  return {
    ...{ id, label, failures, capabilities: { refusesWritesSince: undefined } },
    ...present({ cli: programOf(pack), isOfConfig: isOfConfig || undefined, obeys, whole }),
    acp: {
      ...pack,
      launch: (request) => launchPlan(id, pack, request),
      authMethod: (look) => findLogin(login, look)?.auth_method,
      tellsTokens: usage.some(({ from }) => from !== "cost"),
    },
  };
}

function programOf(pack: Pack): CliProgram | undefined {
  const { program, npm_package: npmPackage, version_args: versionArgs = ["--version"] } = pack;
  if (program === undefined) return undefined;
  const { login_status_args: loginStatusArgs, min_version: minVersion, min_node: minNode } = pack;
  const setup = loginSetup(pack);
  return {
    program,
    versionArgs,
    ...present({ loginStatusArgs, setup }),
    installHint: pack.install_hint ?? installHintOf(program, npmPackage),
    ...present({ npmPackage, minVersion, minNode }),
  };
}

function installHintOf(program: string, npmPackage: string | undefined): string {
  if (npmPackage !== undefined) return `Install it with: npm install --global ${npmPackage}`;
  if (program.includes("/")) return `Install it as ${program}, or correct "program" of its file.`;
  return `Install ${program}, and see that it is on PATH.`;
}

function launchPlan(id: ProviderId, pack: Pack, request: AgentLaunch): LaunchPlan {
  const { program, args: ownArgs = [], env: ownEnv = {}, model: way } = pack;
  const { workdir, command, args = [], env = {}, model } = request;
  const start = command ?? (program === undefined ? undefined : [program] as const);
  if (start === undefined) {
    throw new UsageError(`Cannot start an agent of ${id}: no command is given`, {
      hint:
        `Name what speaks the Agent Client Protocol: "providers": { "${id}": { "command": ["my-agent", "--acp"] } }.`,
    });
  }
  if (model !== undefined && way === undefined) {
    throw new UsageError(`Cannot give ${id} the model "${model}": how its model is chosen is not known`, {
      hint: "Set the model in the agent's own settings, or by its arguments or variables.",
    });
  }
  const given = model === undefined ? undefined : way;
  return {
    argv: [...start, ...ownArgs, ...(given?.by === "argument" ? [given.name, model ?? ""] : []), ...args],
    env: { ...ownEnv, ...(given?.by === "variable" ? { [given.name]: model ?? "" } : {}), ...env },
    cwd: workdir,
  };
}
