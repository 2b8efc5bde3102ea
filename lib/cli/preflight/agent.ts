import { basename } from "@std/path/posix";
import { findProgram, type ProgramPlace, programProblem } from "../../jobs/programs.ts";
import { systemHost } from "../../ports/host.ts";
import { openRegularFile } from "../../ports/regular_file.ts";
import type { CommandResult, ProcessRunner } from "../../ports/process.ts";
import { hasAcp } from "../../providers/mod.ts";
import type { CliProgram, Provider } from "../../providers/provider.ts";
import { firstLineOf, type SetupLook, type SetupWord } from "../../providers/setup.ts";
import { SETUP_FILES } from "../../providers/setup_files.ts";
import { compareVersions } from "../../text/order.ts";
import { packageVersion } from "../package_version.ts";
import type { Finding, Obstacle } from "./finding.ts";

/** What looks at an agent CLI need of the outside. */
export interface LookContext {
  readonly processRunner: ProcessRunner;
  readonly signal: AbortSignal;
  env(name: string): string | undefined;
}

/** An agent CLI as it is to be started. */
export interface AgentToLookAt {
  readonly provider: Provider & { readonly cli: CliProgram };
  /** Variables that the configuration sets for it. @default {{}} */
  readonly env?: Readonly<Record<string, string>>;
  /** @default {[]} the person's arguments */
  readonly args?: readonly string[];
  readonly profile?: string | undefined;
  /** Absolute path of the folder that it works in, links resolved. */
  readonly workdir: string;
  /** Whether it works in a pane, where it asks a person. */
  readonly asksPerson: boolean;
}

/** No CLI that is asked for its version or its login may hold up anything longer than this. */
const CLI_TIMEOUT_MS = 15_000;

/**
 * An agent CLI: there, its version, and whether somebody is logged in. `installed` says whether it runs at all. A script
 * in place of a CLI never fails: a run starts it as it is.
 *
 * @param options `needed` when the configuration uses it; `loginNeeded` when it uses it with the login of `context`
 */
export async function checkAgent(
  agent: AgentToLookAt,
  context: LookContext,
  options: { readonly needed: boolean; readonly loginNeeded?: boolean },
): Promise<Finding & { readonly installed: boolean }> {
  const { cli, label: check } = agent.provider;
  const isScript = isStandIn(agent, context);
  const version = await ask(agent, cli.versionArgs, context);
  const absence = version === undefined ? programProblem(cli.program, placeOf(agent, context)) : undefined;
  const failure = absence ?? await nodeProblem(agent, context) ?? failureOf(agent, version) ??
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

/** What is known of an agent CLI that is there. */
export interface CliState {
  /** Three numbers; missing where it does not tell. */
  readonly version?: string;
  /** Why it cannot be used. */
  readonly problem?: string;
  /** Missing where it needs none, or nothing is known of it. */
  readonly login?: SetupWord;
  /** What a person does about it where something is wrong, as full sentences. */
  readonly remedy: string;
}

/** An agent CLI by itself, asked as little as can be; `undefined` where it is not there. */
export async function lookAtCli(agent: AgentToLookAt, context: LookContext): Promise<CliState | undefined> {
  const { cli } = agent.provider;
  if (programProblem(cli.program, placeOf(agent, context)) !== undefined) return undefined;
  const read = versionOfPackage(agent, context);
  const said = read === undefined ? await ask(agent, cli.versionArgs, context) : undefined;
  const version = read ?? versionIn(said?.stdout ?? "");
  const about = version === undefined ? {} : { version };
  const problem = await nodeProblem(agent, context) ?? (read === undefined ? failureOf(agent, said) : undefined) ??
    ageProblem(agent, version);
  if (problem !== undefined) return { ...about, problem, remedy: cli.installHint };
  const login = await lookAtLogin(agent, context, { version, asksCli: false });
  return { ...about, ...(login === undefined ? {} : { login }), remedy: loginRemedy(agent) };
}

/**
 * Why a CLI that is there does not work, by what it says of its version; `undefined` where it does, or takes too long to
 * know.
 */
function failureOf({ provider: { cli } }: AgentToLookAt, version: CommandResult | undefined): string | undefined {
  if (version === undefined) return `${cli.program} cannot be started: what its first line names is not there`;
  if (version.code === 0 || version.timedOut) return undefined;
  return `${[cli.program, ...cli.versionArgs].join(" ")} ended with code ${version.code}: ${firstLineOf(version)}`;
}

/** Why a version is not enough; `undefined` where it is, or is not known. */
function ageProblem({ provider: { cli } }: AgentToLookAt, version: string | undefined): string | undefined {
  const { minVersion, program } = cli;
  if (minVersion === undefined || version === undefined || compareVersions(version, minVersion) >= 0) return undefined;
  return `${program} ${version} is too old: panewright needs ${minVersion} or newer`;
}

/** Why the Node.js that a program is a script of cannot run it; `undefined` where it can, or it is none. */
async function nodeProblem(agent: AgentToLookAt, context: LookContext): Promise<string | undefined> {
  const { minNode, program } = agent.provider.cli;
  const file = fileOf(agent, context);
  const node = minNode === undefined || file === undefined ? undefined : nodeOf(firstBytes(file, 256));
  if (minNode === undefined || node === undefined) return undefined;
  const needs = `${program} runs on Node.js ${minNode} or newer`;
  const problem = programProblem(node, placeOf(agent, context));
  if (problem !== undefined) return `${needs}, and ${problem}`;
  const version = versionIn((await runProgram([node, "--version"], agent, context))?.stdout ?? "");
  if (version === undefined || compareVersions(version, `${minNode}.0.0`) >= 0) return undefined;
  return `${needs}, and ${node.includes("/") ? node : "the one on PATH"} is ${version}`;
}

/** The Node.js that the first row of a script names, by its path or as on PATH; `undefined` where it names none. */
function nodeOf(row: string): string | undefined {
  const [program = "", ...args] = row.startsWith("#!") ? row.slice(2).trim().split(/\s+/) : [];
  const named = basename(program) === "env" ? args.find((arg) => !/^-|=/.test(arg)) ?? "" : program;
  return basename(named) === "node" ? named : undefined;
}

/** Whether a CLI that works in a pane trusts its folder; `undefined` where that does not matter. */
export async function checkTrust(agent: AgentToLookAt, context: LookContext): Promise<Finding | undefined> {
  if (agent.provider.terminal === undefined) return undefined;
  const trust = await agent.provider.cli.setup?.findTrust(await lookOf(agent, context));
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
  const read = versionOfPackage(agent, context);
  const isOverAcp = hasAcp(agent.provider);
  // An agent over ACP says at its start whether it works; some take seconds to tell their version.
  const said = read === undefined && (!isOverAcp || cli.minVersion !== undefined)
    ? await ask(agent, cli.versionArgs, context)
    : undefined;
  const version = read ?? versionIn(said?.stdout ?? "");
  const look = setupLook(agent, context, version);
  const [login, trust] = await Promise.all([
    lookAtLogin(agent, context, { version, asksCli: false }),
    cli.setup?.findTrust(look),
  ]);
  // A CLI that has said whether it is logged in works; what files and variables show says nothing of that.
  const isProven = login?.state === "missing" ||
    (login?.state === "ready" && cli.setup?.findLogin?.(look) === undefined);
  const saysItself = isOverAcp && (read !== undefined || cli.minVersion === undefined);
  const failure = await nodeProblem(agent, context) ??
    (isProven || saysItself ? undefined : failureOf(agent, said ?? await ask(agent, cli.versionArgs, context))) ??
    ageProblem(agent, version);
  const ofTrust = obstacle(check, trust, trustRemedy(agent));
  return failure === undefined
    ? [...obstacle(check, login, loginRemedy(agent)), ...ofTrust]
    : [{ check, status: "fail", detail: failure, remedy: cli.installHint, isOfMachine: true }, ...ofTrust];
}

/** Whether a provider has a program of its own. */
export function hasCli<Kind extends Provider>(provider: Kind): provider is Kind & { readonly cli: CliProgram } {
  return provider.cli !== undefined;
}

/** An agent to look at; none where a program in place of the CLI may keep its login elsewhere. */
export function agentOf(
  { provider, command, ...start }: Pick<AgentToLookAt, "env" | "args" | "profile"> & {
    readonly provider: Provider;
    readonly command?: readonly string[] | undefined;
  },
  place: Pick<AgentToLookAt, "workdir" | "asksPerson">,
): readonly AgentToLookAt[] {
  return command !== undefined || !hasCli(provider) ? [] : [{ ...start, provider, ...place }];
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

async function lookAtLogin(
  agent: AgentToLookAt,
  context: LookContext,
  { version, asksCli }: { readonly version: string | undefined; readonly asksCli: boolean },
): Promise<SetupWord | undefined> {
  const { cli } = agent.provider;
  if (cli.setup === undefined) return undefined;
  const look = setupLook(agent, context, version);
  const known = cli.setup.findLogin?.(look);
  if (cli.loginStatusArgs === undefined || (known !== undefined && !asksCli)) return known;
  const said = await ask(agent, cli.loginStatusArgs, context);
  if (said === undefined || said.timedOut) {
    return { state: "unknown", detail: "whether it is logged in, it does not tell" };
  }
  const word = await cli.setup.judgeLogin(said, look);
  // Of a login for this start alone, as by a variable, its login status may know nothing.
  return word.state === "missing" && known?.state === "ready" ? known : word;
}

/** Whether the program on PATH is that of the npm package, or no script. */
export function isCliItself(agent: AgentToLookAt, context: LookContext): boolean {
  const file = fileOf(agent, context);
  if (file === undefined) return false;
  return versionOfPackage(agent, context) !== undefined || firstBytes(file, 2) !== "#!";
}

/**
 * Whether what is on PATH is a script in place of a CLI, of which nothing is known. Of an agent over ACP a script is not
 * that: many are installed as one.
 */
function isStandIn(agent: AgentToLookAt, context: LookContext): boolean {
  return !hasAcp(agent.provider) && fileOf(agent, context) !== undefined && !isCliItself(agent, context);
}

/** How a file begins; empty where it cannot be read, as a script must be to be run. */
function firstBytes(file: string, count: number): string {
  try {
    using program = openRegularFile(file, { access: "read" });
    const start = new Uint8Array(count);
    return new TextDecoder().decode(start.subarray(0, program.readAt(0, start))).split("\n", 1)[0] ?? "";
  } catch {
    return "";
  }
}

function fileOf(agent: AgentToLookAt, context: LookContext): string | undefined {
  return findProgram(agent.provider.cli.program, placeOf(agent, context));
}

function placeOf(agent: AgentToLookAt, context: LookContext): ProgramPlace {
  return { folder: agent.workdir, searchPath: envOf(agent, context)("PATH") ?? "" };
}

function versionOfPackage(agent: AgentToLookAt, context: LookContext): string | undefined {
  const { npmPackage } = agent.provider.cli;
  const file = fileOf(agent, context);
  return file === undefined || npmPackage === undefined ? undefined : packageVersion(file, npmPackage);
}

async function lookOf(agent: AgentToLookAt, context: LookContext): Promise<SetupLook> {
  const read = versionOfPackage(agent, context);
  const version = read ?? versionIn((await ask(agent, agent.provider.cli.versionArgs, context))?.stdout ?? "");
  return setupLook(agent, context, version);
}

function setupLook(agent: AgentToLookAt, context: LookContext, version: string | undefined): SetupLook {
  const { args = [], profile, workdir, asksPerson } = agent;
  return {
    ...{ env: envOf(agent, context), args, profile, workdir, asksPerson, version },
    ...SETUP_FILES,
  };
}

function envOf(agent: AgentToLookAt, context: LookContext): LookContext["env"] {
  const env = variablesOf(agent);
  return (name) => Object.hasOwn(env, name) ? env[name] : context.env(name);
}

/** The variables that it is started with: an agent over ACP has some of its own, as those that keep it from updating. */
function variablesOf({ provider, env = {}, workdir }: AgentToLookAt): Readonly<Record<string, string>> {
  return hasAcp(provider) ? provider.acp.launch({ workdir, env }).env : env;
}

/** What a CLI says in the folder of its work, whose settings it may read; `undefined` where there is none. */
async function ask(
  agent: AgentToLookAt,
  args: readonly string[],
  context: LookContext,
): Promise<CommandResult | undefined> {
  const { cli } = agent.provider;
  // As in a run, which starts no launcher that only tells that the program behind it was not installed.
  const host = systemHost({ PATH: envOf(agent, context)("PATH") ?? "" });
  return await runProgram([cli.nativeProgram?.(host) ?? cli.program, ...args], agent, context);
}

/** What a program says in the folder of an agent's work; `undefined` where there is none. */
async function runProgram(
  argv: readonly [string, ...string[]],
  agent: AgentToLookAt,
  context: LookContext,
): Promise<CommandResult | undefined> {
  try {
    return await context.processRunner.run({
      ...{ argv, cwd: agent.workdir, env: variablesOf(agent) },
      timeoutMs: CLI_TIMEOUT_MS,
      signal: context.signal,
    });
  } catch (error) {
    if (error instanceof Deno.errors.NotFound) return undefined;
    throw error;
  }
}

function versionIn(text: string): string | undefined {
  return /\d+\.\d+\.\d+/.exec(text)?.[0];
}

function loginRemedy({ provider: { acp, cli, terminal } }: AgentToLookAt): string {
  return terminal?.startupRemedies.login ?? acp?.loginHint ?? `Log in with ${cli.program} once.`;
}

function trustRemedy({ provider: { cli, terminal } }: AgentToLookAt): string {
  return terminal?.startupRemedies.trust ?? `Start ${cli.program} in that folder once, and trust it.`;
}

/**
 * A program that the configuration names for an agent, which is only looked for: what came with a repository is not run
 * before the person trusts it.
 *
 * @param folder what a relative path starts from
 */
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
