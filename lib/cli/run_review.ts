import { firstLine } from "../base/text/lines.ts";
import { executeReviewRun } from "../jobs/review_loop/execute.ts";
import { agentsUsed, attemptsIn } from "../jobs/review_loop/plan.ts";
import { hasPanes } from "../jobs/review_loop/run_session.ts";
import type { Surroundings } from "./carry_out.ts";
import { refuseBegun } from "./detach.ts";
import { keepEditorSchema } from "./editor_schema.ts";
import { executeReview } from "./execute_review.ts";
import { requireNow } from "./later/start_later.ts";
import { beginWorkspace } from "./in_workspace.ts";
import { type LoopSource, readLoop, requireApart, requireLoop } from "./read_loop.ts";
import { checkJob } from "./preflight/look_at_needs.ts";
import { openPreflight } from "./preflight/mod.ts";
import { keepUsed, requireTrust } from "./trust.ts";

interface ReviewToRun extends LoopSource {
  readonly trust: boolean;
  /** Whether it works in a workspace that is made for it. @default what the configuration says */
  readonly isApart?: boolean | undefined;
  /** Whether it takes up what another run has begun. @default {false} */
  readonly isContinued?: boolean;
  /** Does it where one role's work is to be done so often, side by side. @default that is done once */
  readonly inAttempts?: (count: number) => Promise<number>;
}

/** Takes a job through a review loop, once the person trusts what does that, and the machine has what it needs. */
export async function runReview(
  { inAttempts, isApart: wished, isContinued = false, trust, ...source }: ReviewToRun,
  around: Pick<Surroundings, "io" | "global" | "noInput">,
): Promise<number> {
  const { io, global, noInput = false } = around;
  const preflight = openPreflight("start the run", { io, global });
  const loop = await preflight.readBesideMachine(() => readLoop(source, io), { panes: ({ plan }) => hasPanes(plan) });
  const { loaded, plan } = loop;
  const tried = attemptsIn(plan);
  if (tried !== undefined && inAttempts !== undefined) return await inAttempts(tried.count);
  const { job } = plan;
  await refuseBegun(plan.workdir, io);
  const isApart = wished ?? loaded.config.isolation === "workspace";
  if (isApart) requireApart(plan);
  const whoTrusts = { io, trust, isContinued, mayAsk: !global.json && !noInput };
  const toTrust = { config: loaded, obeyed: { workdir: plan.workdir, agents: agentsUsed(plan) } };
  await requireTrust(toTrust, whoTrusts);
  await requireLoop(loop, preflight, { unwritten: checkJob(job, loaded) });
  if (!isContinued) {
    await keepEditorSchema(loaded, io);
    await keepUsed(toTrust, whoTrusts);
  }
  requireNow(io);
  const task = firstLine(`${job.introduction}\n${job.exploreSummary}`);
  const ofWorkspace = plan.workspace ?? { share: [] };
  const clone = isApart ? await beginWorkspace(plan.workdir, { io, global, task, plan: ofWorkspace }) : undefined;
  const used = clone === undefined
    ? loop
    : await readLoop({ ...source, flags: { ...source.flags, wd: clone.workdir } }, io);
  return await executeReview(used.plan, {
    ...around,
    execute: (options) => executeReviewRun(used.origin, options),
  });
}
