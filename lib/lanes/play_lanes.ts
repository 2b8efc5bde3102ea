import { RuntimeError } from "../base/errors.ts";
import { folderResult } from "../jobs/pipeline/drive_tasks.ts";
import type { ExecOptions } from "../jobs/pipeline/execute.ts";
import { openBaseTrial } from "../jobs/evidence/base_trial.ts";
import { createJudge, withEvidence } from "../jobs/evidence/gather.ts";
import { checksOfAll } from "../jobs/pipeline/checks.ts";
import type { ExecPlan } from "../jobs/pipeline/plan.ts";
import { attemptsIn } from "../jobs/review_loop/plan.ts";
import type { ExecFact } from "../journal/exec/facts.ts";
import { laneName } from "../journal/exec/lane.ts";
import { plainName } from "../journal/exec/place.ts";
import { type ExecState, headOf } from "../journal/exec/state.ts";
import { plural } from "../journal/words/words.ts";
import type { Run, RunResult } from "../run/execution.ts";
import { openWorkspace } from "../workspace/open_workspace.ts";
import { freeTarget, holdTarget } from "../workspace/target.ts";
import { findWorkspace, type Workspace } from "../workspace/workspace.ts";
import type { Lanes } from "./context.ts";
import { Fan, type Unanswered } from "./fan.ts";
import { type LaneTask, readLaneTasks } from "./lane_tasks.ts";

interface LanesOptions extends Pick<Lanes, "loopIn"> {
  readonly options: ExecOptions;
  /** The plan for another folder: that of a workspace. */
  readonly planIn: (workdir: string) => Promise<ExecPlan>;
}

/** Plays the tasks of a folder side by side, and lands what passes. */
export async function playLanes(
  run: Run<ExecFact, ExecState>,
  { options: given, planIn, ...ways }: LanesOptions,
): Promise<RunResult> {
  // A lane's run is told nothing that is meant for the run of all of them.
  const { configFile: _c, onEvent: _o, passedTasksFile: _p, plan, raise: _r, request: _q, ...options } = given;
  const { target: folder, overrides } = headOf(run.state());
  const tasks = await readLaneTasks(folder, { plan, overrides });
  const { attempts: wished = 1, choose = "smallest", keepGoing = false, parallel = wished } = overrides;
  const { loopIn } = ways;
  const tried = loopIn && attemptsIn((await loopIn(plan.workdir, "the task")).plan);
  const attempts = wished > 1 ? wished : tried?.count ?? 1;
  const target = await targetOf(run, { parallel, plan });
  using _held = await holdTarget(target);
  await freeTarget(target);
  const all = checksOfAll(tasks.map(({ pipeline }) => plan.pipelines[pipeline]));
  const checks = all.filter((check) => check.type === "shell");
  await using early = await openBaseTrial({ run, plan }, target);
  if (plan.sandbox?.whole !== undefined && (run.state().lanes ?? []).length === 0) early.begin(checks);
  const judge = createJudge({ run, plan, early });
  const over = new AbortController();
  await using fan = new Fan({
    ...{ run, plan, planIn, ...ways, tasks, target, over, options },
    signal: AbortSignal.any([run.signal, over.signal]),
    width: { attempts, choose, keepGoing, parallel, hasLead: tried?.isFirst === false },
  });
  try {
    await fan.play();
  } finally {
    tellLeft(run, tasks);
  }
  const result = endOf(run, { waiting: fan.waiting() });
  return await withEvidence(result, () => judge(checks, target));
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

function tellLeft(run: Run<ExecFact, ExecState>, tasks: readonly LaneTask[]): void {
  const { failed, lanes = [], passed } = run.state();
  const begun = new Set([...passed, ...failed, ...lanes.map(({ file }) => file)]);
  const left = tasks.flatMap(({ file }) => begun.has(file) ? [] : file);
  if (left.length > 0) run.record({ type: "tasks_left", files: left, passable: true });
}

function endOf(
  run: Run<ExecFact, ExecState>,
  { waiting }: { readonly waiting: readonly Unanswered[] },
): RunResult {
  const state = run.state();
  const { failed } = state;
  if (waiting.length === 0) return folderResult(state);
  for (const { id: question, text, answerCommand } of waiting.flatMap(({ questions }) => questions)) {
    const resumeCommand = run.commandLine("resume");
    run.record({ type: "question_waiting", question, text, answerCommand, resumeCommand });
  }
  const also = failed.length === 0 ? "" : `; ${plural(failed.length, "task")} failed`;
  const namesOf = (asks: boolean) =>
    waiting.flatMap(({ lane, questions }) => questions.length > 0 === asks ? laneName(lane) : []);
  const waits = [
    ...waitText(namesOf(true), ["waits for an answer", "wait for answers"]),
    ...waitText(namesOf(false), ["waits for a person", "wait for a person"]),
  ];
  return { outcome: "waiting", reason: `${waits.join("; ")}${also}` };
}

function waitText(names: readonly string[], [one, several]: readonly [string, string]): readonly string[] {
  return names.length === 0 ? [] : [`${names.join(", ")} ${names.length === 1 ? one : several}`];
}
