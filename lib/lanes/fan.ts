import { HumanInterventionRequiredError, RuntimeError } from "../base/errors.ts";
import { lstatOrUndefined } from "../base/ports/files.ts";
import { errorText } from "../base/text/error_text.ts";
import { present } from "../base/schema.ts";
import { isSameLane, isSameWork, type Lane, laneName } from "../journal/exec/lane.ts";
import type { LaneState } from "../journal/exec/state.ts";
import { keepResult } from "../workspace/result.ts";
import { landedIn } from "../workspace/target.ts";
import { findWorkspace } from "../workspace/workspace.ts";
import { beginLane } from "./begin_lane.ts";
import type { Lanes } from "./context.ts";
import { landTask } from "./land_task.ts";
import { aboutLane, type LaneEnd, playLane } from "./lane_run.ts";
import type { LaneTask } from "./lane_tasks.ts";
import { dueLanes, isLanded, isLost, type LaneAction, type Width } from "./schedule.ts";

interface Flight {
  readonly lane: Lane;
  readonly over: Promise<void>;
}

interface FanOptions extends Omit<Lanes, "onAsking"> {
  readonly width: Width;
  /** Stops all of it. */
  readonly over: AbortController;
}

/** All that is under way at a time. Disposal ends it. */
export class Fan implements AsyncDisposable {
  readonly #lanes: Lanes;
  readonly #width: Width;
  readonly #over: AbortController;
  #flights: readonly Flight[] = [];
  #asking: readonly Lane[] = [];
  #unanswered: readonly { readonly lane: Lane; readonly questions: LaneEnd["questions"] }[] = [];
  #landing: Promise<void> | undefined;
  #broken: { readonly error: unknown } | undefined;
  #wake = Promise.withResolvers<void>();

  constructor({ over, width, ...lanes }: FanOptions) {
    this.#over = over;
    this.#width = width;
    this.#lanes = {
      ...lanes,
      onAsking: (lane, isAsking) => {
        this.#asking = isAsking ? [...this.#asking, lane] : without(this.#asking, lane);
        this.#wake.resolve();
      },
    };
  }

  /** Plays until nothing is left to do without a person. */
  async play(): Promise<void> {
    const { run, signal, tasks } = this.#lanes;
    // An earlier process may not have come to tell it.
    tellLanded(this.#lanes);
    for (;;) {
      this.#wake = Promise.withResolvers();
      if (this.#broken === undefined && !signal.aborted) {
        const underWay = {
          ...{ running: this.#flights.map(({ lane }) => lane), asking: this.#asking },
          ...{ unanswered: this.#unanswered.map(({ lane }) => lane), isMerging: this.#landing !== undefined },
        };
        for (const action of dueLanes(run.state(), { tasks, underWay, width: this.#width })) {
          await this.#carryOut(action);
        }
      }
      if (this.#flights.length === 0 && this.#landing === undefined) break;
      await this.#wake.promise;
    }
    if (this.#broken !== undefined) throw this.#broken.error;
    signal.throwIfAborted();
  }

  /** What the runs of lanes wait for at their ends. */
  waiting(): LaneEnd["questions"] {
    const waiting = this.#lanes.run.state().lanes?.filter(({ stage }) => stage === "waiting") ?? [];
    const left = this.#unanswered.filter(({ lane }) => waiting.some((one) => isSameLane(one, lane)));
    return left.flatMap(({ questions }) => questions);
  }

  async #carryOut(action: LaneAction): Promise<void> {
    const { signal, target, tasks } = this.#lanes;
    switch (action.do) {
      case "begin": {
        const begun = { ...action.lane, purpose: "task", base: await landedIn(target, { signal }) } as const;
        return this.#fly(await beginLane(begun, { task: action.task, lanes: this.#lanes }), action.task);
      }
      case "continue": {
        const task = taskOf(action.lane, tasks);
        if (isThere(action.lane)) return this.#fly(action.lane, task);
        const { attempt, base, file, part, problem, purpose, workspace } = action.lane;
        const message = `the workspace ${workspace} is gone: ${laneName(action.lane)} is begun anew`;
        this.#lanes.run.record({ type: "warning", message });
        const anew = { file, purpose, base, ...present({ part, attempt, problem }) };
        return this.#fly(await beginLane(anew, { task, lanes: this.#lanes }), task);
      }
      case "land":
        this.#landing = this.#watched(this.#land(action.lanes), () => this.#landing = undefined);
    }
  }

  #fly(lane: LaneState, task: LaneTask): void {
    const ending = { lanes: this.#lanes, width: this.#width };
    const work = playLane(lane, task, this.#lanes).then(
      (end) => {
        if (end.outcome === "waiting") this.#unanswered = [...this.#unanswered, { lane, questions: end.questions }];
        return endLane(lane, { ...ending, end });
      },
      (error) => {
        // Others would meet it as well, and only a person can change it.
        if (this.#lanes.signal.aborted || error instanceof HumanInterventionRequiredError) throw error;
        return endLane(lane, { ...ending, end: { outcome: "fail", reason: errorText(error) } });
      },
    );
    const over = this.#watched(work, () => {
      this.#flights = this.#flights.filter((flight) => flight.over !== over);
      this.#asking = without(this.#asking, lane);
    });
    this.#flights = [...this.#flights, { lane, over }];
  }

  async #land(passed: readonly LaneState[]): Promise<void> {
    const { tasks } = this.#lanes;
    const left = await landTask(passed, this.#lanes);
    const [{ file, part } = { file: "" }] = passed;
    if (left === undefined) return tellLanded(this.#lanes);
    const { lane: { attempt, ...lane }, unmerged: { at: base, problem, reason } } = left;
    if (problem === undefined || lane.purpose === "merge") {
      const told = problem === undefined
        ? reason
        : `it is not merged: ${reason}; refs/panewright/${lane.workspace} has it`;
      return failLane(left.lane, { reason: told, lanes: this.#lanes, width: this.#width });
    }
    const task = taskOf(lane, tasks);
    const begun = { file, ...present({ part, attempt }), purpose: "merge", base, problem } as const;
    this.#fly(await beginLane(begun, { task, lanes: this.#lanes }), task);
  }

  /** What one of them throws ends all. */
  async #watched(work: Promise<void>, after: () => void): Promise<void> {
    try {
      await work;
    } catch (error) {
      this.#broken ??= { error };
      this.#over.abort(error);
    } finally {
      after();
      this.#wake.resolve();
    }
  }

  async [Symbol.asyncDispose](): Promise<void> {
    this.#over.abort();
    await Promise.allSettled([...this.#flights.map(({ over }) => over), this.#landing]);
  }
}

function without(lanes: readonly Lane[], lane: Lane): readonly Lane[] {
  return lanes.filter((one) => !isSameLane(one, lane));
}

/** Whether the workspace of a lane is there still: a person may have removed it. */
function isThere({ workdir, workspace }: LaneState): boolean {
  return findWorkspace(workspace) !== undefined && lstatOrUndefined(workdir)?.isDirectory === true;
}

function taskOf(lane: Lane, tasks: readonly LaneTask[]): LaneTask {
  const task = tasks.find((one) => isSameWork(one, lane));
  if (task === undefined) {
    throw new RuntimeError(`Cannot continue the task ${laneName(lane)}: it is not there any more`);
  }
  return task;
}

/** Tells which tasks have passed: those of which all is in the target. */
function tellLanded({ run, tasks }: Lanes): void {
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
  { reason, lanes: { run, tasks }, width: { attempts } }: Ending & { readonly reason: string },
): void {
  run.record({ type: "lane_ended", ...aboutLane(lane), outcome: "fail", reason });
  const { file, part } = lane;
  if (!isLost(run.state(), lane, attempts) || run.state().failed.includes(file)) return;
  const of = part === undefined ? "" : `step "${part}": `;
  const why = attempts === 1 ? reason : `none of its ${attempts} attempts is landed; the last one: ${reason}`;
  run.record({ type: "task_finished", task: numberOf(file, tasks), file, outcome: "fail", reason: of + why });
}
