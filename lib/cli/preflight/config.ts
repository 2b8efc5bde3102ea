import type { Job } from "../../journal/loop/fields.ts";
import type { LoadedSettings } from "../../config/load.ts";
import { toRunPlan } from "../../config/plan.ts";
import type { ExecPlan } from "../../jobs/pipeline/plan.ts";
import { rolesUsed } from "../../jobs/review_loop/machine.ts";
import type { Obstacle } from "./finding.ts";
import type { LookContext } from "./look_context.ts";
import { lookAtNotifications } from "./notifications.ts";
import { checkJob, lookAtReview } from "./review.ts";
import { lookAtChecks, lookAtPrograms } from "./steps.ts";

/** A configuration that is right by itself. */
interface ConfigToLookAt {
  /** Of its pipelines. */
  readonly plan: ExecPlan;
  readonly loaded: LoadedSettings & { readonly job?: Job };
  /** Which agents' programs are looked for: where a step's is missing, the configuration may have been refused. */
  readonly programs: "all" | "of_roles" | "none";
}

/**
 * What a run would refuse although the configuration is right by itself, for commands that start nothing. A job that is
 * still to be written is a warning there.
 *
 * @throws {UsageError} when it has a cap that the review loop could not keep
 */
export async function lookAtConfig(
  { plan, loaded, programs }: ConfigToLookAt,
  context: LookContext,
): Promise<readonly Obstacle[]> {
  const steps = { plan, pipelines: Object.keys(plan.pipelines) };
  const checks = [
    ...(programs === "all" ? lookAtPrograms(steps, context) : []),
    ...lookAtChecks(steps, context),
    ...lookAtNotifications(plan, context),
  ];
  const { job, sources } = loaded;
  if (job === undefined) return checks;
  const review = toRunPlan({ ...loaded, job });
  const roles = rolesUsed(review.loop);
  const found = await lookAtReview({ plan: review, roles, sources, programs: programs !== "none" }, context);
  const toWrite = checkJob(job, { sources }).map((each) => ({ ...each, status: "warn" as const }));
  return [...checks, ...found, ...toWrite];
}
