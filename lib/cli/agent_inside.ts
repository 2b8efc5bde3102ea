import type { WholeAgent } from "../agents/whole_agent.ts";
import { UsageError } from "../base/errors.ts";
import { systemClock } from "../base/ports/clock.ts";
import { isFolderAt } from "../base/ports/files.ts";
import { wholePlan } from "../config/common_plan.ts";
import type { LoadedSettings } from "../config/load.ts";
import type { WholePlan } from "../jobs/whole_bounds.ts";
import { openWholeSandbox, type WholeSandbox } from "../jobs/whole_sandbox.ts";
import type { RunOverview } from "../run/overview.ts";
import type { RunFolder } from "../run/run_folder.ts";
import { agentsFolderOf } from "../run/state_names.ts";
import type { SandboxRefusal } from "../sandbox/open_sandbox.ts";

/** An agent that has worked in a sandbox around it, whose sessions are there. */
export interface AgentInside {
  /** What its folder is called among those of its run's agents. */
  readonly place: string;
  readonly agent: WholeAgent;
  readonly folder: RunFolder;
  readonly workdir: string;
  readonly whole: WholePlan;
  readonly writable: readonly string[];
}

/** The sandbox of an agent, by what it has left there; undefined where it had none around it. */
export async function findAgentInside(
  { folder }: Pick<RunOverview, "folder">,
  { agent, config, place, workdir }: Pick<AgentInside, "agent" | "place" | "workdir"> & Pick<LoadedSettings, "config">,
): Promise<AgentInside | undefined> {
  const agents = agentsFolderOf(folder.id);
  if (agents === undefined || !await isFolderAt(`${agents}/${place}/state`)) return undefined;
  return { agent, folder, place, workdir, whole: wholePlan(config), writable: config.permissions.writable };
}

/**
 * Opens the sandbox of an agent once more.
 *
 * @throws {UsageError} where it is not to be had
 */
export async function openInside(
  { agent, folder, place, ...bounds }: AgentInside,
  more: { readonly onRefusal: (refusal: SandboxRefusal) => void; readonly signal: AbortSignal },
): Promise<WholeSandbox> {
  const open = await openWholeSandbox(new Map([[place, agent]]), {
    ...{ clock: systemClock, folder, name: folder.id, onGone: () => {}, ...bounds, ...more },
  });
  if (!("notOpened" in open)) return open;
  throw new UsageError(`Cannot open the sandbox: ${open.notOpened}`);
}
