import { resolve } from "@std/path/posix";
import { firstLine } from "../base/text/lines.ts";
import { loadConfig } from "../config/load.ts";
import { toRunPlan } from "../config/plan.ts";
import { executeReviewRun } from "../jobs/review_loop/execute.ts";
import { rolesUsed } from "../jobs/review_loop/machine.ts";
import { agentsUsed } from "../jobs/review_loop/plan.ts";
import { hasPanes } from "../jobs/review_loop/run_session.ts";
import type { Surroundings } from "./carry_out.ts";
import { refuseBegun } from "./detach.ts";
import { keepEditorSchema } from "./editor_schema.ts";
import { configSource } from "./environment.ts";
import { executeReview } from "./execute_review.ts";
import { beginWorkspace } from "./in_workspace.ts";
import { requireApart } from "./loop_of_task.ts";
import { checkJob, lookAtReviewRun } from "./preflight/look_at_needs.ts";
import { openPreflight } from "./preflight/mod.ts";
import { keepUsed, requireTrust } from "./trust.ts";

interface ReviewToRun {
  readonly flags: Readonly<Record<string, unknown>>;
  /** The config file. @default panewright.jsonc of the folder */
  readonly path: string | undefined;
  /** Where relative paths of flags begin. */
  readonly cwd: string;
  readonly trust: boolean;
  /** Whether it works in a workspace that is made for it. @default what the configuration says */
  readonly isApart?: boolean | undefined;
  /** Whether it takes up what another run has begun. @default {false} */
  readonly isContinued?: boolean;
}

/** Takes a job through a review loop, once the person trusts what does that, and the machine has what it needs. */
export async function runReview(
  { cwd, flags, isApart: wished, isContinued = false, path, trust }: ReviewToRun,
  around: Pick<Surroundings, "io" | "global" | "noInput">,
): Promise<number> {
  const { io, global, noInput = false } = around;
  const read = async (given: ReviewToRun["flags"]) => {
    const settings = await loadConfig(await configSource(io, { cwd, flags: given, path }));
    return { ...settings, plan: toRunPlan(settings) };
  };
  const preflight = openPreflight("start the run", { io, global });
  const loaded = await preflight.readBesideMachine(() => read(flags), { panes: ({ plan }) => hasPanes(plan) });
  const { plan, sources } = loaded;
  await refuseBegun(plan.workdir, io);
  const isApart = wished ?? loaded.config.isolation === "workspace";
  if (isApart) requireApart(plan);
  const review = { plan, roles: rolesUsed(plan.loop), sources };
  const unwritten = checkJob(plan.job, review);
  const whoTrusts = { io, trust, isContinued, mayAsk: !global.json && !noInput };
  const toTrust = { config: loaded, obeyed: { workdir: plan.workdir, agents: agentsUsed(plan) } };
  await requireTrust(toTrust, whoTrusts);
  const place = hasPanes(plan) ? await preflight.lookAtTmuxPlace(plan.tmux) : [];
  preflight.require(await lookAtReviewRun(review, preflight, { place, unwritten }));
  if (!isContinued) {
    await keepEditorSchema(loaded, io);
    await keepUsed(toTrust, whoTrusts);
  }
  const configFile = loaded.file === undefined ? null : resolve(cwd, loaded.file);
  const task = firstLine(`${plan.job.introduction}\n${plan.job.exploreSummary}`);
  const ofWorkspace = plan.workspace ?? { share: [] };
  const clone = isApart ? await beginWorkspace(plan.workdir, { io, global, task, plan: ofWorkspace }) : undefined;
  const used = clone === undefined ? flags : { ...flags, wd: clone.workdir };
  const origin = { configFile, cwd, flags: used };
  return await executeReview(clone === undefined ? plan : (await read(used)).plan, {
    ...around,
    execute: (options) => executeReviewRun(origin, options),
  });
}
