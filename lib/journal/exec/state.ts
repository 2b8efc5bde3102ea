import { newIn, takeCount } from "../usage.ts";
import { present } from "../../base/schema.ts";
import type { Usage } from "../../base/usage.ts";
import type { AgentQuestion } from "../../base/question.ts";
import type { FailureClass, GiverKind, PersonsAnswer, Shown } from "../../base/terms.ts";
import type { AutonomyLevel, ExecOverrides, ExecTarget } from "./fields.ts";
import type { Recoverable, Tried, WithUnusable } from "../recovery.ts";
import type { Reaching } from "../common.ts";
import type { RunEnd } from "../run_facts.ts";
import { NOTHING_COUNTED, type TokenCounts } from "../usage.ts";
import type { AnsweredBy, AttemptReason } from "./fields.ts";

export interface ExecState extends Recoverable, WithUnusable, Reaching {
  /** Undefined before the first record. */
  readonly run: RunHead | undefined;
  readonly passed: readonly string[];
  /** The tasks of a folder that are left out, since an earlier run passed them. */
  readonly skipped: readonly string[];
  /** The tasks that have failed, until the run is resumed. */
  readonly failed: readonly string[];
  /** The number of the last task that was begun or left out; 0 before the first. */
  readonly begun: number;
  readonly current: TaskState | undefined;
  /** The pipelines of the tasks that were begun. @default {[]} */
  readonly pipelines?: readonly string[];
  /** The tasks whose agents wait for an answer while others are done. */
  readonly parked: readonly TaskState[];
  /** The tasks that are done side by side, those to be merged in the order in which they passed. @default none are */
  readonly lanes?: readonly LaneState[];
  /** Of tasks with several attempts that have passed, the one that was chosen, the last one last. @default {[]} */
  readonly chosen?: readonly Chosen[];
  /** The name of the workspace in which they come together. */
  readonly target?: string;
  readonly interactions: readonly Interaction[];
  readonly questions: readonly QuestionState[];
  readonly tokens: TokenCounts;
  /** What agents have left running when an attempt ended. @default {[]} */
  readonly left?: readonly string[];
  /** How often what the agents are in was opened anew since somebody last started or resumed the run. @default {0} */
  readonly groundRestarts?: number;
  /** How the run ended, until it is resumed. */
  readonly finished: { readonly outcome: RunEnd; readonly reason: string } | undefined;
}

export interface RunHead {
  readonly id: string;
  readonly workdir: string;
  readonly target: ExecTarget;
  readonly configFile: string | null;
  readonly overrides: ExecOverrides;
  readonly folder: string;
  readonly isCopy: boolean;
  readonly carriedFrom: readonly string[];
}

export interface TaskState {
  readonly number: number;
  readonly file: string;
  readonly pipeline: string;
  readonly steps: readonly string[];
  readonly text: string;
  readonly autonomyLevel: AutonomyLevel | undefined;
  readonly fingerprint: string | undefined;
  readonly step: StepState;
  readonly outputs: readonly StepOutput[];
  /** Why it failed; until the run is resumed. */
  readonly failed: string | undefined;
}

export interface StepOutput {
  readonly step: number;
  readonly name: string;
  readonly rounds: number;
  readonly finalText: string;
  /** What it changed, in all rounds; undefined where that cannot be told. */
  readonly files: ChangedFiles | undefined;
  /** Attempts that were not good enough, in all rounds. @default {0} */
  readonly failures?: number;
}

export interface ChangedFiles {
  /** Relative to the working directory. */
  readonly names: readonly string[];
  readonly more: number;
  /** Added and removed, as far as a patch shows it; missing in older journals. */
  readonly lines?: number;
}

interface LeadingStep {
  readonly name: string;
  readonly finding: string;
}

export interface StepState {
  /** Counts from 1; one more than there are steps once all have passed. */
  readonly number: number;
  /** Counts from 1: more where the pipeline's `next` has led here again. */
  readonly round: number;
  /** Undefined where the step follows one that has passed. */
  readonly ledBy: LeadingStep | undefined;
  readonly attempts: number;
  readonly failures: number;
  readonly questions: number;
  readonly stage: StepStage;
  readonly attemptLog: string;
  /** What a person has said to its agent last, and whether one has heard it; missing where nobody has. */
  readonly said?: { readonly text: string; readonly isHeard: boolean };
  readonly sessionId: string | undefined;
  /** Whether that session's conversation was made shorter. @default {false} */
  readonly isCompacted?: boolean | undefined;
  readonly finalText: string;
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
  readonly verdicts: readonly PersonsVerdict[];
  /** How often what was done about failures, since somebody last started or resumed the run. @default {{}} */
  readonly tried?: Tried;
  /** Whose login its last attempt had; missing where that was the step's own, and before the first. */
  readonly login?: string | undefined;
}

export interface PersonsVerdict extends PersonsAnswer {
  readonly by: GiverKind;
  readonly call: string;
}

export type StepStage =
  | { readonly kind: "new" }
  /** `sessionLost`: the CLI's own session cannot be resumed. */
  | {
    readonly kind: "ready";
    readonly reason: AttemptReason;
    readonly sessionLost: boolean;
    /** When it may begin, ISO 8601. @default at once */
    readonly notBefore?: string;
  }
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
    /** Of what kind the failure of the agent's turn is, where that may pass. */
    readonly failure?: FailureClass;
  };

export type FailedCheckKind = "revise" | "no_verdict" | "other";

export interface QuestionState {
  readonly id: string;
  readonly task: string;
  readonly step: string;
  readonly text: string;
  readonly attemptLog: string;
  readonly askedAt: string;
  /** The fingerprint of the call that needs a person's permission; missing for a question of the agent's own. */
  readonly call?: string;
  /** How a person is shown what a yes to it permits; missing in older journals, and for a question. */
  readonly shown?: Shown;
  /** What is to be chosen from; missing where any words are an answer. */
  readonly choice?: AgentQuestion;
  readonly open: boolean;
}

/** A run in the workspace of a lane. */
export interface LeadRun {
  readonly run: string;
  readonly workdir: string;
}

/** A task, or an attempt of one, that is done beside others: a run of its own, in a workspace of its own. */
export interface LaneState {
  readonly number: number;
  readonly file: string;
  /** The step that it is, where the task's steps are done side by side. */
  readonly part?: string | undefined;
  /** Counts from 1; missing where the task is tried once. */
  readonly attempt?: number | undefined;
  /**
   * `lead`: the roles before the one with several attempts do their part, once. `merge`: an agent is to bring the work
   * together with what was landed meanwhile. `judge`: one is to say which of its attempts is the best.
   */
  readonly purpose: "task" | "lead" | "merge" | "judge";
  /** Of an attempt of a role: where the roles before it have done their part. */
  readonly lead?: LeadRun | undefined;
  /** The name of its workspace. */
  readonly workspace: string;
  readonly workdir: string;
  /** The target's commit that it began with. */
  readonly base: string;
  /** The id of its run, once an agent has begun a turn in it. */
  readonly run?: string;
  /** Of a merge: in which run the work was done. */
  readonly work?: Pick<LaneState, "run" | "workdir">;
  /** What the agent of a merge is told. */
  readonly problem?: MergeProblem;
  /**
   * `led`: attempts can begin with what it has come to. `passed`: its work is to be merged. `unmerged`: that was tried in
   * vain; `failed`: both until the run is resumed. `lost`: another attempt has landed, or it has judged.
   */
  readonly stage: "working" | "waiting" | "led" | "passed" | "unmerged" | "failed" | "landed" | "lost";
  /** What came of it. */
  readonly commit?: string | undefined;
  /** The commit that was about to be landed when that was told last. */
  readonly candidate?: string;
}

export interface Chosen extends Pick<LaneState, "file" | "part" | "attempt"> {
  readonly by: "judge" | "person" | "size";
  readonly detail: string;
}

export interface MergeProblem {
  /** Files that both sides have changed at the same place. */
  readonly conflicts: readonly string[];
  /** What the checks said of the two together, where git could merge them. */
  readonly output: string;
}

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
  parked: [],
  interactions: [],
  questions: [],
  tokens: NOTHING_COUNTED,
  finished: undefined,
};

/** What the task under way waits for. */
export function headOf({ run }: ExecState): RunHead {
  if (run === undefined) throw new TypeError("Cannot tell what the run is about: it has not begun");
  return run;
}

export type QuestionsAsked = Pick<ExecState, "questions" | "hostsAsked">;

/**
 * The id of the next question of a run.
 *
 * @param place how many are asked before it at the same time. @default {0}
 */
export function nextQuestionId({ hostsAsked = 0, questions }: QuestionsAsked, place = 0): string {
  return `q${questions.length + hostsAsked + 1 + place}`;
}

export function openQuestion(state: ExecState): QuestionState | undefined {
  return state.questions.find((question) => question.open && !isParked(state, question));
}

function isParked({ parked }: ExecState, { task }: QuestionState): boolean {
  return parked.some(({ file }) => file === task);
}

export const ATTEMPT = "attempt";

export function workerOf({ current }: ExecState): string {
  return current === undefined ? "" : stepWorker(current.pipeline, current.steps[current.step.number - 1] ?? "");
}

export function stepWorker(pipeline: string, step: string): string {
  return `${pipeline}/${step}`;
}

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

export function atStage(state: ExecState, stage: StepStage, more: Partial<StepState> = {}): ExecState {
  return inStep(state, (step) => ({ ...step, ...more, stage }));
}

export function inStep(state: ExecState, change: (step: StepState) => StepState): ExecState {
  return inTask(state, (task) => ({ ...task, step: change(task.step) }));
}

export function inTask(state: ExecState, change: (task: TaskState) => TaskState): ExecState {
  return state.current === undefined ? state : { ...state, current: change(state.current) };
}

export function closeQuestions(state: ExecState): ExecState {
  const close = (question: QuestionState) => isParked(state, question) ? question : { ...question, open: false };
  return { ...state, questions: state.questions.map(close) };
}

/** The attempt is not good enough: what the next one is told, and what the step is said to have failed of. */
export function attemptFailed(
  state: ExecState,
  reason: string,
  { output = "", check, failure }: {
    readonly output?: string;
    readonly check?: FailedCheckKind;
    readonly failure?: FailureClass | undefined;
  } = {},
): ExecState {
  const feedback = output === "" ? reason : `${reason}\n\n${output}`;
  return inStep(state, (step) => ({
    ...step,
    failures: step.failures + 1,
    stage: { kind: "failed", reason, final: false, ...present({ check, failure }) },
    feedback,
  }));
}

export function tokensOfAttempt(state: ExecState, usage: Usage): ExecState {
  return { ...state, tokens: takeCount(state.tokens, { worker: workerOf(state), source: ATTEMPT, usage }) };
}

/** What the attempt under way has used since that was told last. */
export function newOfAttempt(state: ExecState, usage: Usage): Usage {
  return newIn(state.tokens, { source: ATTEMPT, usage });
}
