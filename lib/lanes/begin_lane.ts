import { present } from "../base/schema.ts";
import { type Lane, laneName } from "../journal/exec/lane.ts";
import type { LaneState } from "../journal/exec/state.ts";
import { requireRoom } from "../workspace/disk.ts";
import { openWorkspace } from "../workspace/open_workspace.ts";
import type { Lanes } from "./context.ts";
import { aboutLane } from "./about_lane.ts";
import type { LaneTask } from "./lane_tasks.ts";

/**
 * Makes the workspace of a lane, which begins at a commit of the target, or at what git makes of a merge.
 *
 * @throws {HumanInterventionRequiredError} where workspaces take as much as they may
 */
export async function beginLane(
  begun: Lane & Pick<LaneState, "purpose" | "base" | "problem" | "lead">,
  { lanes: { plan, run, signal, target, tasks }, task: { number } }: { readonly task: LaneTask; readonly lanes: Lanes },
): Promise<LaneState> {
  const { base, lead, purpose, problem } = begun;
  const { maxDiskBytes, share = [] } = plan.workspace ?? {};
  // What others wait for is not kept from being done.
  if (maxDiskBytes !== undefined && (purpose === "task" || purpose === "lead")) {
    await requireRoom(maxDiskBytes, { signal, warn: (message) => run.record({ type: "warning", message }) });
  }
  const { name: workspace, workdir } = await openWorkspace(target.origin, {
    ...{
      task: `${laneName(begun).replace("/", " ")}${purpose === "merge" || purpose === "lead" ? ` ${purpose}` : ""}`,
      now: run.wallClock(),
      signal,
    },
    ...{ at: base, partOf: { target: target.name, as: purpose === "lead" ? "lead" : "lane" }, share },
  });
  const lane: LaneState = { ...begun, number, workspace, workdir, stage: "working" };
  const fields = { purpose, workspace, workdir, base, ...present({ problem, lead }) };
  run.record({ type: "lane_started", ...aboutLane(lane), of: tasks.length, ...fields });
  return lane;
}
