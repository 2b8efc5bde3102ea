import type { ExecOverrides } from "../journal/exec/fields.ts";
import { type ExecPlan, plannedAgents } from "../jobs/pipeline/plan.ts";
import { agentsUsed } from "../jobs/review_loop/plan.ts";
import { hasPanes } from "../jobs/review_loop/run_session.ts";
import { refuseBegun } from "./detach.ts";
import { requireNow } from "./later/start_later.ts";
import { keepEditorSchema } from "./editor_schema.ts";
import { type ExecConfig, type ExecConfigOptions, loadExecConfig } from "./exec_config.ts";
import { type LoopIn, readLoop, requireApart, requireLoop } from "./read_loop.ts";
import type { Preflight } from "./preflight/mod.ts";
import { lookAtSteps } from "./preflight/look_at_needs.ts";
import { keepUsed, requireTrust, type TrustSurroundings } from "./trust.ts";

export interface ReadingSteps extends Pick<TrustSurroundings, "io" | "trust"> {
  readonly global: { readonly json: boolean };
  readonly noInput?: boolean;
  /** What a new run is about, in a few words; missing for one that is resumed. */
  readonly taskName?: string;
  /** Of a new run: looks for mistakes in what the plan is to be used for, and names the pipelines that are used. */
  readonly pipelinesOf?: (plan: ExecPlan) => Promise<readonly string[]>;
  /** Where the roles of a review loop do each task. @default pipelines do them */
  readonly roles?: ExecOverrides["roles"];
}

interface ReadSteps {
  readonly read: ExecConfig;
  /** Reads the configuration once more, for another folder. */
  readonly load: (config: ExecConfigOptions) => Promise<ExecConfig>;
  readonly loopIn?: LoopIn;
}

/**
 * Reads what a run of the pipeline is to be done by.
 *
 * @throws {UsageError} where it cannot be used, is not trusted, or what it needs is not there
 */
export async function readSteps(
  config: ExecConfigOptions,
  around: ReadingSteps,
  { preflight, warn }: { readonly preflight: Preflight; readonly warn: (message: string) => void },
): Promise<ReadSteps> {
  const { io, roles } = around;
  // Of all pipelines, only those that are used need their programs.
  const load = (more: ExecConfigOptions) =>
    loadExecConfig(io, { ...more, programsNeeded: false }, ({ where, message }) => warn(`${where}: ${message}`));
  const loopIn: LoopIn | undefined = roles && ((workdir, text) => {
    const { "prompt-file": _, ...given } = roles.flags;
    return readLoop({ cwd: roles.cwd, flags: { ...given, prompt: text, wd: workdir }, path: config.path }, io);
  });
  const { loop, ...read } = await preflight.readBesideMachine(async () => {
    const read = await load(config);
    return { ...read, loop: await loopIn?.(read.plan.workdir, "the task") };
  }, { panes: roles !== undefined && (({ loop }) => loop !== undefined && hasPanes(loop.plan)) });
  const { plan, builtIn } = read;
  const { loaded } = loop ?? read;
  await refuseBegun(plan.workdir, io);
  const pipelines = await around.pipelinesOf?.(plan);
  const isContinued = around.taskName === undefined;
  const whoTrusts = { ...around, isContinued, mayAsk: !around.global.json && around.noInput !== true };
  const ofLoop = loop === undefined ? [] : agentsUsed(loop.plan);
  const toTrust = {
    config: loaded,
    ...(builtIn && { folder: { folder: plan.workdir, check: builtIn.check, isOwn: builtIn.isOwn } }),
    obeyed: { workdir: plan.workdir, agents: [...plannedAgents(plan).map(({ provider }) => provider), ...ofLoop] },
  };
  await requireTrust(toTrust, whoTrusts);
  if (pipelines !== undefined) {
    preflight.require(await lookAtSteps({ plan, pipelines }, preflight));
    if (loop !== undefined) {
      requireApart(loop.plan);
      await requireLoop(loop, preflight);
    }
    await keepEditorSchema(loaded, io);
    if (!isContinued) await keepUsed(toTrust, whoTrusts);
    requireNow(io);
  }
  return { read, load, ...(loopIn && { loopIn }) };
}
