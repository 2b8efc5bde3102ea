import { HumanInterventionRequiredError, RuntimeError } from "../base/errors.ts";
import { lstatOrUndefined } from "../base/ports/files.ts";
import { errorText } from "../base/text/error_text.ts";
import { present } from "../base/schema.ts";
import { isSameLane, isSameWork, type Lane, laneName, workName } from "../journal/exec/lane.ts";
import type { LaneState } from "../journal/exec/state.ts";
import { landedIn } from "../workspace/target.ts";
import { findWorkspace } from "../workspace/workspace.ts";
import type { Attempts } from "./attempts.ts";
import { beginLane } from "./begin_lane.ts";
import { choose } from "./choose.ts";
import type { LaneEnd, Lanes } from "./context.ts";
import { endLane, failLane, recordChosen, STOPPED, tellLanded } from "./end_lane.ts";
import { smallest, whyNoJudge } from "./judge.ts";
import { landTasks, type Left } from "./land_tasks.ts";
import { playLane } from "./lane_run.ts";
import type { LaneTask } from "./lane_tasks.ts";
import { dueLanes, type LaneAction, type Width, workOf } from "./schedule.ts";

interface Flight {
  readonly lane: Lane;
  readonly over: Promise<void>;
  /** What it does can be landed no more. */
  readonly stop: () => void;
}

/** What waits for a person when nothing else is left to do. */
export interface Unanswered extends Pick<LaneEnd, "questions"> {
  readonly lane: Lane;
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
  #unanswered: readonly Unanswered[] = [];
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
          if (this.#broken === undefined) await this.#carryOut(action).catch((error) => this.#leave(error));
        }
      }
      if (this.#flights.length === 0 && this.#landing === undefined) break;
      await this.#wake.promise;
    }
    if (this.#broken !== undefined) throw this.#broken.error;
    signal.throwIfAborted();
  }

  /** What the runs of lanes wait for at their ends. */
  waiting(): readonly Unanswered[] {
    const { lanes = [], questions } = this.#lanes.run.state();
    const isWaiting = ({ lane }: Unanswered) =>
      lanes.some((one) => isSameLane(one, lane) && one.stage === "waiting") ||
      questions.some(({ open, task, step }) => open && task === lane.file && step === workName(lane));
    return this.#unanswered.filter(isWaiting);
  }

  /** What only a person can change keeps others from being begun, not from coming to their ends. */
  #leave(error: unknown): void {
    if (!(error instanceof HumanInterventionRequiredError)) throw error;
    this.#broken ??= { error };
  }

  async #carryOut(action: LaneAction): Promise<void> {
    const { signal, target, tasks } = this.#lanes;
    switch (action.do) {
      case "begin": {
        const { lane, led, purpose, task } = action;
        const base = led === undefined ? await landedIn(target, { signal }) : led.commit ?? led.base;
        const begun = { ...lane, purpose, base, ...present({ lead: runOf(led) }) };
        return this.#fly(await beginLane(begun, { task, lanes: this.#lanes }), task);
      }
      case "continue": {
        const task = taskOf(action.lane, tasks);
        if (isThere(action.lane)) return this.#fly(action.lane, task);
        const { attempt, base, file, lead, part, problem, purpose, workspace } = action.lane;
        const message = `the workspace ${workspace} is gone: ${laneName(action.lane)} is begun anew`;
        this.#lanes.run.record({ type: "warning", message });
        const anew = { file, purpose, base, ...present({ part, attempt, problem, lead }) };
        return this.#fly(await beginLane(anew, { task, lanes: this.#lanes }), task);
      }
      case "choose":
        return this.#width.choose === "judge"
          ? this.#follow(workOf(action.lanes[0]), { work: this.#judge(action.lanes) })
          : this.#askWhich(action.lanes);
      case "land":
        this.#landing = this.#watched(this.#land(action.tasks), () => this.#landing = undefined);
    }
  }

  async #judge(passed: Attempts): Promise<void> {
    const { signal, target, tasks } = this.#lanes;
    const [first] = passed;
    const why = await whyNoJudge(passed, this.#lanes);
    if (why !== undefined) return recordChosen(await smallest(passed, { lanes: this.#lanes, why }), this.#lanes);
    const task = taskOf(first, tasks);
    const begun = { ...workOf(first), purpose: "judge", base: await landedIn(target, { signal }) } as const;
    this.#fly(await beginLane(begun, { task, lanes: this.#lanes }), task);
  }

  /** Nobody's place is taken while a person chooses. */
  #askWhich(passed: Attempts): void {
    const lane = workOf(passed[0]);
    this.#asking = [...this.#asking, lane];
    const ending = { lanes: this.#lanes, width: this.#width };
    const work = choose(passed, this.#lanes).then((choice) => {
      if (choice === undefined) {
        const questions = openChoice(lane, this.#lanes);
        this.#unanswered = [...this.#unanswered, { lane, questions }];
      } else if ("none" in choice) {
        for (const one of passed) failLane(one, { ...ending, reason: choice.none });
      } else {
        recordChosen({ lane: choice.lane, by: "person", detail: "by a person", said: "" }, this.#lanes);
      }
    });
    this.#follow(lane, { work });
  }

  #fly(lane: LaneState, task: LaneTask): void {
    const ending = { lanes: this.#lanes, width: this.#width };
    const stop = new AbortController();
    const signal = AbortSignal.any([this.#lanes.signal, stop.signal]);
    const work = playLane(lane, task, { ...this.#lanes, signal }).then(
      (end) => {
        if (end.outcome === "waiting") this.#unanswered = [...this.#unanswered, { lane, questions: end.questions }];
        return endLane(lane, { ...ending, end });
      },
      (error) => {
        // Others would meet it as well, and only a person can change it.
        if (this.#lanes.signal.aborted) throw error;
        if (stop.signal.aborted) return endLane(lane, { ...ending, end: STOPPED });
        if (error instanceof HumanInterventionRequiredError) throw error;
        return endLane(lane, { ...ending, end: { outcome: "fail", reason: errorText(error) } });
      },
    );
    this.#follow(lane, { work, stop: () => stop.abort() });
  }

  #follow(lane: Lane, { stop = () => {}, work }: Partial<Flight> & { readonly work: Promise<void> }): void {
    const over = this.#watched(work, () => {
      this.#flights = this.#flights.filter((flight) => flight.over !== over);
      this.#asking = without(this.#asking, lane);
    });
    this.#flights = [...this.#flights, { lane, over, stop }];
  }

  async #land(tasks: readonly Attempts[]): Promise<void> {
    for (const { passed, left } of await landTasks(tasks, this.#lanes)) {
      const [first] = passed;
      if (left !== undefined) await this.#mend(left);
      else for (const { lane, stop } of this.#flights) if (isSameWork(lane, first)) stop();
    }
    tellLanded(this.#lanes);
  }

  /** Has an agent bring together what was not landed, once. */
  async #mend(left: Left): Promise<void> {
    const { tasks } = this.#lanes;
    const { file, part } = left.lane;
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

function runOf(led: LaneState | undefined) {
  return led?.run === undefined ? undefined : { run: led.run, workdir: led.workdir };
}

/** The command that answers which attempt is to be landed. */
function openChoice(lane: Lane, { run }: Lanes): LaneEnd["questions"] {
  const open = run.state().questions.filter(({ open, step, task }) =>
    open && task === lane.file && step === workName(lane)
  );
  return open.map(({ id, text }) => (
    { id, text, answerCommand: `${run.commandLine("answer", "--question", id)} "YOUR ANSWER"` }
  ));
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
