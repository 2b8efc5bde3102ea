import { HANDOFF_SETTINGS } from "../turn/settings.ts";
import { REVIEW_LOOP_SETTINGS, REVIEW_RUN_SETTINGS } from "../jobs/review_loop/settings.ts";
import { type CheckContext, report, sourceOf } from "./checks.ts";
import { describeSource, valueAt } from "./source.ts";

const { idleGraceSeconds, pollSeconds, errorRetrySeconds, responseTimeoutSeconds } = HANDOFF_SETTINGS;
const { minReviewCyclesBeforeApproval, maxReviewCycles } = REVIEW_LOOP_SETTINGS;

/** What must not be more than something else, as it would never come about. */
const ORDERED = [
  [idleGraceSeconds, responseTimeoutSeconds, "a turn would be over before an idle agent has had that time"],
  [pollSeconds, responseTimeoutSeconds, "a turn would be over before the second look"],
  [REVIEW_RUN_SETTINGS.quietSeconds, responseTimeoutSeconds, "no screen could stand still for that long in a turn"],
  [errorRetrySeconds, responseTimeoutSeconds, "a turn would be over before it is tried again"],
  [minReviewCyclesBeforeApproval, maxReviewCycles, "no review would get that far"],
] as const;

/**
 * Checks that limits do not contradict each other. Only what somebody has set can contradict the rest: a default gives
 * way. Skips values already known to be wrong.
 */
export function checkLimits(context: CheckContext): void {
  for (const [lower, upper, consequence] of ORDERED) {
    const value = numberOf(context, lower);
    const most = numberOf(context, upper);
    const [path, upperPath] = [lower, upper].map(({ names }) => names.key.split(".")) as [string[], string[]];
    if (value === undefined || most === undefined || value <= most || !sourceOf(context, path)) continue;
    const source = describeSource(sourceOf(context, upperPath) ?? { kind: "default" });
    report(context, path, `% is ${value}, but ${upper.names.key} is ${most} (${source}): ${consequence}`);
  }
  const { autoAcceptPermissions, acceptCap } = HANDOFF_SETTINGS;
  const path = acceptCap.names.key.split(".");
  const accepts = valueAt(context.merged, autoAcceptPermissions.names.key.split(".")) === true;
  if (accepts && valueAt(context.merged, path) === 0) {
    report(context, path, `% is 0, but ${autoAcceptPermissions.names.key} is on: nothing would be accepted`);
  }
}

interface NumberSetting {
  readonly names: { readonly key: string };
  readonly value: { readonly default: number };
}

function numberOf({ merged }: CheckContext, { names, value }: NumberSetting): number | undefined {
  const given = valueAt(merged, names.key.split(".")) ?? value.default;
  return typeof given === "number" ? given : undefined;
}
