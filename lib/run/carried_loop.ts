import { type Carried, findCarried } from "./carried.ts";
import { workdirOf } from "../journal/paths.ts";
import type { RunFolder } from "./run_folder.ts";
import { findOtherPlace } from "./run_mail.ts";

/**
 * Whether a review loop was carried elsewhere, like {@linkcode findCarried}. Of several folders that were made of one
 * that is gone, the first that a process executes is the run, by the word of the person's state folder; the others are
 * its copies: tmux server and agents are known by the run's id.
 *
 * @param recorded its folder, as the process had it that executed it last; absolute
 */
export function findCarriedLoop(run: Pick<RunFolder, "id" | "path">, recorded: string): Carried | undefined {
  const carried = findCarried(run, recorded);
  const other = carried?.isCopy === false ? findOtherPlace(run) : undefined;
  const workdir = other === undefined ? undefined : workdirOf(other);
  return other === undefined || workdir === undefined ? carried : { folder: other, workdir, isCopy: true };
}
