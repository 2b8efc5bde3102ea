import { basename } from "@std/path/posix";
import { findProgram, type ProgramPlace, programProblem } from "../../run/programs.ts";
import { systemHost } from "../../base/ports/host.ts";
import type { CommandResult } from "../../base/ports/process.ts";
import { openRegularFile } from "../../base/ports/regular_file.ts";
import { hasAcp } from "../../agents/mod.ts";
import type { CliProgram, Provider } from "../../agents/provider.ts";
import { firstLineOf } from "../../agents/setup.ts";
import { compareVersions } from "../../base/text/order.ts";
import { packageVersion } from "../package_version.ts";
import { type LookContext, once, placeIn } from "./look_context.ts";

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

/** An agent's CLI, as it would be started: what is asked of it is looked up once, and not before. */
export interface CliHere {
  readonly agent: AgentToLookAt;
  /** A variable as the CLI gets it. */
  env(name: string): string | undefined;
  /** Why its program cannot be run; `undefined` where it is there. */
  absence(): string | undefined;
  /** Whether it is the CLI, and no script in its place. */
  isItself(): boolean;
  /**
   * Whether what is on PATH is a script in place of a CLI, of which nothing is known. Of an agent over ACP a script is
   * not that: many are installed as one.
   */
  isStandIn(): boolean;
  /** Its version, by the npm package that its program is of; `undefined` where that does not tell. */
  packaged(): string | undefined;
  /** What it says of its version; `undefined` where it cannot be started. */
  said(): Promise<CommandResult | undefined>;
  /** Three numbers: of its package, or else as it says; `undefined` where neither tells. */
  version(): Promise<string | undefined>;
  /**
   * Why it does not work, by the Node.js that it is a script of, its version, and, where it `asks`, by what it says of
   * that; `undefined` where it does, or takes too long to know.
   */
  fault(of: { readonly version: string | undefined; readonly asks: boolean }): Promise<string | undefined>;
  /** What it says in the folder of its work, whose settings it may read; `undefined` where there is none. */
  ask(args: readonly string[]): Promise<CommandResult | undefined>;
}

export function cliHere(agent: AgentToLookAt, context: LookContext): CliHere {
  const { provider, workdir } = agent;
  const { cli } = provider;
  // An agent over ACP has variables of its own, as those that keep it from updating.
  const own = hasAcp(provider) ? provider.acp.launch({ workdir, env: agent.env ?? {} }).env : agent.env ?? {};
  const place = placeIn(workdir, context, own);
  const file = once(() => findProgram(cli.program, place));
  const run = async (argv: readonly [string, ...string[]]) => {
    try {
      const { processRunner, signal } = context;
      return await processRunner.run({ argv, cwd: workdir, env: own, timeoutMs: CLI_TIMEOUT_MS, signal });
    } catch (error) {
      if (error instanceof Deno.errors.NotFound) return undefined;
      throw error;
    }
  };
  const here: CliHere = {
    agent,
    env: (name) => Object.hasOwn(own, name) ? own[name] : context.env(name),
    absence: once(() => programProblem(cli.program, place)),
    isItself: once(() => {
      const program = file();
      return program !== undefined && (here.packaged() !== undefined || firstBytes(program, 2) !== "#!");
    }),
    isStandIn: () => !hasAcp(provider) && file() !== undefined && !here.isItself(),
    packaged: once(() => {
      const program = file();
      return program === undefined || cli.npmPackage === undefined
        ? undefined
        : packageVersion(program, cli.npmPackage);
    }),
    said: once(() => here.ask(cli.versionArgs)),
    version: async () => here.packaged() ?? versionIn((await here.said())?.stdout ?? ""),
    fault: async ({ version, asks }) =>
      await nodeProblem() ?? (asks ? failureOf(cli, await here.said()) : undefined) ?? ageProblem(cli, version),
    // As in a run, which starts no launcher that only tells that the program behind it was not installed.
    ask: (args) => run([cli.nativeProgram?.(systemHost({ PATH: place.searchPath })) ?? cli.program, ...args]),
  };
  const nodeProblem = once(() => nodeProblemOf(cli, { file: file(), place, run }));
  return here;
}

const CLI_TIMEOUT_MS = 15_000;

function failureOf({ program, versionArgs }: CliProgram, said: CommandResult | undefined): string | undefined {
  if (said === undefined) return `${program} cannot be started: what its first line names is not there`;
  if (said.code === 0 || said.timedOut) return undefined;
  return `${[program, ...versionArgs].join(" ")} ended with code ${said.code}: ${firstLineOf(said)}`;
}

function ageProblem({ minVersion, program }: CliProgram, version: string | undefined): string | undefined {
  if (minVersion === undefined || version === undefined || compareVersions(version, minVersion) >= 0) return undefined;
  return `${program} ${version} is too old: panewright needs ${minVersion} or newer`;
}

/** Why the Node.js that a program is a script of cannot run it; `undefined` where it can, or it is none. */
async function nodeProblemOf(
  { minNode, program }: CliProgram,
  { file, place, run }: {
    readonly file: string | undefined;
    readonly place: ProgramPlace;
    readonly run: (argv: readonly [string, ...string[]]) => Promise<CommandResult | undefined>;
  },
): Promise<string | undefined> {
  const node = minNode === undefined || file === undefined ? undefined : nodeOf(firstBytes(file, 256));
  if (minNode === undefined || node === undefined) return undefined;
  const needs = `${program} runs on Node.js ${minNode} or newer`;
  const problem = programProblem(node, place);
  if (problem !== undefined) return `${needs}, and ${problem}`;
  const version = versionIn((await run([node, "--version"]))?.stdout ?? "");
  if (version === undefined || compareVersions(version, `${minNode}.0.0`) >= 0) return undefined;
  return `${needs}, and ${node.includes("/") ? node : "the one on PATH"} is ${version}`;
}

/** The Node.js that the first row of a script names, by its path or as on PATH; `undefined` where it names none. */
function nodeOf(row: string): string | undefined {
  const [program = "", ...args] = row.startsWith("#!") ? row.slice(2).trim().split(/\s+/) : [];
  const named = basename(program) === "env" ? args.find((arg) => !/^-|=/.test(arg)) ?? "" : program;
  return basename(named) === "node" ? named : undefined;
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

export function versionIn(text: string): string | undefined {
  return /\d+\.\d+\.\d+/.exec(text)?.[0];
}
