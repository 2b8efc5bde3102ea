import { type AgentState, agentStateAt, hostsOfAgent, type WholeAgent } from "../agents/whole_agent.ts";
import { UsageError } from "../base/errors.ts";
import { lstatOrUndefined } from "../base/ports/files.ts";
import { STATE_FOLDER_HINT, stateFolder } from "../base/ports/state_folder.ts";
import type { RunFolder } from "../run/run_folder.ts";
import { agentsFolderOf, hooksOf } from "../run/state_names.ts";
import { ignoredIn } from "../workspace/bring.ts";
import { treesBeside, type Workspace, workspaceAround } from "../workspace/workspace.ts";
import { gitFolderAt } from "../sandbox/git_folder.ts";
import { gitObeyedOf, obeyedOf, type SandboxSpec, secretsOf, VARIABLES } from "../sandbox/spec.ts";

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

/** Where a sandbox is, and of which run. */
export interface BoundsOf {
  readonly folder: Pick<RunFolder, "path">;
  readonly workdir: string;
  readonly writable: readonly string[];
  readonly whole: WholePlan;
  /** What the run is called in the state folder. */
  readonly name: string;
}

/** What a sandbox lets through, before it is open. */
export interface WholeBounds {
  readonly hosts: readonly string[];
  /** Of an agent by its folder's name; of the project's commands without one. */
  readonly of: (worker?: string) => SandboxSpec;
  readonly states: ReadonlyMap<string, AgentState>;
  /** The folder of the run in the state folder, and what holds all of them. */
  readonly root: string;
  readonly state: string;
  /** In which of what can be written a person may use git. */
  readonly folders: readonly string[];
}

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
  // What git keeps is written with the files: also below the top of a workspace, and in a further working tree.
  const isWithin = lstatOrUndefined(`${workdir}/.git`)?.isDirectory === true;
  const gitFolder = isWithin ? undefined : gitFolderAt(clone?.tree ?? workdir);
  const elsewhere = gitFolder === undefined ? [] : [gitFolder];
  const folders = [workdir, ...elsewhere];
  return {
    ...{ folders, hosts: [...hosts], states, root, state },
    of(worker) {
      const own = worker === undefined ? undefined : states.get(worker);
      const temporary = own?.temporary ?? `${root}/commands`;
      const told = own && hooks;
      const extra = [...own?.writable ?? [temporary], ...(told === undefined ? [] : [told.folder])];
      return {
        name: worker ?? "command",
        writable: [...folders, ...writable, ...extra],
        readOnly: [...obeyedOf(workdir), ...elsewhere.flatMap(gitObeyedOf), ...ownRecords(folder.path).filter(isThere)],
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

function isThere(path: string): boolean {
  return lstatOrUndefined(path) !== undefined;
}

/** What lies in a run's folder for people and tools, and no agent has to change. */
function ownRecords(folder: string): readonly string[] {
  const own = ["journal.ndjson", "audit.ndjson", "owner.lock", "bin", "evidence", "messages", "agents"];
  return own.map((name) => `${folder}/${name}`);
}
