import { followingStep, reachableSteps } from "../flow.ts";
import type { Role } from "../../base/roles.ts";
import type { ReviewLoopSettings } from "./settings.ts";
import { type LoopShape, type LoopStep, mendsIn, rolesIn, stepsOf } from "./shapes.ts";
import type { LoopStage } from "./state.ts";

export function givenBy(role: Role, loop: LoopShape): LoopStep["gives"] {
  return stepsOf(loop).find(({ name }) => name === role)?.gives ?? "work";
}

/** The role that begins the first round. */
export function firstRole(settings: LoopShape & Pick<ReviewLoopSettings, "startAgent">): Role {
  const { startAgent } = settings;
  const roles = rolesIn(settings);
  return roles.includes(startAgent) ? startAgent : roles[0] ?? startAgent;
}

/** Undefined where the project's test command decides. */
export function roleAfter(role: Role, outcome: "pass" | "fail", loop: LoopShape): Role | undefined {
  const steps = stepsOf(loop);
  return steps[(followingStep(steps, { number: numberOf(role, loop), outcome }) ?? 0) - 1]?.name;
}

export function rolesFrom(
  role: Role,
  { isLastRound, loop }: { readonly isLastRound: boolean; readonly loop: LoopShape },
): readonly Role[] {
  // In the last round no test leads back.
  const steps = stepsOf(loop).map(({ name, gives, next }) =>
    isLastRound && gives === "test" || next === undefined ? { name } : { name, next }
  );
  const reached = reachableSteps(steps, { from: numberOf(role, loop) });
  return steps.map(({ name }) => name).filter((_, index) => reached.has(index + 1));
}

/** The first turn of a role in a round: an exchange with its reviewer counts from 1. */
export function firstWork(role: Role, loop: LoopShape): LoopStage {
  const isReviewed = stepsOf(loop).some(({ name, gives, next }) =>
    gives === "review" && (name === role || next?.fail === role)
  );
  return { kind: "work", role, cycle: isReviewed ? 1 : 0 };
}

/** Who begins a round after the first: whoever mends what its test has found. */
export function mendsOf(loop: LoopShape): Role {
  return mendsIn(loop) ?? "programmer";
}

function numberOf(role: Role, loop: LoopShape): number {
  return rolesIn(loop).indexOf(role) + 1;
}
