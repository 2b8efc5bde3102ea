import { folderOfPerson } from "../../workspace/workspace.ts";
import type { SetupLook, SetupWord } from "../../agents/setup.ts";
import { SETUP_FILES } from "../../agents/setup_files.ts";
import type { AgentToLookAt, CliHere } from "./agent_cli.ts";

/** Whether somebody is logged in; `undefined` where nothing is known of that. */
export async function lookAtLogin(
  here: CliHere,
  { version, asksCli }: { readonly version: string | undefined; readonly asksCli: boolean },
): Promise<SetupWord | undefined> {
  const { setup, loginStatusArgs } = here.agent.provider.cli;
  if (setup === undefined) return undefined;
  const look = setupLook(here, { version });
  const known = setup.findLogin?.(look);
  if (loginStatusArgs === undefined || (known !== undefined && !asksCli)) return known;
  const said = await here.ask(loginStatusArgs);
  if (said === undefined || said.timedOut) {
    return { state: "unknown", detail: "it does not say whether it is logged in" };
  }
  const word = await setup.judgeLogin(said, look);
  // Of a login for this start alone, as by a variable, its login status may know nothing.
  return word.state === "missing" && known?.state === "ready" ? known : word;
}

export function setupLook({ agent, env }: CliHere, { version }: Pick<SetupLook, "version">): SetupLook {
  const { args = [], profile, workdir, asksPerson } = agent;
  return { env, args, profile, workdir: folderOfPerson(workdir), asksPerson, version, ...SETUP_FILES };
}

export function loginRemedy({ provider: { acp, cli, terminal } }: AgentToLookAt): string {
  return terminal?.startupRemedies.login ?? acp?.login_hint ?? `Log in with ${cli.program} once.`;
}

export function trustRemedy({ provider: { cli, terminal } }: AgentToLookAt): string {
  return terminal?.startupRemedies.trust ?? `Start ${cli.program} in that folder once, and trust it.`;
}
