import { followingStep, reachableSteps } from "../flow.ts";
import type { Role } from "../../base/roles.ts";
import type { ReviewLoopSettings } from "./settings.ts";
import { type LoopStep, rolesIn, stepsOf } from "./shapes.ts";
import type { LoopStage } from "./state.ts";

export function givenBy(role: Role, shape: string): LoopStep["gives"] {
  return stepsOf(shape).find(({ name }) => name === role)?.gives ?? "work";
}

/** The role that begins the first round. */
export function firstRole({ shape, startAgent }: Pick<ReviewLoopSettings, "shape" | "startAgent">): Role {
  const roles = rolesIn(shape);
  return roles.includes(startAgent) ? startAgent : roles[0] ?? startAgent;
}

/** Undefined where the project's test command decides. */
export function roleAfter(role: Role, outcome: "pass" | "fail", shape: string): Role | undefined {
  const steps = stepsOf(shape);
  return steps[(followingStep(steps, { number: numberOf(role, shape), outcome }) ?? 0) - 1]?.name;
}

export function rolesFrom(
  role: Role,
  { isLastRound, shape }: { readonly isLastRound: boolean; readonly shape: string },
): readonly Role[] {
  // In the last round no test leads back.
  const steps = stepsOf(shape).map(({ name, gives, next }) =>
    isLastRound && gives === "test" || next === undefined ? { name } : { name, next }
  );
  const reached = reachableSteps(steps, { from: numberOf(role, shape) });
  return rolesIn(shape).filter((_, index) => reached.has(index + 1));
}

/** The first turn of a role in a round: an exchange with its reviewer counts from 1. */
export function firstWork(role: Role, shape: string): LoopStage {
  const isReviewed = stepsOf(shape).some(({ name, gives, next }) =>
    gives === "review" && (name === role || next?.fail === role)
  );
  return { kind: "work", role, cycle: isReviewed ? 1 : 0 };
}

function numberOf(role: Role, shape: string): number {
  return rolesIn(shape).indexOf(role) + 1;
}
