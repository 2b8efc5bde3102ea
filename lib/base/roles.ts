/** The five roles of the review loop, in the order in which they work. */
export const ROLES = ["analyst", "analyst_review", "programmer", "programmer_review", "tester"] as const;

/** One role of a run: one of the five, or one that its configuration makes. */
export type Role = string;

export type BuiltInRole = typeof ROLES[number];

/** What a role may be called. */
export const ROLE_NAME = /^[a-z][a-z0-9_]{0,31}$/;

/** Whether a role may be called so. */
export function isRoleName(name: unknown): name is Role {
  return typeof name === "string" && ROLE_NAME.test(name) && name !== "constructor";
}

export function isBuiltIn(role: Role): role is BuiltInRole {
  return ROLES.some((one) => one === role);
}
