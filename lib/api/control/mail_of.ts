import { UsageError } from "../../base/errors.ts";
import { stateFolder } from "../../base/ports/state_folder.ts";
import type { RunOverview } from "../../run/overview.ts";
import { refuseElsewhere } from "../../run/elsewhere.ts";
import { claimRunMail, findRunMail, type RunMail, takerOf } from "../../run/run_mail.ts";

/**
 * Where something that is said to a run is to be left, so that the process that executes it, now or later, finds it.
 *
 * @param what what is to be done, after "Cannot"
 * @param command of `panewright fleet`, which does it where other machines execute the run and nobody follows it here
 * @throws {UsageError} `bad_input` when nothing can be left there, or another state folder is the run's
 */
export async function requireRunMail(
  { folder, executed, owner }: Pick<RunOverview, "folder" | "executed" | "owner">,
  what: string,
  command?: readonly string[],
): Promise<RunMail> {
  if (!executed) refuseElsewhere(folder, what, command);
  const found = findRunMail(folder);
  const isTaken = found !== undefined && (owner === undefined || takerOf(found) === owner);
  if (!executed || isTaken || stateFolder() === undefined) return await claimRunMail(folder);
  throw new UsageError(
    `Cannot ${what}: the process that executes run ${folder.id} does not look into ${stateFolder()}`,
    {
      code: "bad_input",
      hint:
        "Call the command with the HOME and XDG_STATE_HOME with which the run was started, or use its own terminal.",
    },
  );
}
