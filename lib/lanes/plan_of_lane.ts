import { type StepOutput, stepWorker } from "../journal/exec/state.ts";
import type { ExecPlan, StepPlan } from "../jobs/pipeline/plan.ts";
import { type LaneTask, stepsOfWork } from "./lane_tasks.ts";
import { type Caps, nameOf } from "../run/caps.ts";
import type { Run } from "../run/execution.ts";

interface LanePlanning {
  /** Counts from 1. */
  readonly attempt: number;
  /** What was raised for the run of all lanes is raised for the steps of each. */
  readonly limitOf: Run<never, never>["limitOf"];
  readonly task: LaneTask;
  readonly earlier: readonly StepOutput[];
}

/** The plan of one lane: the agents of its attempt, and its steps' caps. Those of the run hold for all lanes together. */
export function planOfLane(plan: ExecPlan, { attempt, earlier, limitOf, task }: LanePlanning): ExecPlan {
  const capped = (step: StepPlan, pipeline: string): StepPlan => {
    if (step.caps === undefined) return step;
    const worker = stepWorker(pipeline, step.name);
    const caps = Object.entries(step.caps).map((
      [cap, limit],
    ) => [cap, limitOf(nameOf(cap as keyof Caps, worker)) ?? limit]);
    return { ...step, caps: Object.fromEntries(caps) };
  };
  const pipelines = Object.entries(plan.pipelines).map(([name, steps]) =>
    [name, steps.map((step) => capped(ofAttempt(step, attempt), name))] as const
  );
  const all = { ...plan, caps: {}, earlier, pipelines: Object.fromEntries(pipelines) };
  return { ...all, pipelines: { ...all.pipelines, [task.pipeline]: stepsOfWork(task, all) } };
}

function ofAttempt({ attempts = [], ...step }: StepPlan, attempt: number): StepPlan {
  const agent = attempts[(attempt - 1) % attempts.length];
  if (agent === undefined) return step;
  const { provider: _p, login: _l, driver: _d, command: _c, args: _a, env: _e, model: _m, fallbacks: _f, ...rest } =
    step;
  return { ...rest, ...agent };
}
