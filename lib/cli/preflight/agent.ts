import { hasAcp } from "../../agents/mod.ts";
import { firstLineOf, type SetupWord } from "../../agents/setup.ts";
import { present } from "../../base/schema.ts";
import { type AgentToLookAt, type CliHere, versionIn } from "./agent_cli.ts";
import { loginRemedy, lookAtLogin, setupLook, trustRemedy } from "./agent_setup.ts";
import { type Finding, lookAtEach, type Obstacle } from "./finding.ts";
import type { Machine } from "./machine_look.ts";

/** An agent CLI in full: it is asked for its version and its login, whatever files show. */
export async function checkAgent(
  here: CliHere,
  options: { readonly needed: boolean; readonly loginNeeded?: boolean },
): Promise<Finding & { readonly installed: boolean }> {
  const { label: check, cli } = here.agent.provider;
  const isScript = here.isStandIn();
  const said = await here.said();
  const failure = (said === undefined ? here.absence() : undefined) ??
    await here.fault({ version: versionIn(said?.stdout ?? ""), asks: true });
  if (said === undefined || failure !== undefined) {
    const mayWork = isScript && said !== undefined;
    const status = options.needed && !mayWork ? "fail" : "warn";
    return { check, installed: mayWork, status, detail: failure ?? "", remedy: cli.installHint };
  }
  const name = firstLineOf({ ...said, stderr: "" }) || cli.program;
  const login = await lookAtLogin(here, { version: versionIn(name), asksCli: true });
  const detail = login === undefined || login.detail === "" ? name : `${name}; ${login.detail}`;
  if (login === undefined || login.state === "ready") return { check, installed: true, status: "ok", detail };
  const isInTheWay = login.state === "missing" && options.loginNeeded === true && !isScript;
  const remedy = loginRemedy(here.agent);
  return { check, installed: true, status: isInTheWay ? "fail" : "warn", detail, remedy };
}

export interface CliState {
  readonly version?: string;
  readonly problem?: string;
  readonly login?: SetupWord;
  readonly remedy: string;
}

/** An agent CLI by itself, asked as little as can be; `undefined` where it is not there. */
export async function lookAtCli(here: CliHere): Promise<CliState | undefined> {
  if (here.absence() !== undefined) return undefined;
  const version = await here.version();
  const about = present({ version });
  const problem = await here.fault({ version, asks: here.packaged() === undefined });
  if (problem !== undefined) return { ...about, problem, remedy: here.agent.provider.cli.installHint };
  const login = await lookAtLogin(here, { version, asksCli: false });
  return { ...about, ...present({ login }), remedy: loginRemedy(here.agent) };
}

/** Whether a CLI that works in a pane trusts its folder; `undefined` where that does not matter. */
export async function checkTrust(here: CliHere): Promise<Finding | undefined> {
  const { label, cli: { setup }, terminal } = here.agent.provider;
  if (terminal === undefined || setup === undefined) return undefined;
  const { state, detail } = await setup.findTrust(setupLook(here, { version: await here.version() }));
  const check = `trust of ${label}`;
  if (state === "ready") return { check, status: "ok", detail };
  return { check, status: state === "missing" ? "fail" : "warn", detail, remedy: trustRemedy(here.agent) };
}

/**
 * What is in the way of an agent whose CLI is there: that it does not work, its login, and its trust in the folder. What
 * cannot be known is a warning: it may be well. Of a script in place of a CLI nothing is known, and it is not called to
 * find out.
 */
async function lookAtSetup(here: CliHere): Promise<readonly Obstacle[]> {
  const { agent } = here;
  const { label: check, cli } = agent.provider;
  if (here.absence() !== undefined || here.isStandIn()) return [];
  // An agent over ACP says at its start whether it works; some take seconds to tell their version.
  const saysItself = hasAcp(agent.provider) && cli.minVersion === undefined;
  const version = saysItself ? here.packaged() : await here.version();
  const look = setupLook(here, { version });
  const [login, trust] = await Promise.all([
    lookAtLogin(here, { version, asksCli: false }),
    cli.setup?.findTrust(look),
  ]);
  // A CLI that has said whether it is logged in works; what files and variables show says nothing of that.
  const isProven = login?.state === "missing" ||
    (login?.state === "ready" && cli.setup?.findLogin?.(look) === undefined);
  const asks = !isProven && !saysItself && !(hasAcp(agent.provider) && here.packaged() !== undefined);
  const failure = await here.fault({ version, asks });
  const ofTrust = obstacle(check, trust, trustRemedy(agent));
  return failure === undefined
    ? [...obstacle(check, login, loginRemedy(agent)), ...ofTrust]
    : [{ check, status: "fail", detail: failure, remedy: cli.installHint, isOfMachine: true }, ...ofTrust];
}

/** What is in the way of several agents. */
export async function lookAtSetups(agents: readonly AgentToLookAt[], machine: Machine): Promise<readonly Obstacle[]> {
  return await lookAtEach(agents, {
    same: ({ provider, env, args, profile }) => [provider.id, env, args, profile],
    look: (agent) => lookAtSetup(machine.cli(agent)),
  });
}

function obstacle(check: string, word: SetupWord | undefined, remedy: string): readonly Obstacle[] {
  if (word === undefined || word.state === "ready") return [];
  const { state, detail } = word;
  const status = state === "missing" ? "fail" : "warn";
  return word.remedy === undefined
    ? [{ check, status, detail, remedy, needsPerson: true }]
    : [{ check, status, detail, remedy: word.remedy }];
}
