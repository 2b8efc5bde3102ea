import { didYouMean } from "../../base/text/suggest.ts";
import { isBuiltIn, type Role, ROLES } from "../../base/roles.ts";
import { present } from "../../base/schema.ts";
import { END } from "../../journal/exec/fields.ts";
import type { FlowStep } from "../flow.ts";

export interface LoopStep extends FlowStep {
  readonly name: Role;
  /** `work` is handed on; a `review` and a `test` end with a verdict. */
  readonly gives: "work" | "review" | "test";
}

/** What a configuration says of a role that it makes. */
export interface OwnRole {
  readonly gives: LoopStep["gives"];
  /** Whose work it reviews. */
  readonly reviews?: Role;
  /** Whose responses its prompts quote. @default all that have worked before it in the loop, and review or test nothing */
  readonly reads?: readonly Role[];
}

/** A loop as it is configured. */
export interface LoopShape {
  /** Its name, or its roles in order with commas between them. */
  readonly shape: string;
  /** Who mends what the test of a round has found. @default the programmer, otherwise the last own role that works */
  readonly mendedBy?: Role | undefined;
  /** @default {{}} */
  readonly ownRoles?: Readonly<Record<Role, OwnRole>>;
  /** The role before which it ends: several attempts of that begin with what was done until then. @default it ends with its test */
  readonly until?: Role;
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
  `^(?:${LOOP_NAMES.join("|")}|[a-z][a-z0-9_]{0,31}(?: ?, ?[a-z][a-z0-9_]{0,31})*)$`,
);

/** A window each, by one digit. */
const MOST_ROLES = 9;

const AUTHORS: Readonly<Record<Role, Role>> = { analyst_review: "analyst", programmer_review: "programmer" };

export function rolesIn({ shape }: LoopShape): readonly Role[] {
  return LOOP_NAMES.some((name) => name === shape)
    ? NAMED[shape as keyof typeof NAMED]
    : shape.split(",").map((name) => name.trim());
}

/** Who mends what the test of a round has found; undefined where nobody does. */
export function mendsIn(loop: LoopShape): Role | undefined {
  const roles = rolesIn(loop);
  const { mendedBy, ownRoles = {} } = loop;
  if (mendedBy !== undefined) return mendedBy;
  return roles.includes("programmer") ? "programmer" : roles.findLast((role) => ownRoles[role]?.gives === "work");
}

export function authorOf(role: Role, { ownRoles = {} }: LoopShape): Role | undefined {
  return AUTHORS[role] ?? ownRoles[role]?.reviews;
}

/** A loop as the plan that it is: its roles in order, and where each leads. After the last one comes the test command. */
export function stepsOf(loop: LoopShape): readonly LoopStep[] {
  const roles = rolesIn(loop);
  const mends = mendsIn(loop);
  const { until } = loop;
  const end = until === undefined ? roles.length : roles.indexOf(until);
  return roles.slice(0, end).map((name, at): LoopStep => {
    const author = authorOf(name, loop);
    if (author !== undefined) return { name, gives: "review", next: { fail: author } };
    // A tester that comes before who programs writes the tests.
    const isTest = name === "tester" ? at === roles.length - 1 : loop.ownRoles?.[name]?.gives === "test";
    if (!isTest || mends === undefined || mends === name) return { name, gives: "work" };
    return { name, gives: "test", next: { pass: END, fail: mends } };
  });
}

/** The role of the loop that says how the test went, beside the project's test command. */
export function testerIn(loop: LoopShape): Role | undefined {
  return stepsOf(loop).find(({ gives }) => gives === "test")?.name;
}

/**
 * Why roles in this order are no loop; undefined where they are one.
 *
 * @example
 * ```ts
 * import { assertEquals } from "@std/assert";
 *
 * assertEquals(loopProblem({ shape: "analyst, programmer, tester" }), undefined);
 * assertEquals(
 *   loopProblem({ shape: "analyst, programmer_review" }),
 *   "nobody mends what fails: it needs the programmer",
 * );
 * ```
 */
export function loopProblem(loop: LoopShape): string | undefined {
  const roles = rolesIn(loop);
  const { mendedBy, ownRoles = {} } = loop;
  const known = [...ROLES, ...Object.keys(ownRoles)];
  const unknown = roles.find((role) => !known.includes(role));
  if (unknown !== undefined) return `there is no role "${unknown}"${didYouMean(unknown, known)}`;
  if (roles.length > MOST_ROLES) return `it has ${roles.length} roles, and ${MOST_ROLES} are the most`;
  const twice = roles.find((role, at) => roles.indexOf(role) !== at);
  if (twice !== undefined) return `it has the ${twice} twice`;
  if (mendedBy !== undefined && !roles.includes(mendedBy)) return `it has no ${mendedBy}, who is to mend what fails`;
  const mends = mendsIn(loop);
  if (mends === undefined) return "nobody mends what fails: it needs the programmer";
  return roles.map((role, at) => placeProblem(role, { at, roles, mends, loop })).find((one) => one !== undefined);
}

function placeProblem(
  role: Role,
  { at, roles, mends, loop }: {
    readonly at: number;
    readonly roles: readonly Role[];
    readonly mends: Role;
    readonly loop: LoopShape;
  },
): string | undefined {
  const author = authorOf(role, loop);
  const { gives, reads = [] } = loop.ownRoles?.[role] ?? {};
  const missing = reads.find((one) => !roles.slice(0, at).includes(one));
  if (missing !== undefined) return `the ${role} reads the ${missing}, which does not come before it`;
  if (author !== undefined) {
    // Of the reviewers of one author each takes what the one before has approved.
    const before = roles.slice(0, at).findLast((one) => authorOf(one, loop) !== author);
    if (before !== author) return `the ${role} must come right after the ${author}`;
    return role === mends ? `the ${role} reviews, and cannot mend what fails` : undefined;
  }
  const place = roles.indexOf(mends);
  if (role === "analyst" && at > roles.indexOf("programmer") && roles.includes("programmer")) {
    return "the analyst must come before the programmer";
  }
  const isLast = at === roles.length - 1;
  if (role === "tester" && at > place && !isLast) {
    return `the tester must be the last one, or come before the ${mends} and write the tests`;
  }
  return gives === "test" && (!isLast || role === mends) ? `the ${role} tests, and must be the last one` : undefined;
}

/** The roles of a loop that has some of the configuration's own, for its journal. */
export function ownRolesTold(loop: LoopShape): { readonly roles?: readonly Role[] } {
  const roles = rolesIn(loop);
  return roles.every(isBuiltIn) ? {} : { roles };
}

/** The own roles that no loop of the configuration calls. */
export function uncalledRoles(loop: LoopShape): readonly Role[] {
  const roles = rolesIn(loop);
  return Object.keys(loop.ownRoles ?? {}).filter((role) => !roles.includes(role));
}

/** Whose responses the prompts of a role quote, besides its author's and those that the five always read. */
export function readBy(role: Role, loop: LoopShape): readonly Role[] {
  const before = stepsOf(loop).slice(0, rolesIn(loop).indexOf(role)).filter(({ gives }) => gives === "work");
  const { reads = before.map(({ name }) => name) } = loop.ownRoles?.[role] ?? {};
  const author = authorOf(role, loop);
  return reads.filter((name) => name !== author && (!isBuiltIn(role) || !isBuiltIn(name)));
}

/** A loop for people: its roles, in order, and who works again after their no. */
export function outlineOf(loop: LoopShape) {
  return stepsOf(loop).map(({ name, gives, next }) => ({ name, gives, ...present({ back: next?.fail }) }));
}
