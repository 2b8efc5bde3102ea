import { executeExec, resumeExec } from "../jobs/pipeline/execute.ts";
import { JOBS } from "../jobs/mod.ts";
import type { ExecPlan } from "../jobs/pipeline/plan.ts";
import { checksOf } from "../jobs/pipeline/checks.ts";
import { planOfLane } from "./plan_of_lane.ts";
import { present } from "../base/schema.ts";
import type { ExecEvent } from "../journal/exec/facts.ts";
import { headOf, type LaneState } from "../journal/exec/state.ts";
import { allAsked } from "../journal/exec/question.ts";
import { readOverview } from "../run/overview.ts";
import { runFolderAt } from "../run/run_folder.ts";
import { aboutLane, answerCommand } from "./about_lane.ts";
import type { LaneEnd, Lanes } from "./context.ts";
import { type LaneTask, stepsOfWork } from "./lane_tasks.ts";
import { outputsFor } from "./outputs.ts";
import { isLanded, passedAs } from "./schedule.ts";
import { judgePlan, judgeText } from "./judge.ts";
import { playLoopIn } from "./loop_run.ts";
import { mergeText } from "./merge_task.ts";

/** Plays the run of a lane to its end, or takes it up where an earlier process has left it. */
export async function playLane(lane: LaneState, task: LaneTask, lanes: Lanes): Promise<LaneEnd> {
  // What else there is of runs in the folder, an agent may have put there.
  const { run: begun, workdir } = lane;
  const folder = begun === undefined ? undefined : runFolderAt(workdir, begun);
  const { progress } = folder === undefined
    ? {}
    : await readOverview(folder, JOBS, { brief: lanes.loopIn === undefined });
  // Somebody may have resumed it by itself.
  if (progress?.finished?.outcome === "pass") {
    return { outcome: "pass", reason: progress.finished.reason, questions: [] };
  }
  const { loopIn } = lanes;
  const isBegun = folder !== undefined && progress !== undefined;
  if (loopIn !== undefined && (lane.purpose === "task" || lane.purpose === "lead")) {
    return await playLoopIn(lane, task, {
      begun: isBegun ? { folder, progress } : undefined,
      lanes: { ...lanes, loopIn },
    });
  }
  const { configFile, overrides: given, target } = headOf(lanes.run.state());
  // What holds for the run of all lanes is not for each.
  const { only: _o, keepGoing: _k, force: _f, parallel: _p, attempts: _a, choose: _c, roles: _r, ...overrides } = given;
  const plan = planOfLane(await lanes.planIn(workdir), {
    ...{ attempt: lane.attempt ?? 1, limitOf: lanes.run.limitOf, task },
    earlier: await outputsFor(task, lanes),
  });
  const options = {
    ...lanes.options,
    ...{ plan: await planFor(lane, { lanes, plan, task }), signal: lanes.signal },
    whereArguments: ["--wd", workdir],
    resumedBy: (...words: readonly string[]) => lanes.run.commandLine("resume", ...words),
    onEvent: tellOf(lane, lanes),
  };
  const { pipeline: _own, ...ofOthers } = overrides;
  const { purpose: name } = lane;
  const report = isBegun ? await resumeExec(folder, options) : await executeExec({
    configFile,
    ...(name === "task" || name === "lead"
      ? { target: { kind: "task", path: task.file, ...present({ text: target.text }) }, overrides }
      : {
        target: { kind: "task", path: `${workdir}/${name}`, text: TEXTS[name](lane, task, lanes) },
        overrides: ofOthers,
      }),
  }, options);
  const { outcome, reason, state, folder: { id } } = report;
  const questions = state.questions.filter(({ open }) => open).map(({ id: question, text, call }) => ({
    ...{
      id: `${id} ${question}`,
      text,
      answerCommand: answerCommand(id, { question, workdir, isPermission: call !== undefined }),
    },
  }));
  return { outcome, reason, questions };
}

const TEXTS = { merge: textOfMerge, judge: (_lane: LaneState, { text }: LaneTask) => judgeText(text) } as const;

async function planFor(
  lane: LaneState,
  { lanes, plan, task }: { readonly lanes: Lanes; readonly plan: ExecPlan; readonly task: LaneTask },
): Promise<ExecPlan> {
  switch (lane.purpose) {
    case "task":
    case "lead":
      return plan;
    case "merge":
      return mergePlan(plan, task);
    case "judge": {
      // Its agents are those of the attempts.
      const whole = await lanes.planIn(lane.workdir);
      const agentOf = (attempt: number) =>
        stepsOfWork(task, planOfLane(whole, { attempt, limitOf: lanes.run.limitOf, task, earlier: [] }))[0];
      const passed = passedAs(lane, lanes.run.state().lanes);
      return passed === undefined ? plan : await judgePlan(plan, { agentOf, lanes, passed });
    }
  }
}

/** One bounded turn: the first step's agent, once, with the checks of the task's pipeline. */
function mergePlan(plan: ExecPlan, task: LaneTask): ExecPlan {
  const steps = stepsOfWork(task, plan);
  const [first] = steps;
  const merge = first === undefined ? [] : [{
    ...first,
    ...{ name: "merge", prompt: { kind: "self" } as const, checks: checksOf(steps), retry: 0, next: {} },
  }];
  return { ...plan, pipelines: { merge }, defaultPipeline: "merge" };
}

function textOfMerge(
  { problem = { conflicts: [], output: "" } }: LaneState,
  task: LaneTask,
  { run, tasks }: Lanes,
): string {
  const { lanes = [] } = run.state();
  const landed = tasks.filter((one) => isLanded(one, lanes)).map(({ text }) => text);
  return mergeText({ problem, task: task.text, landed });
}

/** Tells in the run of all what happens in the one of a lane. */
function tellOf(lane: LaneState, { onAsking, run: { record } }: Lanes) {
  let run = "";
  let step = { name: "", provider: "" };
  const about = aboutLane(lane);
  return (event: ExecEvent): void => {
    switch (event.type) {
      case "run_started":
        run = event.runId;
        return record({ type: "lane_run_begun", ...about, run, passable: true });
      case "run_resumed":
        run = event.runId;
        return;
      case "step_started":
        step = event;
        return;
      case "attempt_started": {
        const { name, provider } = step;
        return record({ type: "lane_turn_started", ...about, run, step: name, stepAttempt: event.attempt, provider });
      }
      case "tokens_counted":
        return record({ type: "lane_counted", ...about, usage: event.usage, passable: true });
      case "attempt_finished": {
        const { outcome, seconds, usage } = event;
        return record({ type: "lane_turn_ended", ...about, outcome, seconds, usage });
      }
      case "question_asked": {
        const { seconds, usage, call } = event;
        record({ type: "lane_turn_ended", ...about, outcome: "asked", seconds, usage });
        onAsking(lane, true);
        for (const { question, text } of allAsked(event)) {
          const answer = answerCommand(run, { question, workdir: lane.workdir, isPermission: call !== undefined });
          record({ type: "lane_asked", ...about, run, text, answerCommand: answer });
        }
        return;
      }
      case "question_answered":
        return onAsking(lane, false);
    }
  };
}
