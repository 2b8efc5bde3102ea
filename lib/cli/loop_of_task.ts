import { resolve } from "@std/path/posix";
import { UsageError } from "../base/errors.ts";
import { loadConfig, type LoadedConfig } from "../config/load.ts";
import { toRunPlan } from "../config/plan.ts";
import { rolesUsed } from "../jobs/review_loop/machine.ts";
import { hasPanes } from "../jobs/review_loop/run_session.ts";
import type { ReviewRunPlan } from "../jobs/review_loop/plan.ts";
import type { ExecOverrides } from "../journal/exec/fields.ts";
import type { RunOrigin } from "../journal/loop/fields.ts";
import type { CliIo } from "./console/command.ts";
import { configSource } from "./environment.ts";
import type { Preflight } from "./preflight/mod.ts";
import { lookAtReviewRun } from "./preflight/look_at_needs.ts";

/** The loop over a task, in a folder. */
export type LoopIn = (workdir: string, text: string) => Promise<LoopOfTask>;

interface LoopOfTask {
  readonly loaded: LoadedConfig;
  readonly origin: RunOrigin;
  readonly plan: ReviewRunPlan;
}

interface LoopPlace {
  readonly io: CliIo;
  readonly path: string | undefined;
  readonly workdir: string;
  /** The task. */
  readonly text: string;
}

/** The plan of a review loop over a task, in a folder. */
export async function readLoop(
  { cwd, flags }: ExecOverrides["roles"] & object,
  { io, path, text, workdir }: LoopPlace,
): Promise<LoopOfTask> {
  const { "prompt-file": _, ...given } = flags;
  const used = { ...given, prompt: text, wd: workdir };
  const loaded = await loadConfig(await configSource(io, { cwd, flags: used, path }));
  const configFile = loaded.file === undefined ? null : resolve(cwd, loaded.file);
  return { loaded, plan: toRunPlan(loaded), origin: { configFile, cwd, flags: used } };
}

/** Refuses what the loops over several tasks cannot be had for. */
export async function requireLoop({ loaded: { sources }, plan }: LoopOfTask, preflight: Preflight): Promise<void> {
  requireApart(plan);
  const place = hasPanes(plan) ? await preflight.lookAtTmuxPlace(plan.tmux) : [];
  preflight.require(await lookAtReviewRun({ plan, roles: rolesUsed(plan.loop), sources }, preflight, { place }));
}

/** @throws {UsageError} where the agents of a plan could not begin in a clone of its folder */
export function requireApart(plan: ReviewRunPlan): void {
  if (!hasPanes(plan) || plan.sandbox?.whole !== undefined) return;
  throw new UsageError(
    "Cannot work in a workspace: the terminals of the agents would ask whether to trust the clone",
    { hint: 'In the sandbox around them they have copies of their settings, which trust it: "sandbox": "agent".' },
  );
}
