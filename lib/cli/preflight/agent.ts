import { programProblem } from "../../jobs/programs.ts";
import { hasAcp } from "../../agents/mod.ts";
import { firstLineOf, type SetupWord } from "../../agents/setup.ts";
import {
  type AgentToLookAt,
  ageProblem,
  askCli,
  cliFailure,
  findVersion,
  isStandIn,
  nodeProblem,
  placeOf,
  versionIn,
} from "./agent_cli.ts";
import { loginRemedy, lookAtLogin, setupLook, trustRemedy } from "./agent_setup.ts";
import type { Finding, Obstacle } from "./finding.ts";
import type { LookContext } from "./look_context.ts";
import { present } from "../../base/schema.ts";

export async function checkAgent(
  agent: AgentToLookAt,
  context: LookContext,
  options: { readonly needed: boolean; readonly loginNeeded?: boolean },
): Promise<Finding & { readonly installed: boolean }> {
  const { cli, label: check } = agent.provider;
  const isScript = isStandIn(agent, context);
  const version = await askCli(agent, context, { args: cli.versionArgs });
  const absence = version === undefined ? programProblem(cli.program, placeOf(agent, context)) : undefined;
  const failure = absence ?? await nodeProblem(agent, context) ?? cliFailure(agent, version) ??
    ageProblem(agent, versionIn(version?.stdout ?? ""));
  if (version === undefined || failure !== undefined) {
    const mayWork = isScript && version !== undefined;
    const status = options.needed && !mayWork ? "fail" : "warn";
    return { check, installed: mayWork, status, detail: failure ?? "", remedy: cli.installHint };
  }
  const name = firstLineOf({ ...version, stderr: "" }) || cli.program;
  const login = await lookAtLogin(agent, context, { version: versionIn(name), asksCli: true });
  if (login === undefined) return { check, installed: true, status: "ok", detail: name };
  const detail = login.detail === "" ? name : `${name}; ${login.detail}`;
  return login.state === "ready" ? { check, installed: true, status: "ok", detail } : {
    check,
    installed: true,
    status: login.state === "missing" && options.loginNeeded === true && !isScript ? "fail" : "warn",
    detail,
    remedy: loginRemedy(agent),
  };
}

export interface CliState {
  readonly version?: string;
  readonly problem?: string;
  readonly login?: SetupWord;
  readonly remedy: string;
}

/** An agent CLI by itself, asked as little as can be; `undefined` where it is not there. */
export async function lookAtCli(agent: AgentToLookAt, context: LookContext): Promise<CliState | undefined> {
  const { cli } = agent.provider;
  if (programProblem(cli.program, placeOf(agent, context)) !== undefined) return undefined;
  const { version, isRead, said } = await findVersion(agent, context);
  const about = version === undefined ? {} : { version };
  const problem = await nodeProblem(agent, context) ?? (isRead ? undefined : cliFailure(agent, said)) ??
    ageProblem(agent, version);
  if (problem !== undefined) return { ...about, problem, remedy: cli.installHint };
  const login = await lookAtLogin(agent, context, { version, asksCli: false });
  return { ...about, ...present({ login }), remedy: loginRemedy(agent) };
}

/** Whether a CLI that works in a pane trusts its folder; `undefined` where that does not matter. */
export async function checkTrust(agent: AgentToLookAt, context: LookContext): Promise<Finding | undefined> {
  const { cli: { setup }, terminal } = agent.provider;
  if (terminal === undefined || setup === undefined) return undefined;
  const { version } = await findVersion(agent, context);
  const trust = await setup.findTrust(setupLook(agent, context, { version }));
  if (trust === undefined) return undefined;
  const check = `trust of ${agent.provider.label}`;
  return trust.state === "ready" ? { check, status: "ok", detail: trust.detail } : {
    check,
    status: trust.state === "missing" ? "fail" : "warn",
    detail: trust.detail,
    remedy: trustRemedy(agent),
  };
}

/**
 * What is in the way of an agent whose CLI is there: that it does not work, its login, and its trust in the folder. What
 * cannot be known is a warning: it may be well. Of a script in place of a CLI nothing is known, and it is not called to
 * find out.
 */
async function lookAtSetup(agent: AgentToLookAt, context: LookContext): Promise<readonly Obstacle[]> {
  const { label: check, cli } = agent.provider;
  if (programProblem(cli.program, placeOf(agent, context)) !== undefined || isStandIn(agent, context)) return [];
  // An agent over ACP says at its start whether it works; some take seconds to tell their version.
  const asks = !hasAcp(agent.provider) || cli.minVersion !== undefined;
  const { version, isRead, said } = await findVersion(agent, context, { asks });
  const look = setupLook(agent, context, { version });
  const [login, trust] = await Promise.all([
    lookAtLogin(agent, context, { version, asksCli: false }),
    cli.setup?.findTrust(look),
  ]);
  // A CLI that has said whether it is logged in works; what files and variables show says nothing of that.
  const isProven = login?.state === "missing" ||
    (login?.state === "ready" && cli.setup?.findLogin?.(look) === undefined);
  const saysItself = hasAcp(agent.provider) && (isRead || cli.minVersion === undefined);
  const failure = await nodeProblem(agent, context) ??
    (isProven || saysItself
      ? undefined
      : cliFailure(agent, said ?? await askCli(agent, context, { args: cli.versionArgs }))) ??
    ageProblem(agent, version);
  const ofTrust = obstacle(check, trust, trustRemedy(agent));
  return failure === undefined
    ? [...obstacle(check, login, loginRemedy(agent)), ...ofTrust]
    : [{ check, status: "fail", detail: failure, remedy: cli.installHint, isOfMachine: true }, ...ofTrust];
}

/** What is in the way of several agents: each CLI is asked once, and what was found of several is told once. */
export async function lookAtSetups(
  agents: readonly AgentToLookAt[],
  context: LookContext,
): Promise<readonly Obstacle[]> {
  const different = new Map(
    agents.map((agent) => [JSON.stringify([agent.provider.id, agent.env, agent.args, agent.profile]), agent]),
  );
  const found = await Promise.all([...different.values()].map((agent) => lookAtSetup(agent, context)));
  return [...new Map(found.flat().map((each) => [JSON.stringify(each), each])).values()];
}

function obstacle(check: string, word: SetupWord | undefined, remedy: string): readonly Obstacle[] {
  if (word === undefined || word.state === "ready") return [];
  const { state, detail } = word;
  return [{ check, status: state === "missing" ? "fail" : "warn", detail, remedy, needsPerson: true }];
}

export function checkNamedProgram(
  check: string,
  [program]: readonly [string, ...string[]],
  { folder, env }: { readonly folder: string; readonly env: LookContext["env"] },
): Finding {
  const problem = programProblem(program, { folder, searchPath: env("PATH") ?? "" });
  if (problem === undefined) {
    return { check, status: "ok", detail: `${program} of the config is there; doctor does not run it` };
  }
  return {
    check,
    status: "fail",
    detail: problem,
    remedy: "Correct the command of the config, or install the program.",
  };
}
