import {
  type AgentState,
  agentStateAt,
  copyState,
  hostsOfAgent,
  type OwnSession,
  ownTriesOf,
  type WholeAgent,
} from "../agents/whole_agent.ts";
import type { AroundAgent, SandboxRequest } from "../agents/launch_plan.ts";
import { UsageError } from "../base/errors.ts";
import { lstatOrUndefined } from "../base/ports/files.ts";
import type { SandboxKind } from "../base/terms.ts";
import { selfCommand } from "../base/ports/self.ts";
import { makeOwnFolder, STATE_FOLDER_HINT, stateFolder } from "../base/ports/state_folder.ts";
import { errorText } from "../base/text/error_text.ts";
import { present } from "../base/schema.ts";
import { systemProcessRunner } from "../base/ports/process.ts";
import { findSandboxObstacle } from "../sandbox/obstacles.ts";
import type { RunFolder } from "../run/run_folder.ts";
import type { Run } from "../run/execution.ts";
import { newRoleMark, roleMark } from "../run/left_processes.ts";
import { agentsFolderOf, hooksOf } from "../run/state_names.ts";
import { openSandbox, type SandboxRefusal } from "../sandbox/open_sandbox.ts";
import { ignoredIn } from "../workspace/bring.ts";
import { cloneOf, treesBeside, type Workspace, workspaceAround } from "../workspace/workspace.ts";
import { openOwnTries } from "./own_tries.ts";
import { gitObeyedOf, obeyedOf, QUIET, type SandboxSpec, secretsOf, VARIABLES } from "../sandbox/spec.ts";

/** What a configuration says of a sandbox around whole agents. */
export interface WholePlan {
  /** Hosts and groups of hosts, besides those of the agents' models. */
  readonly network: readonly string[];
  readonly variables: readonly string[];
  /** What is not there for agents in a workspace of what git ignores in the person's checkout: patterns. @default {[]} */
  readonly unseen?: readonly string[];
  /** Whether the sandbox of each agent's CLI takes its place where the machine cannot. @default {false} */
  readonly orCommands?: boolean;
}

/** The sandbox that agents are to have. */
export interface SandboxPlan extends SandboxRequest {
  /** Missing where it is the one that each CLI brings. */
  readonly whole?: WholePlan;
}

export function sandboxModeOf({ sandbox }: { readonly sandbox?: SandboxPlan }): SandboxKind {
  return sandbox === undefined ? "off" : sandbox.whole === undefined ? "cli" : "agent";
}

interface Around extends Pick<Run<never, never>, "clock" | "signal"> {
  readonly folder: Pick<RunFolder, "path">;
  readonly workdir: string;
  readonly writable: readonly string[];
  readonly whole: WholePlan;
  /** What the run is called in the state folder. */
  readonly name: string;
  readonly onRefusal: (refusal: SandboxRefusal) => void;
  readonly onGone: (error: Error) => void;
  /** Whether it is another one than that of the run's agents, which stays when this one is closed. @default {false} */
  readonly isBeside?: boolean;
  /** The session that agents of a provider begin with a copy of. */
  readonly adopts?: { readonly provider: string; readonly session: OwnSession };
  /** Whether a host that is not named is let through. @default {() => false} */
  readonly mayReach?: (target: { readonly host: string; readonly port: number }) => Promise<boolean>;
}

/** The sandbox of a run, with a place for each of its agents. */
export interface WholeSandbox extends AsyncDisposable {
  readonly env: (worker: string) => Readonly<Record<string, string>>;
  readonly request: (worker: string) => SandboxRequest;
  /** For the commands of the project: its test command, its checks. */
  readonly commands: AroundAgent;
}

/** It is not to be had on this machine, and its configuration wants the sandbox of each agent's CLI then. */
export interface NotOpened extends AsyncDisposable {
  readonly notOpened: string;
}

/** What is told where the sandbox of each agent's CLI is in place of the one around it. */
export function insteadWords({ notOpened }: NotOpened): string {
  return `each agent is in the sandbox of its own CLI ("sandbox": "auto"): the one around it cannot be opened here: ${notOpened}`;
}

const HOST_PERMISSIONS = ["--allow-read", "--allow-write", "--allow-run", "--allow-env", "--allow-net", "--allow-sys"];

/** What a sandbox lets through, before it is open. */
export interface WholeBounds {
  readonly hosts: readonly string[];
  /** Of an agent by its folder's name; of the project's commands without one. */
  readonly of: (worker?: string) => SandboxSpec;
  readonly states: ReadonlyMap<string, AgentState>;
  /** The folder of the run in the state folder, and what holds all of them. */
  readonly root: string;
  readonly state: string;
}

type BoundsOf = Pick<Around, "folder" | "name" | "whole" | "workdir" | "writable">;

/**
 * What the agents of a run, and the project's commands, may do in the sandbox around them.
 *
 * @param workers the agents, by the names of their folders
 * @throws {UsageError} for an agent that is not known to work inside
 */
export async function boundsOf(
  workers: ReadonlyMap<string, WholeAgent>,
  { folder, name, whole, workdir, writable }: BoundsOf,
): Promise<WholeBounds> {
  const env = Deno.env.toObject();
  const state = stateFolder();
  const root = agentsFolderOf(name);
  if (state === undefined || root === undefined) {
    throw new UsageError("Cannot open the sandbox: there is no folder for what it needs", { hint: STATE_FOLDER_HINT });
  }
  const hosts = new Set(whole.network);
  for (const agent of workers.values()) for (const host of await hostsOfAgent(agent, { env })) hosts.add(host);
  const states = new Map(
    [...workers].map(([worker, agent]) => [worker, agentStateAt(`${root}/${worker}`, agent, { env })] as const),
  );
  const hooks = hooksOf(name);
  const clone = workspaceAround(workdir);
  const unseen = await unseenIn(clone, whole);
  // Below the top of a workspace, too, what git keeps of it is the agents' own.
  const above = clone === undefined || clone.tree === workdir ? [] : [clone.tree];
  return {
    ...{ hosts: [...hosts], states, root, state },
    of(worker) {
      const own = worker === undefined ? undefined : states.get(worker);
      const temporary = own?.temporary ?? `${root}/commands`;
      const told = own && hooks;
      const extra = [...own?.writable ?? [temporary], ...(told === undefined ? [] : [told.folder])];
      return {
        name: worker ?? "command",
        writable: [workdir, ...above.map((tree) => `${tree}/.git`), ...writable, ...extra],
        readOnly: [...obeyedOf(workdir), ...above.flatMap(gitObeyedOf), ...ownRecords(folder.path).filter(isThere)],
        // What is done in other workspaces is no business of this one's agents.
        hidden: [...secretsOf(env["HOME"] ?? "/root"), state, ...treesBeside(clone), ...unseen].filter(isThere),
        // What answers the hooks inside, and what a workspace borrows, is read there, and written here alone.
        shown: [...extra, told?.answers, clone?.store].filter((path) => path !== undefined),
        temporary,
        variables: [...VARIABLES, ...whole.variables, ...own?.variables ?? []],
      };
    },
  };
}

/** What agents in a workspace are not to see of the person's checkout. */
async function unseenIn(
  clone: Workspace | undefined,
  { unseen: patterns = [] }: WholePlan,
): Promise<readonly string[]> {
  if (clone === undefined || patterns.length === 0) return [];
  const { paths } = await ignoredIn(clone.top, { patterns, signal: new AbortController().signal });
  return paths.map((path) => `${clone.top}/${path}`);
}

/**
 * Opens the sandbox around the agents of a run, and around the project's commands.
 *
 * @param workers as for {@linkcode boundsOf}
 * @throws {UsageError} where the machine cannot, or for an agent that is not known to work inside
 * @throws {RuntimeError} when it cannot be opened
 */
export async function openWholeSandbox(
  workers: ReadonlyMap<string, WholeAgent>,
  { adopts, clock, isBeside = false, mayReach, onGone, onRefusal, signal, ...around }: Around,
): Promise<WholeSandbox | NotOpened> {
  const { name, whole, workdir, writable } = around;
  const obstacle = await findSandboxObstacle({ processRunner: systemProcessRunner, signal });
  if (obstacle !== undefined) {
    if (whole.orCommands === true) {
      return { notOpened: obstacle.problem, [Symbol.asyncDispose]: () => Promise.resolve() };
    }
    throw new UsageError(`Cannot open the sandbox: ${obstacle.problem}`, { hint: obstacle.remedy });
  }
  const { hosts, of, root, state, states } = await boundsOf(workers, around);
  const hooks = hooksOf(name);
  makeFolders(`${state}/sandbox`, root);
  const env = Deno.env.toObject();
  const copyOf = async (worker: string) => {
    const agent = workers.get(worker);
    if (agent === undefined) throw new TypeError(`Cannot put ${worker} inside: who is it?`);
    const session = agent.provider.id === adopts?.provider ? { session: adopts.session, cwd: workdir } : undefined;
    await copyState(`${root}/${worker}`, agent, { env, ...present({ adopts: session, clone: cloneOf(workdir) }) });
  };
  // Before an agent is started, its CLI may be asked about itself.
  for (const worker of workers.keys()) await copyOf(worker);
  const tries = openOwnTries((worker) => {
    const agent = workers.get(worker);
    return agent === undefined ? [] : ownTriesOf(agent, { env });
  });
  const sandbox = await openSandbox({
    hostCommand: [...selfCommand(HOST_PERMISSIONS), "sandbox-host"],
    ...{
      clock,
      env,
      hosts,
      mark: isBeside ? newRoleMark(around.folder) : roleMark(around.folder),
      onGone,
      onRefusal: (refusal) => tries.isOwn(refusal) ? false : onRefusal(refusal),
      signal,
      workdir,
      folder: `${state}/sandbox/bin`,
      locks: `${state}/sandbox/open`,
      ...(mayReach === undefined ? {} : { mayReach: tries.reaching(mayReach) }),
    },
    writable: [undefined, ...workers.keys()].flatMap((worker) => of(worker).writable),
  });
  const aroundOne = (worker: string | undefined, prepare: () => Promise<void>): AroundAgent => ({
    async confine({ argv, env: set, cwd }, signal) {
      await prepare();
      const spec = of(worker);
      const given = { ...QUIET, ...set };
      const variables = [...spec.variables, ...Object.keys(given)];
      return { argv: await sandbox.confine(argv, { ...spec, variables }, signal), env: given, cwd };
    },
  });
  return {
    env: (worker) => states.get(worker)?.env ?? {},
    request: (worker) => ({
      writable,
      around: aroundOne(worker, async () => {
        await copyOf(worker);
        tries.begin(worker);
        if (hooks !== undefined) makeFolders(hooks.folder, hooks.answers);
      }),
    }),
    commands: aroundOne(undefined, () => Promise.resolve(makeFolders(`${root}/commands`))),
    [Symbol.asyncDispose]: () => sandbox[Symbol.asyncDispose](),
  };
}

/** @throws {UsageError} where something else is in a folder's place */
function makeFolders(...paths: readonly string[]): void {
  try {
    paths.forEach(makeOwnFolder);
  } catch (error) {
    throw new UsageError(`Cannot open the sandbox: ${errorText(error)}`, {
      hint: "What agents inside are told by lies there: remove what stands in its place.",
    });
  }
}

function isThere(path: string): boolean {
  return lstatOrUndefined(path) !== undefined;
}

/** What lies in a run's folder for people and tools, and no agent has to change. */
function ownRecords(folder: string): readonly string[] {
  const own = ["journal.ndjson", "audit.ndjson", "owner.lock", "bin", "evidence", "messages", "agents"];
  return own.map((name) => `${folder}/${name}`);
}
