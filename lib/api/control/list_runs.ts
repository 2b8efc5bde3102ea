import { JOBS } from "../../jobs/mod.ts";
import { listRunIds } from "../../run/find_run.ts";
import { hasLiveAgents, type LiveProcesses, lookAtProcesses } from "../../run/live_agents.ts";
import { type KnownRuns, readOverview, type RunOverview } from "../../run/overview.ts";
import { compareText } from "../../base/text/order.ts";
import { withWorkspaces } from "../../workspace/workspace.ts";
import type { MeetRun } from "./act.ts";
import { isRunId, runFolderAt } from "../../run/run_folder.ts";

export interface RunRow extends RunOverview {
  /** Whether agents are alive whose panewright is gone; only looked for where they can be. */
  readonly agentsLeft: boolean;
}

interface Listing {
  readonly meetRun?: MeetRun | undefined;
  /** What is kept between two lists. */
  readonly known?: KnownRuns | undefined;
}

export async function listRuns(
  workdir: string,
  { known, meetRun }: Listing = {},
): Promise<readonly RunRow[]> {
  const folders = (await listRunIds(workdir)).map((id) => runFolderAt(workdir, id)).toReversed();
  let processes: Promise<LiveProcesses> | undefined;
  const rows: RunRow[] = [];
  for (const folder of folders) {
    const overview = await readOverview(folder, JOBS, { brief: true, known });
    const { condition, progress } = overview;
    // A folder that is not a run's may stand beside those that are.
    if (condition === "empty" && !isRunId(folder.id)) continue;
    const agentsLeft = isGone(overview) && progress !== undefined &&
      hasLiveAgents(progress, folder, await (processes ??= lookAtProcesses()));
    await meetRun?.(folder);
    rows.push({ ...overview, agentsLeft });
  }
  return rows;
}

/** The runs of several working directories, and of their workspaces, the newest first: an id begins with the time at which its run was started. */
export async function listServedRuns(
  workdirs: readonly string[],
  context: Listing,
): Promise<readonly (RunRow & { readonly workdir: string })[]> {
  const rows = await Promise.all(
    withWorkspaces(workdirs).map(async (workdir) =>
      (await listRuns(workdir, context)).map((row) => ({ ...row, workdir }))
    ),
  );
  return rows.flat().sort((one, other) => compareText(other.folder.id, one.folder.id));
}

/** Whether the process that executed a run is gone without having ended it: its agents may be alive. */
export function isGone(
  { condition, executed, progress }: Pick<RunRow, "condition" | "executed" | "progress">,
): boolean {
  return condition === "killed" || condition === "waiting" && !executed && progress?.finished === undefined;
}
