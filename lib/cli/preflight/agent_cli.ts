import { basename } from "@std/path/posix";
import { findProgram, type ProgramPlace, programProblem } from "../../jobs/programs.ts";
import { systemHost } from "../../base/ports/host.ts";
import type { CommandResult } from "../../base/ports/process.ts";
import { openRegularFile } from "../../base/ports/regular_file.ts";
import { hasAcp } from "../../agents/mod.ts";
import type { CliProgram, Provider } from "../../agents/provider.ts";
import { firstLineOf } from "../../agents/setup.ts";
import { compareVersions } from "../../base/text/order.ts";
import { packageVersion } from "../package_version.ts";
import type { LookContext } from "./look_context.ts";

export interface AgentToLookAt {
  readonly provider: Provider & { readonly cli: CliProgram };
  readonly env?: Readonly<Record<string, string>>;
  readonly args?: readonly string[];
  readonly profile?: string | undefined;
  readonly workdir: string;
  readonly asksPerson: boolean;
}

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

/**
 * Why a CLI that is there does not work, by what it says of its version; `undefined` where it does, or takes too long to
 * know.
 */
export function cliFailure(
  { provider: { cli } }: AgentToLookAt,
  version: CommandResult | undefined,
): string | undefined {
  if (version === undefined) return `${cli.program} cannot be started: what its first line names is not there`;
  if (version.code === 0 || version.timedOut) return undefined;
  return `${[cli.program, ...cli.versionArgs].join(" ")} ended with code ${version.code}: ${firstLineOf(version)}`;
}

/** Why a version is not enough; `undefined` where it is, or is not known. */
export function ageProblem({ provider: { cli } }: AgentToLookAt, version: string | undefined): string | undefined {
  const { minVersion, program } = cli;
  if (minVersion === undefined || version === undefined || compareVersions(version, minVersion) >= 0) return undefined;
  return `${program} ${version} is too old: panewright needs ${minVersion} or newer`;
}

/** Why the Node.js that a program is a script of cannot run it; `undefined` where it can, or it is none. */
export async function nodeProblem(agent: AgentToLookAt, context: LookContext): Promise<string | undefined> {
  const { minNode, program } = agent.provider.cli;
  const file = fileOf(agent, context);
  const node = minNode === undefined || file === undefined ? undefined : nodeOf(firstBytes(file, 256));
  if (minNode === undefined || node === undefined) return undefined;
  const needs = `${program} runs on Node.js ${minNode} or newer`;
  const problem = programProblem(node, placeOf(agent, context));
  if (problem !== undefined) return `${needs}, and ${problem}`;
  const version = versionIn((await runProgram(agent, context, { argv: [node, "--version"] }))?.stdout ?? "");
  if (version === undefined || compareVersions(version, `${minNode}.0.0`) >= 0) return undefined;
  return `${needs}, and ${node.includes("/") ? node : "the one on PATH"} is ${version}`;
}

/** The Node.js that the first row of a script names, by its path or as on PATH; `undefined` where it names none. */
function nodeOf(row: string): string | undefined {
  const [program = "", ...args] = row.startsWith("#!") ? row.slice(2).trim().split(/\s+/) : [];
  const named = basename(program) === "env" ? args.find((arg) => !/^-|=/.test(arg)) ?? "" : program;
  return basename(named) === "node" ? named : undefined;
}

export function isCliItself(agent: AgentToLookAt, context: LookContext): boolean {
  const file = fileOf(agent, context);
  if (file === undefined) return false;
  return versionOfPackage(agent, context) !== undefined || firstBytes(file, 2) !== "#!";
}

/**
 * Whether what is on PATH is a script in place of a CLI, of which nothing is known. Of an agent over ACP a script is not
 * that: many are installed as one.
 */
export function isStandIn(agent: AgentToLookAt, context: LookContext): boolean {
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

export function placeOf(agent: AgentToLookAt, context: LookContext): ProgramPlace {
  return { folder: agent.workdir, searchPath: envOf(agent, context)("PATH") ?? "" };
}

interface FoundVersion {
  /** Three numbers; `undefined` where neither its package nor the CLI tells. */
  readonly version: string | undefined;
  readonly isRead: boolean;
  readonly said: CommandResult | undefined;
}

/** Reads a CLI's version from its npm package, or else asks the CLI, unless `asks` is false. */
export async function findVersion(
  agent: AgentToLookAt,
  context: LookContext,
  { asks = true }: { readonly asks?: boolean } = {},
): Promise<FoundVersion> {
  const read = versionOfPackage(agent, context);
  if (read !== undefined || !asks) return { version: read, isRead: read !== undefined, said: undefined };
  const said = await askCli(agent, context, { args: agent.provider.cli.versionArgs });
  return { version: versionIn(said?.stdout ?? ""), isRead: false, said };
}

/** Its version, by the npm package that its program is of; `undefined` where that does not tell. */
function versionOfPackage(agent: AgentToLookAt, context: LookContext): string | undefined {
  const { npmPackage } = agent.provider.cli;
  const file = fileOf(agent, context);
  return file === undefined || npmPackage === undefined ? undefined : packageVersion(file, npmPackage);
}

export function envOf(agent: AgentToLookAt, context: LookContext): LookContext["env"] {
  const env = variablesOf(agent);
  return (name) => Object.hasOwn(env, name) ? env[name] : context.env(name);
}

/** The variables that it is started with: an agent over ACP has some of its own, as those that keep it from updating. */
function variablesOf({ provider, env = {}, workdir }: AgentToLookAt): Readonly<Record<string, string>> {
  return hasAcp(provider) ? provider.acp.launch({ workdir, env }).env : env;
}

const CLI_TIMEOUT_MS = 15_000;

/** What a CLI says in the folder of its work, whose settings it may read; `undefined` where there is none. */
export async function askCli(
  agent: AgentToLookAt,
  context: LookContext,
  { args }: { readonly args: readonly string[] },
): Promise<CommandResult | undefined> {
  const { cli } = agent.provider;
  // As in a run, which starts no launcher that only tells that the program behind it was not installed.
  const host = systemHost({ PATH: envOf(agent, context)("PATH") ?? "" });
  return await runProgram(agent, context, { argv: [cli.nativeProgram?.(host) ?? cli.program, ...args] });
}

/** What a program says in the folder of an agent's work; `undefined` where there is none. */
async function runProgram(
  agent: AgentToLookAt,
  context: LookContext,
  { argv }: { readonly argv: readonly [string, ...string[]] },
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

export function versionIn(text: string): string | undefined {
  return /\d+\.\d+\.\d+/.exec(text)?.[0];
}
