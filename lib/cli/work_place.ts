import type { ExecEvent } from "../journal/exec/facts.ts";
import type { ExecOptions } from "../jobs/pipeline/execute.ts";
import { playLanes } from "../lanes/mod.ts";
import { requireRepository } from "../workspace/open_workspace.ts";
import { findWorkspace, workspaceAround } from "../workspace/workspace.ts";
import type { CliIo, GlobalFlags } from "./console/command.ts";
import type { ExecConfig, ExecConfigOptions } from "./exec_config.ts";
import { beginWorkspace, tellWorkspace } from "./in_workspace.ts";

interface Placing {
  readonly io: CliIo;
  readonly global: GlobalFlags;
  /** The configuration of the person's own folder, and what it was loaded with. */
  readonly read: ExecConfig;
  readonly config: ExecConfigOptions;
  readonly load: (config: ExecConfigOptions) => Promise<ExecConfig>;
  /** Whether there is a lane for each task, or attempt. */
  readonly hasLanes: boolean;
  /** What a new run that works in a workspace is about; missing where none is to be made. */
  readonly task: string | undefined;
  /** What is on record of a run that is resumed. */
  readonly facts: readonly ExecEvent[];
}

/** Where the agents of a run work: in the person's folder, in a workspace, or each lane in one of its own. */
export interface WorkPlace extends AsyncDisposable {
  readonly config: ExecConfig;
  onEvent(event: ExecEvent): void;
  /** What plays the run instead of its steps, where there are lanes. */
  play(options: ExecOptions): Pick<ExecOptions, "play">;
}

/** Makes the place of a run. Disposal brings home what was done there, and tells what can be done with it. */
export async function openWorkPlace(
  { config, facts, hasLanes, io, global, load, read, task }: Placing,
): Promise<WorkPlace> {
  const inFolder = (wd: string, more = config) => load({ ...more, flags: { ...config.flags, wd } });
  const workspace = task === undefined || hasLanes
    ? undefined
    : await beginWorkspace(read.plan.workdir, { io, global, task, share: read.plan.workspace?.share ?? [] });
  if (hasLanes && facts.length === 0) await requireRepository(read.plan.workdir, io.signal);
  const used = workspace === undefined ? read : await inFolder(workspace.workdir);
  let target = facts.flatMap(targetOf)[0];
  // Agents could change which test command is found.
  const found = read.builtIn === undefined ? config : { ...config, builtIn: read.builtIn };
  const planIn = async (workdir: string) => (await inFolder(workdir, found)).plan;
  return {
    config: used,
    onEvent: (event) => void (target ??= targetOf(event)[0]),
    play: (options) => hasLanes ? { play: (run) => playLanes(run, { options, planIn }) } : {},
    [Symbol.asyncDispose]: () =>
      tellWorkspace(target === undefined ? workspaceAround(used.plan.workdir) : findWorkspace(target), { io, global }),
  };
}

/** The name of the workspace in which lanes come together. */
function targetOf(event: ExecEvent): readonly string[] {
  return event.type === "lanes_opened" ? [event.target] : [];
}
