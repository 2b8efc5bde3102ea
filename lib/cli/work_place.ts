import type { ExecEvent } from "../journal/exec/facts.ts";
import type { ExecOptions } from "../jobs/pipeline/execute.ts";
import { type LoopOfTask, playLanes } from "../lanes/mod.ts";
import { present } from "../base/schema.ts";
import { sanitizeLine } from "../base/text/sanitize.ts";
import { isInRepository, requireRepository } from "../workspace/open_workspace.ts";
import { findWorkspace, workspaceAround } from "../workspace/workspace.ts";
import { askedDialog } from "./console/ask_person.ts";
import type { CliIo, GlobalFlags } from "./console/command.ts";
import type { ExecConfig, ExecConfigOptions } from "./exec_config.ts";
import { beginWorkspace, tellEnd } from "./in_workspace.ts";
import type { LoopIn } from "./read_loop.ts";

/** What is said of where a run works, besides its configuration. */
export interface Apartness {
  /** Whether it works in a workspace. @default what the configuration says */
  readonly isApart?: boolean | undefined;
  /** Whether a workspace is its place where nothing else is said, and its folder is in a repository. @default {false} */
  readonly prefersApart?: boolean | undefined;
}

interface Placing extends Apartness {
  readonly io: CliIo;
  readonly global: GlobalFlags;
  /** The configuration of the person's own folder, and what it was loaded with. */
  readonly read: ExecConfig;
  readonly config: ExecConfigOptions;
  readonly load: (config: ExecConfigOptions) => Promise<ExecConfig>;
  /** Whether there is a lane for each task, or attempt. */
  readonly hasLanes: boolean;
  /** Where the roles of a review loop do each task: their plan, in a folder. */
  readonly loopIn?: LoopIn;
  /** What a new run is about, in a few words; missing for one that is resumed. */
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
export async function openWorkPlace(placing: Placing): Promise<WorkPlace> {
  const { config, facts, hasLanes, io, global, load, read, task } = placing;
  const inFolder = (wd: string, more = config) => load({ ...more, flags: { ...config.flags, wd } });
  const workspace = task === undefined || hasLanes || !await isToBeApart(placing)
    ? undefined
    : await beginWorkspace(read.plan.workdir, { io, global, task, plan: read.plan.workspace ?? { share: [] } });
  if (hasLanes && facts.length === 0) await requireRepository(read.plan.workdir, io.signal);
  const used = workspace === undefined ? read : await inFolder(workspace.workdir);
  let target = facts.flatMap(targetOf)[0];
  let folder: string | undefined;
  // Agents could change which test command is found.
  const found = read.builtIn === undefined ? config : { ...config, builtIn: read.builtIn };
  const planIn = async (workdir: string) => (await inFolder(workdir, found)).plan;
  const { loopIn } = placing;
  const loopFor = ({ askAtTerminal: ask }: ExecOptions) =>
    loopIn && (async (workdir: string, text: string) => {
      const { plan, origin } = await loopIn(workdir, text);
      const person: LoopOfTask["person"] = ask && ((dialog, signal) => ask(askedDialog(dialog), signal));
      return { plan, origin, ...present({ person }) };
    });
  return {
    config: used,
    onEvent(event) {
      target ??= targetOf(event)[0];
      if (event.type === "run_started" || event.type === "run_resumed") folder = event.folder;
    },
    play: (options) =>
      hasLanes ? { play: (run) => playLanes(run, { options, planIn, ...present({ loopIn: loopFor(options) }) }) } : {},
    [Symbol.asyncDispose]: () =>
      tellEnd(target === undefined ? workspaceAround(used.plan.workdir) : findWorkspace(target), {
        ...{ folder, io, global, key: used.plan.evidence?.sign, ...present({ deliver: used.plan.workspace?.deliver }) },
        isNew: workspace !== undefined,
      }),
  };
}

/** The name of the workspace in which lanes come together. */
function targetOf(event: ExecEvent): readonly string[] {
  return event.type === "lanes_opened" ? [event.target] : [];
}

async function isToBeApart(
  { global, io, isApart, prefersApart = false, read: { loaded: { config, sources }, plan: { workdir } } }: Placing,
): Promise<boolean> {
  if (isApart !== undefined) return isApart;
  if (!prefersApart || sources.get("isolation")?.kind !== "default") return config.isolation === "workspace";
  if (await isInRepository(workdir, io.signal)) return true;
  if (!global.json && !global.quiet) {
    io.stderr(
      `works in ${sanitizeLine(workdir)} itself: it is in no repository of git, of which there could be a clone\n`,
    );
  }
  return false;
}
