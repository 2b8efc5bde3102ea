import type { SetupLook, SetupWord } from "../../agents/setup.ts";
import { SETUP_FILES } from "../../agents/setup_files.ts";
import { type AgentToLookAt, askCli, envOf } from "./agent_cli.ts";
import type { LookContext } from "./look_context.ts";

/** Whether somebody is logged in; `undefined` where nothing is known of that. */
export async function lookAtLogin(
  agent: AgentToLookAt,
  context: LookContext,
  { version, asksCli }: { readonly version: string | undefined; readonly asksCli: boolean },
): Promise<SetupWord | undefined> {
  const { cli } = agent.provider;
  if (cli.setup === undefined) return undefined;
  const look = setupLook(agent, context, { version });
  const known = cli.setup.findLogin?.(look);
  if (cli.loginStatusArgs === undefined || (known !== undefined && !asksCli)) return known;
  const said = await askCli(agent, context, { args: cli.loginStatusArgs });
  if (said === undefined || said.timedOut) {
    return { state: "unknown", detail: "it does not say whether it is logged in" };
  }
  const word = await cli.setup.judgeLogin(said, look);
  // Of a login for this start alone, as by a variable, its login status may know nothing.
  return word.state === "missing" && known?.state === "ready" ? known : word;
}

export function setupLook(
  agent: AgentToLookAt,
  context: LookContext,
  { version }: Pick<SetupLook, "version">,
): SetupLook {
  const { args = [], profile, workdir, asksPerson } = agent;
  return {
    ...{ env: envOf(agent, context), args, profile, workdir, asksPerson, version },
    ...SETUP_FILES,
  };
}

export function loginRemedy({ provider: { acp, cli, terminal } }: AgentToLookAt): string {
  return terminal?.startupRemedies.login ?? acp?.login_hint ?? `Log in with ${cli.program} once.`;
}

export function trustRemedy({ provider: { cli, terminal } }: AgentToLookAt): string {
  return terminal?.startupRemedies.trust ?? `Start ${cli.program} in that folder once, and trust it.`;
}
