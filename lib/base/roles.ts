/** The five roles of the review loop, in the order in which they work. */
export const ROLES = ["analyst", "analyst_review", "programmer", "programmer_review", "tester"] as const;

/** One role of the review loop. */
export type Role = typeof ROLES[number];
