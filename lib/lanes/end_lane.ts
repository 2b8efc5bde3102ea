import { present } from "../base/schema.ts";
import { errorText } from "../base/text/error_text.ts";
import { isSameLane } from "../journal/exec/lane.ts";
import type { ExecState, LaneState } from "../journal/exec/state.ts";
import { keepResult } from "../workspace/result.ts";
import { findWorkspace } from "../workspace/workspace.ts";
import type { Lanes } from "./context.ts";
import { type Chosen, readJudge } from "./judge.ts";
import { aboutLane } from "./about_lane.ts";
import type { LaneEnd } from "./context.ts";
import type { LaneTask } from "./lane_tasks.ts";
import { isLanded, isLost, passedAs, type Width } from "./schedule.ts";

/** The end of a lane that cannot be landed any more. */
export const STOPPED = { outcome: "stopped", reason: "stopped, as another attempt is landed" } as const;

/** Tells which tasks have passed: those of which all is in the target. */
export function tellLanded({ run, tasks }: Lanes): void {
  for (const file of new Set(tasks.map((task) => task.file))) {
    const { lanes = [], passed } = run.state();
    if (passed.includes(file) || !tasks.every((task) => task.file !== file || isLanded(task, lanes))) continue;
    run.record({ type: "task_finished", task: numberOf(file, tasks), file, outcome: "pass" });
  }
}

/** The number of a task among all, from 1, whatever its steps. */
function numberOf(file: string, tasks: readonly LaneTask[]): number {
  return [...new Set(tasks.map((task) => task.file))].indexOf(file) + 1;
}

export interface Ending {
  readonly lanes: Lanes;
  readonly width: Width;
}

/** Commits what was done in a lane, however its run has ended, and records that. */
export async function endLane(
  lane: LaneState,
  { end, lanes, width }: Ending & { readonly end: Pick<LaneEnd, "outcome" | "reason"> | typeof STOPPED },
): Promise<void> {
  const { outcome, reason } = end;
  const { run: { record, state }, signal } = lanes;
  const passed = passedAs(lane, state().lanes);
  if (lane.purpose === "judge" && outcome !== "waiting" && passed !== undefined) {
    const problem = outcome === "pass" ? undefined : reason;
    return recordChosen(await readJudge(ofNow(lane, state()), { lanes, passed, problem }), lanes);
  }
  const workspace = findWorkspace(lane.workspace);
  const kept = workspace === undefined
    ? { problem: `the workspace ${lane.workspace} is gone` }
    : await keepResult(workspace, { signal }).catch((error) => ({ problem: errorText(error) }));
  signal.throwIfAborted();
  if (outcome === "waiting" || outcome === "stopped") {
    return record({ type: "lane_ended", ...aboutLane(lane), outcome, reason });
  }
  if (outcome === "fail") return failLane(lane, { reason, lanes, width });
  if ("problem" in kept) {
    return failLane(lane, { reason: `what was done cannot be taken: ${kept.problem}`, lanes, width });
  }
  const leads = lane.purpose === "lead" ? { leads: true } : {};
  record({ type: "lane_ended", ...aboutLane(lane), outcome, reason, commit: kept.commit, ...leads });
}

/** The task has failed with it, unless another attempt of it may pass. */
export function failLane(
  lane: LaneState,
  { reason, lanes: { run, tasks }, width: { attempts } }: Ending & { readonly reason: string },
): void {
  run.record({ type: "lane_ended", ...aboutLane(lane), outcome: "fail", reason });
  const { file, part } = lane;
  const isLead = lane.purpose === "lead";
  if (!(isLead || isLost(run.state(), lane, attempts)) || run.state().failed.includes(file)) return;
  const of = part === undefined ? "" : `step "${part}": `;
  const why = attempts === 1 || isLead ? reason : `none of its ${attempts} attempts is landed; the last one: ${reason}`;
  run.record({ type: "task_finished", task: numberOf(file, tasks), file, outcome: "fail", reason: of + why });
}

/** A lane with what was learned of it since it was begun. */
function ofNow(of: LaneState, { lanes = [] }: ExecState): LaneState {
  return lanes.find((lane) => isSameLane(lane, of)) ?? of;
}

export function recordChosen({ lane, by, detail, said }: Chosen, { run }: Lanes): void {
  const { attempt = 1, file, number: task, part } = lane;
  const told = said === "" ? {} : { said };
  run.record({ type: "attempt_chosen", task, file, ...present({ part }), attempt, by, detail, ...told });
}
