import { ASK_CHANNEL_VARIABLE, CHECK_VARIABLE, ROLE_VARIABLE } from "../base/ports/marks.ts";
import type { Clock } from "../base/ports/clock.ts";
import { endMarkedTrees, type ProcessMark } from "../base/ports/end_processes.ts";
import { knownFolders } from "./carried.ts";
import type { RunFolder } from "./run_folder.ts";

const TERMINATE_GRACE_MS = 2000;

function checkMark({ path }: Pick<RunFolder, "path">): ProcessMark {
  return { name: CHECK_VARIABLE, value: `${path}/` };
}

/** A mark for one such command, which begins as {@linkcode checkMark}: others may run beside it. */
export function newCheckMark(folder: Pick<RunFolder, "path">): ProcessMark {
  const { name, value } = checkMark(folder);
  return { name, value: `${value}${crypto.randomUUID()}/` };
}

export function roleMark({ path }: Pick<RunFolder, "path">): ProcessMark {
  return { name: ROLE_VARIABLE, value: `${path}/` };
}

/**
 * A mark for one such agent, which begins as {@linkcode roleMark}. No other agent has it, not even of the same role: by
 * it all that comes out of this one is ended when it ends.
 */
export function newRoleMark(folder: Pick<RunFolder, "path">): ProcessMark {
  const { name, value } = roleMark(folder);
  return { name, value: `${value}${crypto.randomUUID()}/` };
}

/**
 * Ends the agents of steps, those of roles that are in no pane, and the checks that an earlier process of a run left
 * behind when it was killed: they would work beside the new ones. They are found by the run's folder in their
 * environment.
 *
 * @param options.recorded where a process last executed the run. @default its folder
 */
export async function endLeftProcesses(
  folder: Pick<RunFolder, "path">,
  { clock, recorded }: { readonly clock: Clock; readonly recorded?: string | undefined },
): Promise<void> {
  for (const path of knownFolders(folder, recorded)) {
    for (const mark of [{ name: ASK_CHANNEL_VARIABLE, value: `${path}/` }, roleMark({ path }), checkMark({ path })]) {
      await endMarkedTrees(mark, { clock, hangupGraceMs: 0, terminateGraceMs: TERMINATE_GRACE_MS });
    }
  }
}
