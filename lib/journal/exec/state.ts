import { newIn, takeCount } from "../usage.ts";
import { present } from "../../base/schema.ts";
import type { Usage } from "../../base/usage.ts";
import type { PersonsAnswer } from "../../base/terms.ts";
import type { AutonomyLevel, ExecOverrides, ExecTarget } from "./fields.ts";
import type { RunEnd } from "../run_facts.ts";
import { NOTHING_COUNTED, type TokenCounts } from "../usage.ts";
import type { AnsweredBy, AttemptReason } from "./fields.ts";

/** Where a run stands: a fold over its journal. Plain data. */
export interface ExecState {
  /** Undefined before the first record. */
  readonly run: RunHead | undefined;
  /** The tasks that have passed, in their order. */
  readonly passed: readonly string[];
  /** The tasks of a folder that are left out, since an earlier run passed them. */
  readonly skipped: readonly string[];
  /** The tasks that have failed, until the run is resumed. */
  readonly failed: readonly string[];
  /** The number of the last task that was begun or left out; 0 before the first. */
  readonly begun: number;
  /** The task that is worked on, or the last one, where that has failed. */
  readonly current: TaskState | undefined;
  /** Every question that was answered, of all steps and tasks. */
  readonly interactions: readonly Interaction[];
  readonly questions: readonly QuestionState[];
  /** What the steps have used, in all tasks. */
  readonly tokens: TokenCounts;
  /** How the run ended, until it is resumed. */
  readonly finished: { readonly outcome: RunEnd; readonly reason: string } | undefined;
}

/** What a run was started with. */
export interface RunHead {
  readonly id: string;
  readonly workdir: string;
  readonly target: ExecTarget;
  readonly configFile: string | null;
  readonly overrides: ExecOverrides;
  /** The run's folder, where a process last executed it. */
  readonly folder: string;
  /** Whether it was once carried as a copy, whose original has the same id. */
  readonly isCopy: boolean;
  /** The working directories that it was carried from, oldest first. */
  readonly carriedFrom: readonly string[];
}

/** A task under way. */
export interface TaskState {
  readonly number: number;
  readonly file: string;
  readonly pipeline: string;
  readonly steps: readonly string[];
  readonly text: string;
  readonly autonomyLevel: AutonomyLevel | undefined;
  /** What task and pipeline came down to when it began. */
  readonly fingerprint: string | undefined;
  readonly step: StepState;
  /** What the steps have left that were done, in the order in which they were first done. */
  readonly outputs: readonly StepOutput[];
  /** Why it failed; until the run is resumed. */
  readonly failed: string | undefined;
}

/** What a step has left for the steps after it. */
export interface StepOutput {
  /** The step's number. */
  readonly step: number;
  readonly name: string;
  /** How often it was done. */
  readonly rounds: number;
  /** The last message of its agent, of the last round. */
  readonly finalText: string;
  /** What it changed, in all rounds; undefined where that cannot be told. */
  readonly files: ChangedFiles | undefined;
}

/** Files that were changed. */
export interface ChangedFiles {
  /** Relative to the working directory. */
  readonly names: readonly string[];
  /** How many more there are. */
  readonly more: number;
}

/** The step whose failure led to another one. */
interface LeadingStep {
  readonly name: string;
  /** What its check found: a review, or what a command wrote. */
  readonly finding: string;
}

/** A step under way. */
export interface StepState {
  /** Counts from 1; one more than there are steps once all have passed. */
  readonly number: number;
  /** Counts from 1: more where the pipeline's `next` has led here again. */
  readonly round: number;
  /** Undefined where the step follows one that has passed. */
  readonly ledBy: LeadingStep | undefined;
  /** The number of attempts that were started. */
  readonly attempts: number;
  /** The number of those that failed, by themselves or by a check after them. */
  readonly failures: number;
  /** How many questions were asked. */
  readonly questions: number;
  readonly stage: StepStage;
  /** What the last attempt said, ran and saw. */
  readonly attemptLog: string;
  /** The CLI's session of the last attempt. */
  readonly sessionId: string | undefined;
  /** The last message of the last attempt that ended well. */
  readonly finalText: string;
  /** What the step has changed, once that was looked at. */
  readonly files: ChangedFiles | undefined;
  /** Why the last attempt is not good enough, for the next one. */
  readonly feedback: string | undefined;
  /** The SHA-256 of the note of what the files were before the step; missing where that cannot be told. */
  readonly baseline: string | undefined;
  /** Whether the run was resumed since the files were noted: a person may have changed some meanwhile. */
  readonly isResumed: boolean;
  /** ISO 8601; empty before it is started. */
  readonly startedAt: string;
  /** When its last attempt was started: ISO 8601; missing in older journals. */
  readonly attemptStartedAt: string | undefined;
  /** What a person said to calls that need a permission; a yes is gone when it is used. */
  readonly verdicts: readonly PersonsVerdict[];
}

/** What a person said to a call of a tool. */
export interface PersonsVerdict extends PersonsAnswer {
  /** Whether a model has said it in place of a person. */
  readonly isModels: boolean;
  /** The fingerprint of the call. */
  readonly call: string;
}

/** What a step waits for next. */
export type StepStage =
  | { readonly kind: "new" }
  /** `sessionLost`: the CLI's own session cannot be resumed. */
  | { readonly kind: "ready"; readonly reason: AttemptReason; readonly sessionLost: boolean }
  | { readonly kind: "running"; readonly reason: AttemptReason; readonly native: boolean; readonly folder: string }
  | { readonly kind: "question"; readonly question: string }
  | { readonly kind: "usage_limit"; readonly message: string; readonly resetsAt: string | undefined }
  /** The agent is not logged in, or its key was refused: only a person can change that. */
  | { readonly kind: "auth"; readonly message: string }
  /** The turn has ended well; `checked` counts the checks that have passed. */
  | { readonly kind: "completed"; readonly writesChecked: boolean; readonly checked: number }
  /**
   * A check of such a turn could not be made: only a person can change that. `final` once the step has failed of it.
   */
  | {
    readonly kind: "unchecked";
    readonly reason: string;
    readonly final: boolean;
    readonly writesChecked: boolean;
  }
  /**
   * The last attempt failed; `final` once the step has, too, and `limited` where the account's usage limit did it.
   * `check` is missing where no check has said no.
   */
  | {
    readonly kind: "failed";
    readonly reason: string;
    readonly final: boolean;
    readonly limited?: boolean;
    readonly check?: FailedCheckKind;
  };

/** What a check was that has said no: a review that wants changes, one that states no verdict, or any other check. */
export type FailedCheckKind = "revise" | "no_verdict" | "other";

/** A question of an agent. */
export interface QuestionState {
  readonly id: string;
  readonly task: string;
  readonly step: string;
  readonly text: string;
  readonly attemptLog: string;
  readonly askedAt: string;
  /** The fingerprint of the call that needs a person's permission; missing for a question of the agent's own. */
  readonly call?: string;
  /** Whether it waits for its answer. */
  readonly open: boolean;
}

/** A question and its answer, for the prompts of all later steps. */
export interface Interaction {
  readonly question: string;
  readonly answer: string;
  readonly by: AnsweredBy;
  readonly task: string;
  readonly step: string;
  readonly text: string;
  readonly askedAt: string;
  readonly answeredAt: string;
  /** Whether it was about a call that needs a permission, which holds for that call only. */
  readonly isPermission?: boolean;
}

/** The state before the first record. */
export const INITIAL_STATE: ExecState = {
  run: undefined,
  passed: [],
  skipped: [],
  failed: [],
  begun: 0,
  current: undefined,
  interactions: [],
  questions: [],
  tokens: NOTHING_COUNTED,
  finished: undefined,
};

/** The question that waits for its answer, if there is one. */
export function openQuestion(state: ExecState): QuestionState | undefined {
  return state.questions.find(({ open }) => open);
}

/** The source of what is counted of a step: its attempt under way. */
export const ATTEMPT = "attempt";

/** The name that the caps of the step under way have: `main/build`. */
export function workerOf({ current }: ExecState): string {
  return current === undefined ? "" : stepWorker(current.pipeline, current.steps[current.step.number - 1] ?? "");
}

/** The name that the caps of a step have. */
export function stepWorker(pipeline: string, step: string): string {
  return `${pipeline}/${step}`;
}

/** How often a step was begun, the one under way included. */
export function roundsOf({ outputs, step }: Pick<TaskState, "outputs" | "step">, number: number): number {
  if (step.number === number) return step.round;
  return outputs.find((output) => output.step === number)?.rounds ?? 0;
}

/** A step before its first attempt. */
export function newStep(number: number, begun: Partial<Pick<StepState, "round" | "ledBy">> = {}): StepState {
  return {
    number,
    round: begun.round ?? 1,
    ledBy: begun.ledBy,
    attempts: 0,
    failures: 0,
    questions: 0,
    stage: { kind: "new" },
    attemptLog: "",
    sessionId: undefined,
    finalText: "",
    files: undefined,
    feedback: undefined,
    baseline: undefined,
    isResumed: false,
    startedAt: "",
    attemptStartedAt: undefined,
    verdicts: [],
  };
}

/** The state with its step at a stage. */
export function atStage(state: ExecState, stage: StepStage, more: Partial<StepState> = {}): ExecState {
  return inStep(state, (step) => ({ ...step, ...more, stage }));
}

/** The state with its step changed. */
export function inStep(state: ExecState, change: (step: StepState) => StepState): ExecState {
  return inTask(state, (task) => ({ ...task, step: change(task.step) }));
}

/** The state with its task changed. */
export function inTask(state: ExecState, change: (task: TaskState) => TaskState): ExecState {
  return state.current === undefined ? state : { ...state, current: change(state.current) };
}

/** The state once no question is open. */
export function closeQuestions(state: ExecState): ExecState {
  return { ...state, questions: state.questions.map((question) => ({ ...question, open: false })) };
}

/** The attempt is not good enough: what the next one is told, and what the step is said to have failed of. */
export function attemptFailed(
  state: ExecState,
  reason: string,
  { output = "", check }: { readonly output?: string; readonly check?: FailedCheckKind } = {},
): ExecState {
  const feedback = output === "" ? reason : `${reason}\n\n${output}`;
  return inStep(state, (step) => ({
    ...step,
    failures: step.failures + 1,
    stage: { kind: "failed", reason, final: false, ...present({ check }) },
    feedback,
  }));
}

/** The attempt under way has used so much so far. */
export function tokensOfAttempt(state: ExecState, usage: Usage): ExecState {
  return { ...state, tokens: takeCount(state.tokens, { worker: workerOf(state), source: ATTEMPT, usage }) };
}

/** What the attempt under way has used since that was told last. */
export function newOfAttempt(state: ExecState, usage: Usage): Usage {
  return newIn(state.tokens, { source: ATTEMPT, usage });
}
