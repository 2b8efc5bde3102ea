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
  /** The names of steps that come before it, where the steps form a graph. */
  readonly needs?: readonly string[];
  /** Where it is done only if one of these holds of the steps before it. */
  readonly onlyIf?: OnlyIf;
}

/** What of a task's steps calls for another one; one of them is enough. */
export interface OnlyIf {
  /** Attempts that were not good enough. */
  readonly failedAttempts?: number;
  /** Lines added and removed. */
  readonly changedLines?: number;
}

/** Whether steps say what they need: the others begin at once then, and several may be done at a time. */
export function isGraph(steps: readonly FlowStep[]): boolean {
  return steps.some(({ needs }) => needs !== undefined);
}

/** The names of all that comes before a step of a graph. */
export function allNeeded(steps: readonly FlowStep[], name: string): ReadonlySet<string> {
  const needed = new Set<string>();
  const open = [name];
  for (let one = open.pop(); one !== undefined; one = open.pop()) {
    const { needs = [] } = steps.find((step) => step.name === one) ?? {};
    open.push(...needs.filter((other) => !needed.has(other)));
    for (const other of needs) needed.add(other);
  }
  return needed;
}

/** Steps one after another: what a step needs comes before it; else they stay as they are. */
export function inOrder<Step extends FlowStep>(steps: readonly Step[]): readonly Step[] {
  const ordered: Step[] = [];
  const isDone = (name: string) => ordered.some((step) => step.name === name);
  for (let left = steps; left.length > 0; left = left.filter(({ name }) => !isDone(name))) {
    const next = left.find(({ needs = [] }) => needs.every(isDone));
    if (next === undefined) return [...ordered, ...left];
    ordered.push(next);
  }
  return ordered;
}

/** A name that comes before itself, with the way there. */
export function circleIn(needs: ReadonlyMap<string, readonly string[]>): readonly string[] | undefined {
  const done = new Set<string>();
  const visit = (name: string, way: readonly string[]): readonly string[] | undefined => {
    if (way.includes(name)) return [...way.slice(way.indexOf(name)), name];
    if (done.has(name)) return undefined;
    for (const other of needs.get(name) ?? []) {
      const found = visit(other, [...way, name]);
      if (found !== undefined) return found;
    }
    done.add(name);
    return undefined;
  };
  for (const name of needs.keys()) {
    const found = visit(name, []);
    if (found !== undefined) return found;
  }
  return undefined;
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
    if (reached.has(number)) continue;
    // What may be passed over stands in nobody's way.
    if (number === without && steps[number - 1]?.onlyIf === undefined) continue;
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
  const [first, second] = [steps[earlier - 1]?.name ?? "", steps[later - 1]?.name ?? ""];
  if (isGraph(steps)) return allNeeded(steps, second).has(first);
  return earlier !== later && !reachableSteps(steps, { without: earlier }).has(later);
}
