import { UsageError } from "../../base/errors.ts";
import { type Role, ROLES } from "../../base/roles.ts";
import { didYouMean } from "../../base/text/suggest.ts";
import type { Progress } from "../../journal/progress.ts";

type OfRun = Pick<Progress, "roles"> | undefined;

/** The roles of a review loop, in the order in which they work where its configuration makes some. */
export function rolesOf(progress: OfRun): readonly Role[] {
  return progress?.roles ?? ROLES;
}

/**
 * A role of a run by its name.
 *
 * @param act what is to be done, as in `send to`
 * @throws {UsageError} when the run has no such role
 */
export function roleOf(progress: OfRun, name: string, act: string): Role {
  const roles = rolesOf(progress);
  if (roles.includes(name)) return name;
  throw new UsageError(`Cannot ${act} "${name}": there is no such role${didYouMean(name, roles)}`, {
    code: "bad_input",
    hint: `Roles: ${roles.join(", ")}.`,
  });
}
