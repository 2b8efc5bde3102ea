import { allNeeded } from "../jobs/flow.ts";
import { PIPELINE } from "../jobs/pipeline/mod.ts";
import { isSameWork } from "../journal/exec/lane.ts";
import type { LaneState, StepOutput } from "../journal/exec/state.ts";
import { readFactsOf } from "../journal/read_facts.ts";
import { runFolderAt } from "../run/run_folder.ts";
import { changedPaths } from "../workspace/result.ts";
import type { Lanes } from "./context.ts";
import type { LaneTask } from "./lane_tasks.ts";

/** What the steps that come before a step of a graph have said and done, for the references of its prompt. */
export async function outputsFor({ file, part, pipeline }: LaneTask, lanes: Lanes): Promise<readonly StepOutput[]> {
  if (part === undefined) return [];
  const landed = (lanes.run.state().lanes ?? []).filter(({ stage }) => stage === "landed");
  const names = [...allNeeded(lanes.plan.pipelines[pipeline] ?? [], part)];
  return await Promise.all(names.map(async (name) => {
    const lane = landed.find((one) => isSameWork(one, { file, part: name }));
    const said = lane === undefined ? undefined : await lastSaidIn(lane);
    // It has no number among the steps of the run that it is told in.
    return { step: 0, name, rounds: 1, finalText: said ?? "", files: lane && await filesOf(lane, lanes) };
  }));
}

/**
 * The last words of the agent in the run of a lane.
 *
 * @param step that of the step of this number @default the last one
 */
export async function lastSaidIn(lane: LaneState, step?: number): Promise<string | undefined> {
  const { run, workdir } = lane.work ?? lane;
  if (run === undefined) return undefined;
  const { facts } = await readFactsOf(PIPELINE, runFolderAt(workdir, run));
  const ends = facts.filter((fact) => fact.type === "attempt_finished");
  return ends.findLast((end) => step === undefined || end.step === step)?.finalText;
}

async function filesOf({ base, commit = base }: LaneState, { signal, target: { store } }: Lanes) {
  const names = await changedPaths([base, commit], { store, signal });
  return { names: names.slice(0, MOST_NAMES), more: Math.max(0, names.length - MOST_NAMES) };
}

const MOST_NAMES = 200;
