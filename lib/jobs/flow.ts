import { END } from "../journal/exec/fields.ts";

export interface Next {
  /** After a step that has passed; {@linkcode END} for the end of the task. @default the step that follows in order */
  readonly pass?: string;
  /** After a step whose checks say no. @default {undefined} the task fails */
  readonly fail?: string;
}

export interface FlowStep {
  readonly name: string;
  readonly next?: Next;
}

/**
 * The number of the step that follows a step, from 1; one more than there are steps at the end of the task. Undefined
 * where the task fails.
 */
export function followingStep(
  steps: readonly FlowStep[],
  { number, outcome }: { readonly number: number; readonly outcome: "pass" | "fail" },
): number | undefined {
  const name = steps[number - 1]?.next?.[outcome];
  if (name === undefined) return outcome === "pass" ? number + 1 : undefined;
  const index = steps.findIndex((step) => step.name === name);
  if (index >= 0) return index + 1;
  return name === END && outcome === "pass" ? steps.length + 1 : undefined;
}

export function reachableSteps(
  steps: readonly FlowStep[],
  { from = 1, without }: { readonly from?: number; readonly without?: number } = {},
): ReadonlySet<number> {
  const reached = new Set<number>();
  const open = [from];
  for (let number = open.pop(); number !== undefined; number = open.pop()) {
    if (number === without || reached.has(number)) continue;
    reached.add(number);
    if (number > steps.length) continue;
    for (const outcome of ["pass", "fail"] as const) {
      const following = followingStep(steps, { number, outcome });
      if (following !== undefined) open.push(following);
    }
  }
  return reached;
}

export function isAlwaysBefore(
  steps: readonly FlowStep[],
  { earlier, later }: { readonly earlier: number; readonly later: number },
): boolean {
  return earlier !== later && !reachableSteps(steps, { without: earlier }).has(later);
}
