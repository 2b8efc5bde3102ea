import { RuntimeError, UsageError } from "../../errors.ts";
import type { RunFolder } from "../../run/run_folder.ts";
import type { Clock } from "../../ports/clock.ts";
import type { HeadlessRequest, HeadlessResult } from "../../providers/headless.ts";
import { runAttempt } from "./attempt.ts";
import { type AskPerson, awaitAnswer } from "./await_answer.ts";
import type { ExecEvent, ExecFact } from "./facts.ts";
import { applyFact } from "./fold.ts";
import { type Action, nextAction, type StepPlace } from "./machine.ts";
import type { ExecOverrides, ExecPlan, ExecTarget } from "./plan.ts";
import type { ExecState, QuestionState } from "./state.ts";
import { readText } from "./read_text.ts";
import { runCheck, runWriteCheck, scratchOf, startWatchingWrites } from "./step_checks.ts";
import { choosePipeline, nextTaskOf, parseTask } from "./task.ts";
import { waitForLimitReset } from "./usage_limit.ts";

/** What the actions of a run are done with. */
export interface DriveOptions {
  readonly plan: ExecPlan;
  readonly target: ExecTarget;
  readonly overrides: ExecOverrides;
  readonly folder: RunFolder;
  /** Where the run stands. */
  readonly state: ExecState;
  /** Puts a fact on the disk before anything relies on it, and tells it. */
  readonly record: (fact: ExecFact) => void;
  /** Tells what the agent does at this moment. */
  readonly onActivity: (event: Extract<ExecEvent, { type: "agent_activity" }>) => void;
  /** Told of each question that a person is to answer, once in this process. */
  readonly onQuestion: (question: QuestionState) => void;
  /** Missing where nobody sits at a terminal. */
  readonly person: AskPerson | undefined;
  readonly runHeadless: (request: HeadlessRequest) => Promise<HeadlessResult>;
  /** Registers a last act for the case that the program exits at once; what it returns takes the act back. */
  readonly onForcedExit: (act: () => void) => () => void;
  readonly clock: Clock;
  readonly wallClock: () => Date;
  readonly signal: AbortSignal;
}

/** {@linkcode DriveOptions} while the run is under way. */
export interface Drive extends DriveOptions {
  /** Records a fact and goes to the state after it. */
  readonly emit: (fact: ExecFact) => void;
  /** Where the run stands now. */
  readonly now: () => ExecState;
}

/** How far a run was driven. */
export type DriveEnd =
  | { readonly outcome: "pass" | "fail"; readonly reason: string; readonly state: ExecState }
  | { readonly outcome: "waiting"; readonly question: QuestionState; readonly state: ExecState };

/**
 * Does what the state machine in machine.ts says is next, until the run has ended or waits for a person who is not there.
 *
 * @throws {UsageError} when a task, a prompt file or a program is not there or cannot be used
 * @throws the signal's reason when it is aborted
 */
export async function driveRun(options: DriveOptions): Promise<DriveEnd> {
  let state = options.state;
  const emit = (fact: ExecFact) => {
    options.record(fact);
    state = applyFact(state, fact);
  };
  const drive: Drive = { ...options, emit, now: () => state };
  for (;;) {
    options.signal.throwIfAborted();
    const action = nextAction(state, options.plan, options.overrides.autonomyLevel);
    switch (action.do) {
      case "finish_run":
        return { outcome: action.outcome, reason: action.reason, state };
      case "nothing":
        throw new TypeError("Cannot go on: the run has ended");
      case "choose_task":
        if (await beginTask(drive)) break;
        return { outcome: "pass", reason: passReason(state), state };
      case "await_answer":
        if (await answerQuestion(action.question, drive)) break;
        return { outcome: "waiting", question: action.question, state };
      default:
        await perform(action, drive);
    }
  }
}

async function perform(
  action: Exclude<Action, { do: "finish_run" | "nothing" | "choose_task" | "await_answer" }>,
  drive: Drive,
): Promise<void> {
  switch (action.do) {
    case "start_step":
      return await startStep(action.at, drive);
    case "run_attempt":
      return await runAttempt(action, drive);
    case "answer": {
      const { question, answer, by } = action;
      return drive.emit({
        type: "question_answered",
        question: question.id,
        answer,
        by,
        answeredAt: drive.wallClock().toISOString(),
      });
    }
    case "await_limit":
      return await waitForLimitReset(action, drive);
    case "check_writes":
      return await runWriteCheck(action, drive);
    case "check":
      return await runCheck(action, drive);
    case "finish_step":
      return await finishStep(action, drive);
    case "finish_task": {
      const { number: task, file } = action.task;
      const { reason } = action;
      return drive.emit({
        type: "task_finished",
        task,
        file,
        ...(reason === undefined ? { outcome: "pass" } : { outcome: "fail", reason }),
      });
    }
  }
}

/** @returns whether there is a task left */
async function beginTask(drive: Drive): Promise<boolean> {
  const { target, plan, overrides } = drive;
  const { passed } = drive.now();
  const file = target.kind === "folder"
    ? await nextTaskOf(target.path, passed)
    : passed.length === 0
    ? target.path
    : undefined;
  if (file === undefined) return false;
  try {
    const task = parseTask(await readText(file), { file });
    const pipeline = choosePipeline(plan, { task, overrides, file });
    drive.emit({
      type: "task_started",
      task: passed.length + 1,
      file,
      pipeline,
      steps: (plan.pipelines[pipeline] ?? []).map(({ name }) => name),
      text: task.text,
      ...(task.autonomyLevel === undefined ? {} : { autonomyLevel: task.autonomyLevel }),
    });
    return true;
  } catch (error) {
    // Nothing wrong with how panewright was called: the task came with the work.
    if (!(error instanceof UsageError) || passed.length === 0) throw error;
    throw new RuntimeError(error.message, { cause: error, ...(error.hint === undefined ? {} : { hint: error.hint }) });
  }
}

async function startStep(at: StepPlace, drive: Drive): Promise<void> {
  const { task, step, plan, autonomyLevel } = at;
  const startedAt = drive.wallClock().toISOString();
  const baseline = plan.allowWrite === undefined ? undefined : await startWatchingWrites(at, drive);
  drive.emit({
    type: "step_started",
    task: task.number,
    step: step.number,
    name: plan.name,
    provider: plan.provider.id,
    autonomyLevel,
    startedAt,
    ...(plan.model === undefined ? {} : { model: plan.model }),
    ...(baseline === undefined ? {} : { baseline }),
  });
}

async function finishStep(action: Extract<Action, { do: "finish_step" }>, drive: Drive): Promise<void> {
  const { at, reason } = action;
  const { task, step, plan } = at;
  drive.emit({
    type: "step_finished",
    task: task.number,
    step: step.number,
    name: plan.name,
    attempts: step.attempts,
    ...(reason === undefined ? { outcome: "pass" } : { outcome: "fail", reason }),
  });
  if (reason === undefined) await Deno.remove(scratchOf(at, drive), { recursive: true }).catch(() => {});
}

/** @returns whether there is an answer */
async function answerQuestion(question: QuestionState, drive: Drive): Promise<boolean> {
  drive.onQuestion(question);
  const { folder, plan, person, clock, wallClock, signal } = drive;
  const left = await awaitAnswer(question, { folder, settings: plan.settings, person, clock, wallClock, signal });
  if (left === undefined) return false;
  const { answer, by, answeredAt } = left;
  drive.emit({ type: "question_answered", question: question.id, answer, by, answeredAt });
  return true;
}

function passReason({ passed }: ExecState): string {
  return passed.length === 1 ? "all steps of the task passed" : `all ${passed.length} tasks passed`;
}
