import { END } from "../../journal/exec/fields.ts";
import { type FlowStep, followingStep, reachableSteps } from "../flow.ts";
import { present } from "../../base/schema.ts";
import type { Role } from "../../base/roles.ts";
import type { ReviewLoopSettings } from "./settings.ts";
import type { LoopStage } from "./state.ts";

interface LoopStep extends FlowStep {
  readonly name: Role;
  /** `work` is handed on; a `review` and a `test` end with a verdict. */
  readonly gives: "work" | "review" | "test";
}

type Shape = ReviewLoopSettings["shape"];

/** The loops as the plans that they are: their roles in order, and where each leads. After the last one comes the test command. */
const LOOPS: Readonly<Record<Shape, readonly LoopStep[]>> = {
  review: [
    { name: "analyst", gives: "work" },
    { name: "analyst_review", gives: "review", next: { fail: "analyst" } },
    { name: "programmer", gives: "work" },
    { name: "programmer_review", gives: "review", next: { fail: "programmer" } },
    { name: "tester", gives: "test", next: { pass: END, fail: "programmer" } },
  ],
  pair: [
    { name: "programmer", gives: "work" },
    { name: "programmer_review", gives: "review", next: { fail: "programmer" } },
  ],
  solo: [{ name: "programmer", gives: "work" }],
  "spec-first": [
    { name: "tester", gives: "work" },
    { name: "programmer", gives: "work" },
    { name: "programmer_review", gives: "review", next: { fail: "programmer" } },
  ],
};

interface RoleOutline extends Pick<LoopStep, "name" | "gives"> {
  /** Who works again after its no. */
  readonly back?: string;
}

/** A loop for people: its roles, in order. */
export function outlineOf(shape: Shape): readonly RoleOutline[] {
  return LOOPS[shape].map(({ name, gives, next }) => ({ name, gives, ...present({ back: next?.fail }) }));
}

/** Who mends what the test of a round has found. */
export const MENDS: Role = "programmer";

export function rolesIn(shape: Shape): readonly Role[] {
  return LOOPS[shape].map(({ name }) => name);
}

export function givenBy(role: Role, shape: Shape): LoopStep["gives"] {
  return LOOPS[shape].find(({ name }) => name === role)?.gives ?? "work";
}

/** Whether a role of the loop says how the test went, beside the project's test command. */
export function hasTester(shape: Shape): boolean {
  return LOOPS[shape].some(({ gives }) => gives === "test");
}

/** The role that begins the first round. */
export function firstRole({ shape, startAgent }: Pick<ReviewLoopSettings, "shape" | "startAgent">): Role {
  const roles = rolesIn(shape);
  return roles.includes(startAgent) ? startAgent : roles[0] ?? startAgent;
}

/** Undefined where the project's test command decides. */
export function roleAfter(role: Role, outcome: "pass" | "fail", shape: Shape): Role | undefined {
  const steps = LOOPS[shape];
  return steps[(followingStep(steps, { number: numberOf(role, shape), outcome }) ?? 0) - 1]?.name;
}

export function rolesFrom(
  role: Role,
  { isLastRound, shape }: { readonly isLastRound: boolean; readonly shape: Shape },
): readonly Role[] {
  // In the last round no test leads back.
  const steps = LOOPS[shape].map(({ name, gives, next }) =>
    isLastRound && gives === "test" || next === undefined ? { name } : { name, next }
  );
  const reached = reachableSteps(steps, { from: numberOf(role, shape) });
  return rolesIn(shape).filter((_, index) => reached.has(index + 1));
}

/** The first turn of a role in a round: an exchange with its reviewer counts from 1. */
export function firstWork(role: Role, shape: Shape): LoopStage {
  const isReviewed = LOOPS[shape].some(({ name, gives, next }) =>
    gives === "review" && (name === role || next?.fail === role)
  );
  return { kind: "work", role, cycle: isReviewed ? 1 : 0 };
}

function numberOf(role: Role, shape: Shape): number {
  return rolesIn(shape).indexOf(role) + 1;
}
