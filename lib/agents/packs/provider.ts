import { UsageError } from "../../base/errors.ts";
import type { AcpAskMode, AcpLaunchRequest, AcpProvider, AcpSubjectSource, AcpToolInput } from "../acp/acp_provider.ts";
import type { LaunchPlan } from "../launch_plan.ts";
import type { AcpAgentProvider, CliProgram, ProviderId } from "../provider.ts";
import { findLogin, loginSetup } from "./login.ts";
import type { Pack, PackSubjectSource } from "./pack.ts";
import { present } from "../../base/schema.ts";

/** How long big CLIs took on two busy cores was up to 30 seconds. */
const START_SECONDS = 60;

export function packProvider(
  id: ProviderId,
  pack: Pack,
  { isOfConfig = false }: { readonly isOfConfig?: boolean } = {},
): AcpAgentProvider {
  const { label, failures = [] } = pack;
  const cli = programOf(pack);
  return {
    id,
    label,
    ...present({ cli }),
    ...(isOfConfig ? { isOfConfig } : {}),
    acp: acpOf(id, pack),
    failures,
    capabilities: { refusesWritesSince: undefined },
  };
}

function acpOf(id: ProviderId, pack: Pack): AcpProvider {
  const { login = [], ask_mode: mode, model, tools = [], usage = [], resume = [], start_seconds } = pack;
  return {
    launch: (request) => launchPlan(id, pack, request),
    ...present({ env: pack.env }),
    authMethod: (look) => findLogin(login, look)?.auth_method,
    ...present({ loginHint: pack.login_hint }),
    ...(mode === undefined ? {} : { askMode: askModeOf(mode) }),
    ...present({ model }),
    tools: tools.map(({ name, kind, as, subject, cwd, cwd_in_content: inContent }): AcpToolInput => ({
      ...present({ name, kind }),
      as,
      subject: sourceOf(subject),
      ...(cwd === undefined ? {} : { cwd: sourceOf(cwd) }),
      ...(inContent === undefined ? {} : { cwdInContent: new RegExp(inContent) }),
    })),
    ...present({ questions: pack.questions }),
    usage,
    tellsTokens: usage.some(({ from }) => from !== "cost"),
    resume,
    startSeconds: start_seconds ?? START_SECONDS,
  };
}

function askModeOf({ id, options, asks_before, asks_before_changes = [] }: NonNullable<Pack["ask_mode"]>): AcpAskMode {
  return {
    ...present({ id, options }),
    asksBefore: asks_before,
    asksBeforeChanges: asks_before_changes,
  };
}

function sourceOf(
  { from, path = [], form = from === "input" || from === "meta" ? "text" : "texts" }: PackSubjectSource,
): AcpSubjectSource {
  return { from, path, form };
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

function launchPlan(id: ProviderId, pack: Pack, request: AcpLaunchRequest): LaunchPlan {
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
