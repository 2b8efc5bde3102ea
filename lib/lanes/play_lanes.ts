import { HumanInterventionRequiredError } from "../base/errors.ts";
import { errorText } from "../base/text/error_text.ts";
import type { ExecOptions } from "../jobs/pipeline/execute.ts";
import { folderResult } from "../jobs/pipeline/drive_tasks.ts";
import type { ExecPlan } from "../jobs/pipeline/plan.ts";
import type { ExecFact } from "../journal/exec/facts.ts";
import { plainName } from "../journal/exec/place.ts";
import { type ExecState, headOf, type LaneState } from "../journal/exec/state.ts";
import { plural } from "../journal/words/words.ts";
import type { Run, RunResult } from "../run/execution.ts";
import { RuntimeError } from "../base/errors.ts";
import { openWorkspace } from "../workspace/open_workspace.ts";
import { keepResult } from "../workspace/result.ts";
import { freeTarget, holdTarget, landedIn } from "../workspace/target.ts";
import { findWorkspace, type Workspace } from "../workspace/workspace.ts";
import type { Lanes } from "./context.ts";
import { type LaneEnd, playLane } from "./lane_run.ts";
import { type LaneTask, readLaneTasks } from "./lane_tasks.ts";
import { mergeLane, type Unmerged } from "./merge_lane.ts";
import { dueLanes, type LaneAction } from "./schedule.ts";

interface LanesOptions {
  readonly options: ExecOptions;
  /** The plan for another folder: that of a workspace. */
  readonly planIn: (workdir: string) => Promise<ExecPlan>;
}

/** Plays the tasks of a folder side by side, and lands what passes, one after another. */
export async function playLanes(
  run: Run<ExecFact, ExecState>,
  { options: { plan, ...options }, planIn }: LanesOptions,
): Promise<RunResult> {
  const { target: folder, overrides } = headOf(run.state());
  const tasks = await readLaneTasks(folder, { plan, overrides });
  const target = await targetOf(run, { parallel: overrides.parallel ?? 1, plan });
  using _held = await holdTarget(target);
  await freeTarget(target);
  const over = new AbortController();
  await using fan = openFan({
    ...{ run, plan, planIn, tasks, target },
    options: withoutRun(options),
    signal: AbortSignal.any([run.signal, over.signal]),
    over,
  });
  await fan.play({ parallel: overrides.parallel ?? 1, keepGoing: overrides.keepGoing === true });
  return endOf(run, { tasks, waiting: fan.waiting() });
}

/** A lane's run is told nothing that is meant for the run of all of them. */
function withoutRun(options: Omit<ExecOptions, "plan">): Lanes["options"] {
  const { configFile: _c, onEvent: _o, passedTasksFile: _p, raise: _r, request: _q, ...rest } = options;
  return rest;
}

async function targetOf(
  run: Run<ExecFact, ExecState>,
  { parallel, plan: { workdir } }: { readonly parallel: number; readonly plan: ExecPlan },
): Promise<Workspace> {
  const state = run.state();
  if (state.target !== undefined) {
    const target = findWorkspace(state.target);
    if (target !== undefined) return target;
    throw new RuntimeError(`Cannot continue run ${run.folder.id}: the workspace ${state.target} is gone`, {
      hint: `What was landed is in refs/panewright/${state.target}. Start the tasks that are left anew.`,
    });
  }
  const task = plainName(headOf(state).target.path);
  const target = await openWorkspace(workdir, { task, now: run.wallClock(), signal: run.signal, isTarget: true });
  run.record({ type: "lanes_opened", target: target.name, base: target.base, parallel });
  return target;
}

interface Fan extends AsyncDisposable {
  play(how: { readonly parallel: number; readonly keepGoing: boolean }): Promise<void>;
  /** What the runs of lanes wait for at their ends. */
  waiting(): readonly LaneEnd["questions"][number][];
}

/** All that is under way at a time. */
function openFan({ over, ...common }: Omit<Lanes, "onAsking"> & { readonly over: AbortController }): Fan {
  const { run, signal, target, tasks } = common;
  const running = new Map<string, Promise<void>>();
  const asking = new Set<string>();
  const unanswered = new Map<string, LaneEnd["questions"]>();
  let merging: Promise<void> | undefined;
  let broken: { readonly error: unknown } | undefined;
  let wake = Promise.withResolvers<void>();
  const lanes: Lanes = {
    ...common,
    onAsking(file, isAsking) {
      if (isAsking) asking.add(file);
      else asking.delete(file);
      wake.resolve();
    },
  };
  const taskOf = (file: string) => {
    const task = tasks.find((one) => one.file === file);
    if (task === undefined) throw new RuntimeError(`Cannot continue the task ${file}: it is not there any more`);
    return task;
  };
  const fly = (lane: LaneState, task: LaneTask) => {
    const flight = endLane(lane, task).catch((error) => {
      broken ??= { error };
      over.abort(error);
    }).finally(() => {
      running.delete(lane.file);
      asking.delete(lane.file);
      wake.resolve();
    });
    running.set(lane.file, flight);
  };

  async function endLane(lane: LaneState, task: LaneTask): Promise<void> {
    const about = { task: lane.number, file: lane.file };
    const end = await playLane(lane, task, lanes).catch((error) => {
      // Others would meet it as well, and only a person can change it.
      if (signal.aborted || error instanceof HumanInterventionRequiredError) throw error;
      return { outcome: "fail", reason: errorText(error), questions: [] } as const;
    });
    if (end.outcome === "waiting") unanswered.set(lane.file, end.questions);
    const workspace = findWorkspace(lane.workspace);
    const kept = workspace === undefined
      ? { problem: `the workspace ${lane.workspace} is gone` }
      : await keepResult(workspace, { signal }).catch((error) => ({ problem: errorText(error) }));
    signal.throwIfAborted();
    if (end.outcome !== "pass") return failLane(about, end);
    if ("problem" in kept) {
      return failLane(about, { outcome: "fail", reason: `what was done cannot be taken: ${kept.problem}` });
    }
    run.record({ type: "lane_ended", ...about, outcome: "pass", reason: end.reason, commit: kept.commit });
  }

  function failLane(
    about: { readonly task: number; readonly file: string },
    end: Pick<LaneEnd, "outcome" | "reason">,
  ): void {
    const { outcome, reason } = end;
    run.record({ type: "lane_ended", ...about, outcome, reason });
    if (outcome === "fail") run.record({ type: "task_finished", ...about, outcome, reason });
  }

  async function begin(task: LaneTask, begun: Pick<LaneState, "purpose" | "base"> & Partial<LaneState>): Promise<void> {
    const { file, number } = task;
    const of = begun.purpose === "merge" ? `${plainName(file)} merge` : plainName(file);
    const { name, workdir } = await openWorkspace(target.origin, {
      ...{ task: of, at: begun.base, now: run.wallClock(), signal },
      partOf: { target: target.name, as: "lane" },
    });
    const lane = { ...begun, number, file, workspace: name, workdir, stage: "working" } as const;
    const { number: _, stage: _s, ...fields } = lane;
    run.record({ type: "lane_started", task: number, of: tasks.length, ...fields });
    fly(lane, task);
  }

  async function merge(lane: LaneState): Promise<void> {
    const unmerged = await mergeLane(lane, lanes);
    const about = { task: lane.number, file: lane.file };
    if (unmerged === undefined) return run.record({ type: "task_finished", ...about, outcome: "pass" });
    if (lane.purpose === "task") return await mend(lane, unmerged);
    failLane(about, {
      outcome: "fail",
      reason: `it is not merged: ${unmerged.reason}; refs/panewright/${lane.workspace} has it`,
    });
  }

  async function mend({ file }: LaneState, { at, problem }: Unmerged): Promise<void> {
    await begin(taskOf(file), { purpose: "merge", base: at, problem });
  }

  async function carryOut(action: LaneAction): Promise<void> {
    switch (action.do) {
      case "begin":
        return await begin(action.task, { purpose: "task", base: await landedIn(target, { signal }) });
      case "continue":
        return fly(action.lane, taskOf(action.lane.file));
      case "merge":
        merging = merge(action.lane).catch((error) => {
          broken ??= { error };
          over.abort(error);
        }).finally(() => {
          merging = undefined;
          wake.resolve();
        });
    }
  }

  return {
    async play(how) {
      for (;;) {
        wake = Promise.withResolvers();
        const underWay = {
          ...{ running: new Set(running.keys()), asking, unanswered: new Set(unanswered.keys()) },
          isMerging: merging !== undefined,
        };
        if (broken === undefined && !signal.aborted) {
          for (const action of dueLanes(run.state(), { ...how, tasks, underWay })) await carryOut(action);
        }
        if (running.size === 0 && merging === undefined) break;
        await wake.promise;
      }
      if (broken !== undefined) throw broken.error;
      signal.throwIfAborted();
    },
    waiting: () => [...unanswered.values()].flat(),
    async [Symbol.asyncDispose]() {
      over.abort();
      await Promise.allSettled([...running.values(), merging]);
    },
  };
}

function endOf(
  run: Run<ExecFact, ExecState>,
  { tasks, waiting }: { readonly tasks: readonly LaneTask[]; readonly waiting: LaneEnd["questions"] },
): RunResult {
  const state = run.state();
  const { failed, lanes = [], passed } = state;
  const begun = new Set([...passed, ...failed, ...lanes.map(({ file }) => file)]);
  const left = tasks.map(({ file }) => file).filter((file) => !begun.has(file));
  if (left.length > 0) run.record({ type: "tasks_left", files: left, passable: true });
  const waits = lanes.filter(({ stage }) => stage === "waiting").map(({ file }) => plainName(file));
  if (waits.length === 0) return folderResult(state);
  for (const { id: question, text, answerCommand } of waiting) {
    const resumeCommand = run.commandLine("resume");
    run.record({ type: "question_waiting", question, text, answerCommand, resumeCommand });
  }
  const also = failed.length === 0 ? "" : `; ${plural(failed.length, "task")} failed`;
  const verb = waits.length === 1 ? "waits for an answer" : "wait for answers";
  return { outcome: "waiting", reason: `${waits.join(", ")} ${verb}${also}` };
}
