import { type Role, ROLES } from "../../base/roles.ts";
import { present } from "../../base/schema.ts";
import { END } from "../../journal/exec/fields.ts";
import type { FlowStep } from "../flow.ts";

export interface LoopStep extends FlowStep {
  readonly name: Role;
  /** `work` is handed on; a `review` and a `test` end with a verdict. */
  readonly gives: "work" | "review" | "test";
}

/** The loops that have a name. */
const NAMED = {
  review: ROLES,
  pair: ["programmer", "programmer_review"],
  solo: ["programmer"],
  "spec-first": ["tester", "programmer", "programmer_review"],
} as const satisfies Readonly<Record<string, readonly Role[]>>;

export const LOOP_NAMES = Object.keys(NAMED) as readonly (keyof typeof NAMED)[];

/** A loop by its name, or its roles in the order in which they work, with commas between them. */
export const LOOP_PATTERN = new RegExp(
  `^(?:${LOOP_NAMES.join("|")}|(?:${ROLES.join("|")})(?: ?, ?(?:${ROLES.join("|")}))*)$`,
);

/** Who mends what the test of a round has found. */
export const MENDS: Role = "programmer";

const AUTHORS: Readonly<Partial<Record<Role, Role>>> = { analyst_review: "analyst", programmer_review: "programmer" };

export function rolesIn(shape: string): readonly Role[] {
  const named = LOOP_NAMES.find((name) => name === shape);
  if (named !== undefined) return NAMED[named];
  return shape.split(",").flatMap((name) => ROLES.find((role) => role === name.trim()) ?? []);
}

/** A loop as the plan that it is: its roles in order, and where each leads. After the last one comes the test command. */
export function stepsOf(shape: string): readonly LoopStep[] {
  const roles = rolesIn(shape);
  return roles.map((name, at): LoopStep => {
    const author = AUTHORS[name];
    if (author !== undefined) return { name, gives: "review", next: { fail: author } };
    // A tester that comes before who programs writes the tests.
    const isTest = name === "tester" && at === roles.length - 1 && roles.includes(MENDS);
    return isTest ? { name, gives: "test", next: { pass: END, fail: MENDS } } : { name, gives: "work" };
  });
}

/** Whether a role of the loop says how the test went, beside the project's test command. */
export function hasTester(shape: string): boolean {
  return stepsOf(shape).some(({ gives }) => gives === "test");
}

/**
 * Why roles in this order are no loop; undefined where they are one.
 *
 * @example
 * ```ts
 * import { assertEquals } from "@std/assert";
 *
 * assertEquals(loopProblem("analyst, programmer, tester"), undefined);
 * assertEquals(loopProblem("analyst, programmer_review"), "nobody mends what fails: it needs the programmer");
 * ```
 */
export function loopProblem(shape: string): string | undefined {
  const roles = rolesIn(shape);
  const twice = roles.find((role, at) => roles.indexOf(role) !== at);
  if (twice !== undefined) return `it has the ${twice} twice`;
  const place = roles.indexOf(MENDS);
  if (place === -1) return "nobody mends what fails: it needs the programmer";
  for (const [at, role] of roles.entries()) {
    const author = AUTHORS[role];
    if (author !== undefined && roles[at - 1] !== author) return `the ${role} must come right after the ${author}`;
  }
  if (roles.indexOf("analyst") > place) return "the analyst must come before the programmer";
  const test = roles.indexOf("tester");
  return test > place && test < roles.length - 1
    ? "the tester must be the last one, or come before the programmer and write the tests"
    : undefined;
}

/** A loop for people: its roles, in order, and who works again after their no. */
export function outlineOf(shape: string) {
  return stepsOf(shape).map(({ name, gives, next }) => ({ name, gives, ...present({ back: next?.fail }) }));
}
