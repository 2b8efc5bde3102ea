import * as z from "zod";
import type { ProviderId } from "../agents/provider.ts";
import { isBuiltIn, isRoleName, type Role, ROLES } from "../base/roles.ts";
import { present } from "../base/schema.ts";
import { LOOP_NAMES, type OwnRole } from "../jobs/review_loop/shapes.ts";
import { agentKeys, capKeys, driverKey, text } from "./shapes.ts";

/** What a configuration says of the roles, the five and those that it makes. */
export function rolesSchema(ids: readonly ProviderId[]): z.ZodType<RolesConfig> {
  const five = Object.fromEntries(
    ROLES.map((name) => [name, z.strictObject(roleKeys(ids)).optional().describe(`The agent that plays ${name}.`)]),
  );
  return z.object(five).catchall(ownRole(ids));
}

export type RolesConfig = Readonly<Record<Role, RoleConfig | undefined>>;

type RoleConfig = z.output<ReturnType<typeof ownRole>>;

/** The five, and the roles that a configuration makes. */
export function allRoles(roles: RolesConfig): readonly Role[] {
  return [...new Set([...ROLES, ...Object.keys(roles)])];
}

/** The roles that a configuration makes. */
export function ownRolesIn(roles: RolesConfig): Readonly<Record<Role, OwnRole>> {
  const own = Object.entries(roles).filter(([name, role]) => !isBuiltIn(name) && isMade(role));
  return Object.fromEntries(own.map(([name, { gives, reviews, reads } = {}]) => [name, {
    gives: gives ?? (reviews === undefined ? "work" : "review"),
    ...present({ reviews, reads }),
  }]));
}

/** Whether an entry makes a role: one that does not say what it gives has a wrong name of one of the five. */
export function isMade(role: RolesConfig[string]): boolean {
  return role?.gives !== undefined || role?.reviews !== undefined;
}

/** Why a role may not be called so. */
export function roleNameProblem(name: string): string | undefined {
  if (LOOP_NAMES.some((one) => one === name)) return "is the name of a loop";
  return isRoleName(name)
    ? undefined
    : "is not a valid role name: use at most 32 lowercase letters, digits and _, beginning with a letter";
}

function roleKeys(ids: readonly ProviderId[]) {
  return {
    provider: z.enum(ids).optional().describe("The provider of this role, where it differs from the common one."),
    prompt: text().optional().describe(
      "A file with what this project wants of the role, relative to the config file: its prompts have it besides their own words.",
    ),
    attempts: z.int().min(1).max(16).optional().describe(
      "How often the work of this role is done side by side, each time in a workspace of its own, with the rest of the loop " +
        "after it; `exec.choose` says which of what passes is landed. Of one role that works, not reviews or tests.",
    ),
    isolation: z.enum(["none", "workspace"]).optional().describe(
      "`workspace`: nothing stays of what the role changes in its turns; it is kept as a turn of the run's workspace, and the " +
        "next role finds the files as they were. Of a role that reviews or tests, in a run that works in a workspace.",
    ),
    ...driverKey(),
    ...agentKeys(),
    ...capKeys(),
  };
}

function ownRole(ids: readonly ProviderId[]) {
  return z.strictObject({
    ...roleKeys(ids),
    gives: z.enum(["work", "review", "test"]).optional().describe(
      "Of a role of your own: `work`, which is handed on; a `review`, with the verdict APPROVED or REVISE; or the `test` of a " +
        "round, with the verdict PASS or FAIL. `review` where it has `reviews`.",
    ),
    reviews: text().optional().describe("The role whose work it reviews, and which works again after a REVISE."),
    reads: z.array(text()).optional().describe(
      "The roles before it whose responses its prompts quote; without it, all that have worked before it.",
    ),
  });
}
