import { resolve } from "@std/path/posix";
import { UsageError } from "../base/errors.ts";
import { loadConfig, type LoadedConfig } from "../config/load.ts";
import { toRunPlan } from "../config/plan.ts";
import { rolesUsed } from "../jobs/review_loop/machine.ts";
import { hasPanes } from "../jobs/review_loop/run_session.ts";
import type { ReviewRunPlan } from "../jobs/review_loop/plan.ts";
import type { RunOrigin } from "../journal/loop/fields.ts";
import type { CliIo } from "./console/command.ts";
import { configSource } from "./environment.ts";
import type { Preflight } from "./preflight/mod.ts";
import { type checkJob, lookAtReviewRun } from "./preflight/look_at_needs.ts";

/** The loop over a task, in a folder. */
export type LoopIn = (workdir: string, text: string) => Promise<Loop>;

interface Loop {
  readonly loaded: LoadedConfig;
  readonly origin: RunOrigin;
  readonly plan: ReviewRunPlan;
}

/** What a review loop is configured by. */
export interface LoopSource extends Omit<RunOrigin, "configFile"> {
  /** The config file. @default panewright.jsonc of the folder */
  readonly path: string | undefined;
}

/** Reads what a review loop is to be done by. */
export async function readLoop({ path, ...source }: LoopSource, io: CliIo): Promise<Loop> {
  const loaded = await loadConfig(await configSource(io, { ...source, path }));
  const configFile = loaded.file === undefined ? null : resolve(source.cwd, loaded.file);
  return { loaded, plan: toRunPlan(loaded), origin: { configFile, ...source } };
}

/** Looks for what a review loop lacks on this machine. */
export async function requireLoop(
  { loaded: { sources }, plan }: Loop,
  preflight: Preflight,
  { unwritten = [] }: { readonly unwritten?: ReturnType<typeof checkJob> } = {},
): Promise<void> {
  const place = hasPanes(plan) ? await preflight.lookAtTmuxPlace(plan.tmux) : [];
  const review = { plan, roles: rolesUsed(plan.loop), sources };
  preflight.require(await lookAtReviewRun(review, preflight, { place, unwritten }));
}

/** @throws {UsageError} where the agents of a plan could not begin in a clone of its folder */
export function requireApart(plan: ReviewRunPlan): void {
  if (!hasPanes(plan) || plan.sandbox?.whole !== undefined) return;
  throw new UsageError(
    "Cannot work in a workspace: the terminals of the agents would ask whether to trust the clone",
    { hint: 'In the sandbox around them they have copies of their settings, which trust it: "sandbox": "agent".' },
  );
}
