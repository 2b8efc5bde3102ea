import { UsageError } from "../../base/errors.ts";
import { type Role, ROLES } from "../../base/roles.ts";
import { didYouMean } from "../../base/text/suggest.ts";
import type { Progress } from "../../journal/progress.ts";

/** What tells them: how the run stands, or the record with which it began. */
type OfRun = Pick<Progress, "roles"> | undefined;

/** The roles of a review loop, in the order in which they work where its configuration makes some. */
export function rolesOf(progress: OfRun): readonly Role[] {
  return progress?.roles ?? ROLES;
}

/**
 * A role of a run by its name.
 *
 * @param what what is to be done, as in `send to`, or the flag that names it
 * @throws {UsageError} when the run has no such role
 */
export function roleOf(progress: OfRun, name: string, what: string): Role {
  const roles = rolesOf(progress);
  if (roles.includes(name)) return name;
  const meant = didYouMean(name, roles);
  const problem = what.startsWith("--")
    ? `Cannot use ${what} "${name}": it must be one of ${roles.join(", ")}${meant}`
    : `Cannot ${what} "${name}": there is no such role${meant}`;
  throw new UsageError(problem, {
    code: "bad_input",
    hint: `Roles: ${roles.join(", ")}.`,
  });
}
