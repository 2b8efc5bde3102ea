import { HumanInterventionRequiredError, RuntimeError } from "../base/errors.ts";
import { errorText } from "../base/text/error_text.ts";
import { isSameLane, type Lane } from "../journal/exec/lane.ts";
import type { LaneState } from "../journal/exec/state.ts";
import { keepResult } from "../workspace/result.ts";
import { landedIn } from "../workspace/target.ts";
import { findWorkspace } from "../workspace/workspace.ts";
import { beginLane } from "./begin_lane.ts";
import type { Lanes } from "./context.ts";
import { landTask } from "./land_task.ts";
import { aboutLane, type LaneEnd, playLane } from "./lane_run.ts";
import type { LaneTask } from "./lane_tasks.ts";
import { dueLanes, isLost, type LaneAction, type Width } from "./schedule.ts";

/** All that is under way at a time. */
export interface Fan extends AsyncDisposable {
  /** Plays until nothing is left to do without a person. */
  play(): Promise<void>;
  /** What the runs of lanes wait for at their ends. */
  waiting(): readonly LaneEnd["questions"][number][];
}

interface Flight {
  readonly lane: Lane;
  readonly over: Promise<void>;
}

type FanOptions = Omit<Lanes, "onAsking"> & {
  readonly width: Width;
  /** Stops all of it. */
  readonly over: AbortController;
};

export function openFan({ over, width, ...common }: FanOptions): Fan {
  const { run, signal, target, tasks } = common;
  let flights: readonly Flight[] = [];
  let asking: readonly Lane[] = [];
  let unanswered: readonly { readonly lane: Lane; readonly questions: LaneEnd["questions"] }[] = [];
  let landing: Promise<void> | undefined;
  let broken: { readonly error: unknown } | undefined;
  let wake = Promise.withResolvers<void>();
  const lanes: Lanes = {
    ...common,
    onAsking(lane, isAsking) {
      asking = isAsking ? [...asking, lane] : asking.filter((one) => !isSameLane(one, lane));
      wake.resolve();
    },
  };
  /** What one of them throws ends all. */
  const watched = async (work: Promise<void>, after: () => void): Promise<void> => {
    try {
      await work;
    } catch (error) {
      broken ??= { error };
      over.abort(error);
    } finally {
      after();
      wake.resolve();
    }
  };
  const fly = (lane: LaneState, task: LaneTask) => {
    const work = playLane(lane, task, lanes).then(
      (end) => {
        if (end.outcome === "waiting") unanswered = [...unanswered, { lane, questions: end.questions }];
        return endLane(lane, { end, lanes, width });
      },
      (error) => {
        // Others would meet it as well, and only a person can change it.
        if (signal.aborted || error instanceof HumanInterventionRequiredError) throw error;
        return endLane(lane, { end: { outcome: "fail", reason: errorText(error) }, lanes, width });
      },
    );
    const flight = {
      lane,
      over: watched(work, () => {
        flights = flights.filter((one) => one !== flight);
        asking = asking.filter((one) => !isSameLane(one, lane));
      }),
    };
    flights = [...flights, flight];
  };

  async function land(passed: readonly LaneState[]): Promise<void> {
    const left = await landTask(passed, lanes);
    const [{ file, number: task } = { file: "", number: 0 }] = passed;
    if (left === undefined) return run.record({ type: "task_finished", task, file, outcome: "pass" });
    const { lane, unmerged: { at: base, problem, reason } } = left;
    if (lane.purpose === "merge") {
      return failLane(lane, {
        reason: `it is not merged: ${reason}; refs/panewright/${lane.workspace} has it`,
        lanes,
        width,
      });
    }
    const { attempt } = lane;
    const of = { file, ...(attempt === undefined ? {} : { attempt }) };
    fly(
      await beginLane({ ...of, purpose: "merge", base, problem }, { task: taskOf(lane, tasks), lanes }),
      taskOf(lane, tasks),
    );
  }

  async function carryOut(action: LaneAction): Promise<void> {
    switch (action.do) {
      case "begin": {
        const { lane, task } = action;
        const base = await landedIn(target, { signal });
        return fly(await beginLane({ ...lane, purpose: "task", base }, { task, lanes }), task);
      }
      case "continue":
        return fly(action.lane, taskOf(action.lane, tasks));
      case "land":
        landing = watched(land(action.lanes), () => landing = undefined);
    }
  }

  return {
    async play() {
      for (;;) {
        wake = Promise.withResolvers();
        const underWay = {
          ...{ running: flights.map(({ lane }) => lane), asking, unanswered: unanswered.map(({ lane }) => lane) },
          isMerging: landing !== undefined,
        };
        if (broken === undefined && !signal.aborted) {
          for (const action of dueLanes(run.state(), { tasks, underWay, width })) await carryOut(action);
        }
        if (flights.length === 0 && landing === undefined) break;
        await wake.promise;
      }
      if (broken !== undefined) throw broken.error;
      signal.throwIfAborted();
    },
    waiting: () => unanswered.flatMap(({ questions }) => questions),
    async [Symbol.asyncDispose]() {
      over.abort();
      await Promise.allSettled([...flights.map((flight) => flight.over), landing]);
    },
  };
}

function taskOf({ file }: Lane, tasks: readonly LaneTask[]): LaneTask {
  const task = tasks.find((one) => one.file === file);
  if (task === undefined) throw new RuntimeError(`Cannot continue the task ${file}: it is not there any more`);
  return task;
}

interface Ending {
  readonly lanes: Lanes;
  readonly width: Width;
}

/** Commits what was done in a lane, however its run has ended, and records that. */
async function endLane(
  lane: LaneState,
  { end, lanes, width }: Ending & { readonly end: Pick<LaneEnd, "outcome" | "reason"> },
): Promise<void> {
  const { outcome, reason } = end;
  const { run: { record }, signal } = lanes;
  const workspace = findWorkspace(lane.workspace);
  const kept = workspace === undefined
    ? { problem: `the workspace ${lane.workspace} is gone` }
    : await keepResult(workspace, { signal }).catch((error) => ({ problem: errorText(error) }));
  signal.throwIfAborted();
  if (outcome === "waiting") return record({ type: "lane_ended", ...aboutLane(lane), outcome, reason });
  if (outcome === "fail") return failLane(lane, { reason, lanes, width });
  if ("problem" in kept) {
    return failLane(lane, { reason: `what was done cannot be taken: ${kept.problem}`, lanes, width });
  }
  record({ type: "lane_ended", ...aboutLane(lane), outcome, reason, commit: kept.commit });
}

/** The task has failed with it, unless another attempt of it may pass. */
function failLane(
  lane: LaneState,
  { reason, lanes: { run }, width: { attempts } }: Ending & { readonly reason: string },
): void {
  run.record({ type: "lane_ended", ...aboutLane(lane), outcome: "fail", reason });
  if (!isLost(run.state(), lane.file, attempts)) return;
  const { file, number: task } = lane;
  const why = attempts === 1 ? reason : `none of its ${attempts} attempts is landed; the last one: ${reason}`;
  run.record({ type: "task_finished", task, file, outcome: "fail", reason: why });
}
