import { END } from "../../journal/exec/fields.ts";
import { type FlowStep, followingStep, reachableSteps } from "../flow.ts";
import { type Role, ROLES } from "../../base/roles.ts";
import type { LoopStage } from "./state.ts";

/** The review loop as the plan that it is: its roles in their order, and where each leads. */
const STEPS: readonly (FlowStep & { readonly name: Role })[] = [
  { name: "analyst" },
  { name: "analyst_review", next: { fail: "analyst" } },
  { name: "programmer" },
  { name: "programmer_review", next: { fail: "programmer" } },
  { name: "tester", next: { pass: END, fail: "programmer" } },
];

/** The same without another round. */
const LAST_ROUND = STEPS.map((step) => step.name === "tester" ? { name: step.name } : step);

export function roleAfter(role: Role, outcome: "pass" | "fail"): Role {
  const step = STEPS[(followingStep(STEPS, { number: ROLES.indexOf(role) + 1, outcome }) ?? 0) - 1];
  if (step === undefined) throw new TypeError(`Cannot go on: no role follows ${role}`);
  return step.name;
}

export function rolesFrom(role: Role, { isLastRound }: { readonly isLastRound: boolean }): readonly Role[] {
  const reached = reachableSteps(isLastRound ? LAST_ROUND : STEPS, { from: ROLES.indexOf(role) + 1 });
  return ROLES.filter((_, index) => reached.has(index + 1));
}

/** The first turn of a role in a round: an exchange with its reviewer counts from 1. */
export function firstWork(role: Role): LoopStage {
  return { kind: "work", role, cycle: role === "tester" ? 0 : 1 };
}
