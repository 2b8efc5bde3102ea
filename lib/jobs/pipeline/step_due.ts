import { present } from "../../base/schema.ts";
import { type ExecState, type StepState, workerOf } from "../../journal/exec/state.ts";
import type { Fallbacks } from "../../turn/ladder.ts";
import { agentDue, fallbacksOf, loginOf } from "../fallback.ts";
import type { StepAgent, StepPlan } from "./plan.ts";

interface StepDue {
  /** With the agent that is to play the step. */
  readonly plan: StepPlan;
  /** Its login, where it is not the step's own. */
  readonly login?: string;
  /** Who may take its place. */
  readonly fallbacks: Fallbacks;
}

/** A step with the agent that is to play it: who has begun stays, if it can. */
export function stepDue(
  own: StepPlan,
  { state, step, now }: { readonly state: ExecState; readonly step: StepState; readonly now: Date },
): StepDue {
  const around = { unusable: state.unusable, worker: workerOf(state), now };
  const current = step.login ?? loginOf(own);
  const due = agentDue<StepAgent>(own, { ...around, current: step.attempts === 0 ? undefined : current });
  const fallbacks = fallbacksOf<StepAgent>(own, { ...around, current });
  return due === own ? { plan: own, fallbacks } : { plan: inPlaceOf(own, due), login: loginOf(due), fallbacks };
}

function inPlaceOf(step: StepPlan, { provider, args, env, ...rest }: StepAgent): StepPlan {
  const { login, driver, command, model, sandbox } = rest;
  const { login: _login, driver: _driver, command: _command, model: _model, sandbox: _sandbox, ...own } = step;
  return { ...own, provider, args, env, ...present({ login, driver, command, model, sandbox }) };
}
