import type { AttemptReason, AutonomyLevel } from "../../journal/exec/fields.ts";
import { basename } from "@std/path/posix";
import { ASSUME, type FailureClass } from "../../base/terms.ts";
import { type Fallbacks, planRetry, type Retry } from "../../turn/ladder.ts";
import { followingStep } from "../flow.ts";
import type { CheckPlan, ExecPlan, StepPlan } from "./plan.ts";
import { stepDue } from "./step_due.ts";
import type { ExecSettings } from "./settings.ts";
import {
  type ExecState,
  type FailedCheckKind,
  openQuestion,
  type QuestionState,
  roundsOf,
  type StepState,
  type TaskState,
} from "../../journal/exec/state.ts";
import { present } from "../../base/schema.ts";
import { plural } from "../../journal/words/words.ts";
import { mayRecover, SHARE_IS_USED } from "../../journal/recovery.ts";

export type Action =
  | { readonly do: "choose_task" }
  | { readonly do: "start_step"; readonly at: StepPlace }
  | { readonly do: "pass_over"; readonly at: StepPlace; readonly reason: string; readonly next?: NextStep }
  | { readonly do: "run_attempt"; readonly at: StepPlace; readonly attempt: Attempt }
  | { readonly do: "await_answer"; readonly at: StepPlace; readonly question: QuestionState }
  | {
    readonly do: "answer";
    readonly question: QuestionState;
    readonly answer: string;
    readonly by: "level" | "cap" | "assume";
  }
  | {
    readonly do: "await_limit";
    readonly message: string;
    readonly resetsAt: string | undefined;
    readonly until: Date;
  }
  | {
    readonly do: "recover";
    readonly at: StepPlace;
    readonly failure: FailureClass;
    readonly message: string;
    readonly resetsAt?: string | undefined;
    readonly retry: Retry;
  }
  | { readonly do: "await_login"; readonly at: StepPlace; readonly message: string }
  | { readonly do: "check_writes"; readonly at: StepPlace; readonly allowWrite: readonly string[] }
  | { readonly do: "check"; readonly at: StepPlace; readonly number: number; readonly check: CheckPlan }
  | { readonly do: "finish_step"; readonly at: StepPlace; readonly reason?: string; readonly next?: NextStep }
  | { readonly do: "finish_task"; readonly task: TaskState; readonly reason?: string }
  | { readonly do: "finish_run"; readonly outcome: "pass" | "fail"; readonly reason: string }
  | { readonly do: "nothing" };

export interface StepPlace {
  readonly task: TaskState;
  readonly step: StepState;
  /** With the agent that is to play it. */
  readonly plan: StepPlan;
  /** The login of that agent, where it is not the step's own. */
  readonly login?: string;
  readonly autonomyLevel: AutonomyLevel;
}

interface NextStep {
  readonly step: number;
  readonly name?: string;
  readonly round: number;
}

export interface Attempt {
  readonly number: number;
  readonly reason: AttemptReason;
  readonly resumeSessionId: string | undefined;
  /** Whether that session is told everything once more: it may have lost it. @default {false} */
  readonly restates?: boolean;
  /** @default at once */
  readonly notBefore?: Date;
}

const UNHEARD_QUESTIONS = 3;

export const DECIDE_YOURSELF =
  "Nobody is there to answer. Decide yourself: take the most cautious choice that lets you continue, and say in your last " +
  "message what you decided and why.";

/**
 * What to do next in a state.
 *
 * The plan's pipelines must be those that the state was made with: see {@linkcode planMismatch}.
 */
export function nextAction(
  state: ExecState,
  plan: ExecPlan,
  { now, override }: { readonly now: Date; readonly override?: AutonomyLevel | undefined },
): Action {
  if (state.finished !== undefined) return { do: "nothing" };
  const task = state.current;
  if (task === undefined) return { do: "choose_task" };
  if (task.failed !== undefined) {
    return keepsGoing(state) ? { do: "choose_task" } : { do: "finish_run", outcome: "fail", reason: task.failed };
  }
  const { step } = task;
  const steps = plan.pipelines[task.pipeline] ?? [];
  const own = steps[step.number - 1];
  if (own === undefined) return { do: "finish_task", task };
  const { plan: stepPlan, login, fallbacks } = stepDue(own, { state, step, now });
  const isShareLeft = mayRecover(state, plan.caps);
  const recoveryOf = (failure: Failed) => recoveryIn(step, failure, { plan, now, fallbacks, isShareLeft });
  const { settings } = plan;
  const autonomyLevel = override ?? stepPlan.autonomyLevel ?? task.autonomyLevel ?? settings.autonomyLevel;
  const at: StepPlace = { task, step, plan: stepPlan, autonomyLevel, ...present({ login }) };
  const { stage } = step;
  switch (stage.kind) {
    case "new": {
      const reason = whyNotNeeded(at);
      return reason === undefined ? { do: "start_step", at } : { do: "pass_over", at, reason, ...nextOf(at, steps) };
    }
    case "ready":
      return { do: "run_attempt", at, attempt: dueAttempt(at, stage, { ...settings, adopted: adoptedIn(state, at) }) };
    case "running":
      throw new TypeError("Cannot choose the next action: an attempt is under way");
    case "question":
      return answerAction(state, at, plan);
    case "usage_limit": {
      const { message, resetsAt } = stage;
      const reset = resetsAt === undefined ? undefined : new Date(resetsAt);
      const limit = { class: "usage_limit", ...present({ resetsAt: reset }) } as const;
      const retry = recoveryOf(limit);
      if (retry?.recovery === "fallback") {
        return { do: "recover", at, failure: "usage_limit", message, resetsAt, retry };
      }
      return retry === undefined
        ? { do: "finish_step", at, reason: limitReason(stage) }
        : { do: "await_limit", message, resetsAt, until: retry.at };
    }
    case "auth": {
      const { message } = stage;
      const retry = recoveryOf({ class: "auth" });
      return retry === undefined
        ? { do: "await_login", at, message }
        : { do: "recover", at, failure: "auth", message, retry };
    }
    case "completed":
      return afterTurn(at, stage) ?? endStep(at, { steps, settings });
    case "unchecked":
      return stage.final
        ? { do: "finish_task", task, reason: stepReason(at, state, stage.reason) }
        : { do: "finish_step", at, reason: stage.reason };
    case "failed": {
      if (stage.final) return { do: "finish_task", task, reason: stepReason(at, state, stage.reason) };
      const { failure } = stage;
      const isKnown = failure !== undefined && failure !== "other";
      const mayRepeat = step.failures <= retriesOf(stage.check, stepPlan);
      // What nobody knows of is for the step's own retries first.
      const retry = failure && (isKnown || !mayRepeat) ? recoveryOf({ class: failure }) : undefined;
      if (failure && retry) return { do: "recover", at, failure, message: stage.reason, retry };
      const isShareUsed = isKnown && !isShareLeft;
      if (mayRepeat && !isShareUsed) return { do: "run_attempt", at, attempt: again(state, at) };
      const reason = stage.reason + (isShareUsed ? `; ${SHARE_IS_USED}` : "");
      return endStep(at, { steps, settings, failure: { ...stage, reason } });
    }
  }
}

interface Failed {
  readonly class: FailureClass;
  readonly resetsAt?: Date;
}

function recoveryIn(
  { tried = {} }: StepState,
  failure: Failed,
  { plan: { handoff, settings }, now, fallbacks, isShareLeft }: {
    readonly plan: ExecPlan;
    readonly now: Date;
    readonly fallbacks: Fallbacks;
    readonly isShareLeft: boolean;
  },
): Retry | undefined {
  const { maxErrorRetries = 0, errorRetrySeconds = 30 } = handoff;
  return planRetry({ ...failure, isTurnOver: true }, {
    settings: { ...settings, maxErrorRetries: isShareLeft ? maxErrorRetries : 0, errorRetrySeconds },
    // The step's own retries were that.
    tried: failure.class === "other" ? { ...tried, continue: 1, fresh_session: 1 } : tried,
    ...{ now, mayReplace: true, fallbacks },
  });
}

/** How often an attempt is repeated that failed so. A reviewer is asked at least once for a verdict that is missing. */
function retriesOf(check: FailedCheckKind | undefined, { retry }: StepPlan): number {
  if (check === "revise") return 0;
  return check === "no_verdict" ? Math.max(1, retry) : retry;
}

/** What there was of a task instead of what calls for a step; `undefined` where it is to be done. */
function whyNotNeeded({ plan: { onlyIf }, step: { round }, task: { outputs } }: StepPlace): string | undefined {
  // Who was called for once sees what comes of it.
  if (onlyIf === undefined || round > 1) return undefined;
  const failed = outputs.reduce((sum, { failures = 0 }) => sum + failures, 0);
  const lines = outputs.reduce((sum, { files }) => sum + (files?.lines ?? 0), 0);
  const { failedAttempts = Infinity, changedLines = Infinity } = onlyIf;
  // What cannot be told is no reason to leave it out.
  const isTold = onlyIf.changedLines === undefined || outputs.every(({ files }) => files?.lines !== undefined);
  if (!isTold || failed >= failedAttempts || lines >= changedLines) return undefined;
  return `${plural(failed, "failed attempt")}, ${plural(lines, "changed line")}`;
}

/** Where a step leads that is passed over. */
function nextOf({ plan, step, task }: StepPlace, steps: readonly StepPlan[]): { readonly next?: NextStep } {
  const number = plan.next?.pass === undefined
    ? undefined
    : followingStep(steps, { number: step.number, outcome: "pass" });
  if (number === undefined) return {};
  return { next: { step: number, ...present({ name: steps[number - 1]?.name }), round: roundsOf(task, number) + 1 } };
}

function endStep(
  at: StepPlace,
  { steps, settings: { maxRepeatsPerStep }, failure }: {
    readonly steps: readonly StepPlan[];
    readonly settings: ExecSettings;
    readonly failure?: { readonly reason: string; readonly check?: FailedCheckKind };
  },
): Action {
  const { task, step, plan } = at;
  const outcome = failure === undefined ? "pass" : "fail";
  // Another step can only mend what a check has found: no turn that failed, and no review that says nothing.
  const hasFound = failure?.check === "no_verdict" ? step.finalText.trim() !== "" : failure?.check !== undefined;
  const isLed = plan.next?.[outcome] !== undefined && (failure === undefined || hasFound);
  const number = isLed ? followingStep(steps, { number: step.number, outcome }) : undefined;
  if (number === undefined) {
    return { do: "finish_step", at, ...(failure === undefined ? {} : { reason: failure.reason }) };
  }
  const name = steps[number - 1]?.name;
  const rounds = roundsOf(task, number);
  if (name !== undefined && rounds > maxRepeatsPerStep) {
    const limit = `"${name}" has been repeated as often as exec.max_repeats_per_step allows (${maxRepeatsPerStep})`;
    return { do: "finish_step", at, reason: `${failure?.reason ?? "it passed"}; ${limit}` };
  }
  const next = { step: number, ...present({ name }), round: rounds + 1 };
  return { do: "finish_step", at, next, ...(failure === undefined ? {} : { reason: failure.reason }) };
}

/** Whether the next task is due although this one failed: not where the account's usage limit would stop it, too. */
export function keepsGoing({ run, current }: ExecState): boolean {
  const stage = current?.step.stage;
  const isLimited = stage?.kind === "failed" && stage.limited === true;
  return run?.overrides.keepGoing === true && run.target.kind === "folder" && !isLimited;
}

function dueAttempt(
  at: StepPlace,
  { reason, sessionLost, notBefore }: Extract<StepState["stage"], { kind: "ready" }>,
  { adopted, resume }: ExecSettings & { readonly adopted: string | undefined },
): Attempt {
  const isSame = ["answered", "recovered", "handed_back", "told"].includes(reason) || adopted !== undefined;
  const continues = isSame && !sessionLost;
  // What a person has done in a session is in that session alone; who is spoken to is the agent in it.
  const isNative = resume === "native" || reason === "handed_back" || reason === "told" || adopted !== undefined;
  const native = isNative && continues && at.step.login === at.login;
  return {
    ...newSession(at, reason),
    resumeSessionId: native ? at.step.sessionId ?? adopted : undefined,
    ...present({ restates: native ? at.step.isCompacted : undefined }),
    ...present({ notBefore: notBefore === undefined ? undefined : new Date(notBefore) }),
  };
}

/** The session of a person that a step continues: what its task is about may be in that alone. */
function adoptedIn({ run }: ExecState, { login, step, task }: StepPlace): string | undefined {
  return task.number === 1 && step.number === 1 && step.login === login ? run?.overrides.session?.id : undefined;
}

/** A further attempt after one that has failed. */
function again(state: ExecState, at: StepPlace): Attempt {
  const isAdopted = adoptedIn(state, at) !== undefined;
  return { ...newSession(at, "retry"), resumeSessionId: isAdopted ? at.step.sessionId : undefined };
}

function newSession({ step }: StepPlace, reason: AttemptReason): Attempt {
  return { number: step.attempts + 1, reason, resumeSessionId: undefined };
}

function answerAction(state: ExecState, at: StepPlace, { askPolicy = "ask", settings }: ExecPlan): Action {
  const question = openQuestion(state);
  if (question === undefined) {
    throw new TypeError("Cannot choose the next action: the question that the step waits for is not open");
  }
  // How much an agent asks is one thing, what it may do another: only a person says yes to that.
  if (question.call !== undefined) return { do: "await_answer", at, question };
  const { maxQuestionsPerStep, atLevel0 } = settings;
  const { questions } = at.step;
  if (questions > maxQuestionsPerStep + UNHEARD_QUESTIONS) {
    return { do: "finish_step", at, reason: `it asked ${questions} questions, and kept asking when told to decide` };
  }
  const answer = DECIDE_YOURSELF;
  if (questions > maxQuestionsPerStep) return { do: "answer", question, answer, by: "cap" };
  if (at.autonomyLevel === 0 && atLevel0 === "decide") return { do: "answer", question, answer, by: "level" };
  const policy = typeof askPolicy === "string" ? askPolicy : askPolicy[at.autonomyLevel] ?? "ask";
  if (policy === "assume") return { do: "answer", question, answer: ASSUME, by: "assume" };
  return { do: "await_answer", at, question };
}

function afterTurn(
  at: StepPlace,
  { writesChecked, checked }: { readonly writesChecked: boolean; readonly checked: number },
): Action | undefined {
  const { allowWrite, checks } = at.plan;
  if (!writesChecked && allowWrite !== undefined) return { do: "check_writes", at, allowWrite };
  const check = checks[checked];
  return check === undefined ? undefined : { do: "check", at, number: checked + 1, check };
}

function limitReason(
  { message, resetsAt }: { readonly message: string; readonly resetsAt: string | undefined },
): string {
  return `the account's usage limit was reached${resetsAt === undefined ? "" : ` (until ${resetsAt})`}: ${message}`;
}

function stepReason({ task, plan }: StepPlace, { run }: ExecState, reason: string): string {
  const whose = run?.target.kind === "folder" ? ` of ${basename(task.file)}` : "";
  return `step "${plan.name}"${whose} failed: ${reason}`;
}

/**
 * Why a run cannot be resumed with a plan: its pipeline has other steps than when the task began. A step that has not
 * begun may have changed in everything but its name.
 */
export function planMismatch(
  task: Pick<TaskState, "pipeline" | "steps">,
  pipelines: Readonly<Record<string, readonly Pick<StepPlan, "name">[]>>,
): string | undefined {
  const { pipeline, steps } = task;
  const now = pipelines[pipeline];
  if (now === undefined) return `there is no pipeline "${pipeline}" any more`;
  const names = now.map(({ name }) => name);
  if (JSON.stringify(names) === JSON.stringify(steps)) return undefined;
  return `the pipeline "${pipeline}" had the steps ${steps.join(", ")} when the task began, and has ${
    names.join(", ") || "none"
  } now`;
}
