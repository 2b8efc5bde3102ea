import type { ExecPlan, StepPlan } from "../jobs/pipeline/plan.ts";

/** A plan for one attempt of a task. @param attempt counts from 1 */
export function planOfAttempt(plan: ExecPlan, attempt: number): ExecPlan {
  const put = ({ attempts = [], ...step }: StepPlan): StepPlan => {
    const agent = attempts[(attempt - 1) % attempts.length];
    if (agent === undefined) return step;
    const { provider: _p, login: _l, driver: _d, command: _c, args: _a, env: _e, model: _m, fallbacks: _f, ...rest } =
      step;
    return { ...rest, ...agent };
  };
  return {
    ...plan,
    pipelines: Object.fromEntries(Object.entries(plan.pipelines).map(([name, steps]) => [name, steps.map(put)])),
  };
}
