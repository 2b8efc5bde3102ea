import { sandboxModeOf } from "../whole_sandbox.ts";
import { loginOf } from "../fallback.ts";
import { GroundLostError } from "../ground.ts";
import { HumanInterventionRequiredError } from "../../base/errors.ts";
import { runAttempt } from "./attempt.ts";
import { whoPermits } from "./step_judge.ts";
import type { AskedQuestion } from "../../run/notify/notification.ts";
import type { RunResult } from "../../run/execution.ts";
import { awaitAnswer } from "./await_answer.ts";
import { countInterrupted, hearInterrupted } from "./left_over.ts";
import { plural } from "../../journal/words/words.ts";
import type { Drive } from "./context.ts";
import { type Action, keepsGoing, nextAction, type StepPlace } from "./machine.ts";
import type { QuestionState } from "../../journal/exec/state.ts";
import { runCheck } from "./step_checks.ts";
import { dropContents, dropScratch, forgetFiles, keepAttempt, leaveChanges } from "./step_files.ts";
import { beginTask, finishTask, folderResult, takeUpParked, tasksOf } from "./drive_tasks.ts";
import { waitForLimitReset, waitUntilDue } from "./waits.ts";
import { runWriteCheck, watchWrites } from "./write_check.ts";
import { present } from "../../base/schema.ts";

export async function driveRun(drive: Drive): Promise<RunResult> {
  const takeBack = drive.onForcedExit(() => dropScratch(drive));
  try {
    await countInterrupted(drive);
    await hearInterrupted(drive);
    const tried = new Set<string>();
    for (;;) {
      drive.signal.throwIfAborted();
      const end = await perform(
        nextAction(drive.state(), drive.plan, {
          now: drive.wallClock(),
          override: drive.overrides.autonomyLevel,
        }),
        { drive, tried },
      );
      if (end !== undefined) return end;
    }
  } finally {
    takeBack();
    // Where only what it was in is gone, it goes on.
    if (!(drive.signal.reason instanceof GroundLostError)) await tellLeft(drive);
    dropContents(drive);
  }
}

/** Nobody has to find out the next morning what was never begun. */
async function tellLeft(drive: Drive): Promise<void> {
  if (drive.target.kind !== "folder") return;
  const { current } = drive.state();
  const left = (await tasksOf(drive).catch(() => ({ left: [] }))).left.filter((file) => file !== current?.file);
  if (left.length > 0) drive.record({ type: "tasks_left", files: left, passable: true });
}

interface Performing {
  readonly drive: Drive;
  /** The tasks that wait for an answer, and have none that this process knows of. */
  readonly tried: Set<string>;
}

async function perform(action: Action, { drive, tried }: Performing): Promise<RunResult | undefined> {
  switch (action.do) {
    case "finish_run":
      return { outcome: action.outcome, reason: action.reason };
    case "nothing":
      throw new TypeError("Cannot continue: the run has ended");
    case "await_login":
      throw loginError(action);
    case "choose_task":
      if (await beginTask(drive)) return undefined;
      if (takeUpParked(drive, tried, { waits: drive.isPatient || drive.person !== undefined })) return undefined;
      return drive.state().parked.length > 0 ? waitForAnswers(drive) : folderResult(drive.state());
    case "await_answer": {
      const others = await goesOnBeside(drive, tried);
      if (await answerQuestion(action.question, { ...drive, isPatient: drive.isPatient && !others })) return undefined;
      if (!others) return waitForAnswers(drive);
      return park(action.at, { drive, tried });
    }
    case "start_step":
      return void await startStep(action.at, drive);
    case "run_attempt":
      await waitUntilDue(action.attempt, drive);
      return void await runAttempt(action, drive).finally(() => keepAttempt(action, drive));
    case "answer": {
      const { question, answer, by } = action;
      const answeredAt = drive.wallClock().toISOString();
      return void drive.record({ type: "question_answered", question: question.id, answer, by, answeredAt });
    }
    case "await_limit":
      return void await waitForLimitReset(action, drive);
    case "recover":
      return recover(action, drive);
    case "check_writes":
      return void await runWriteCheck(action, drive);
    case "check":
      return void await runCheck(action, drive);
    case "pass_over": {
      const { at: { task: { number: task }, step: { number: step }, plan: { name } }, reason, next } = action;
      return void drive.record({ type: "step_passed_over", task, step, name, reason, ...present({ next }) });
    }
    case "finish_step":
      return void await finishStep(action, drive);
    case "finish_task":
      return void await finishTask(action, drive);
  }
}

function recover(
  { at, failure, message, resetsAt, retry }: Extract<Action, { do: "recover" }>,
  drive: Drive,
): undefined {
  const { task: { number: task }, step: { number: step, attempts: attempt } } = at;
  drive.record({
    ...{ type: "attempt_recovering", task, step, attempt, class: failure, message } as const,
    ...{ recovery: retry.recovery, retry: retry.number, retryAt: retry.at.toISOString() },
    ...(retry.recovery === "fallback" ? { login: loginOf(at.plan), ...present({ resetsAt }) } : {}),
  });
}

async function startStep(at: StepPlace, drive: Drive): Promise<void> {
  const { task, step, plan, autonomyLevel } = at;
  const startedAt = drive.wallClock().toISOString();
  const baseline = await watchWrites(at, drive);
  await drive.noted;
  drive.record({
    type: "step_started",
    task: task.number,
    step: step.number,
    ...(step.round === 1 ? {} : { round: step.round }),
    name: plan.name,
    provider: plan.provider.id,
    autonomyLevel,
    startedAt,
    sandbox: sandboxModeOf(drive.plan),
    permissions: whoPermits(drive.plan),
    ...present({ model: plan.model, baseline }),
  });
}

async function finishStep(action: Extract<Action, { do: "finish_step" }>, drive: Drive): Promise<void> {
  const { at, reason, next } = action;
  const { task, step, plan } = at;
  await leaveChanges(at, drive);
  dropContents(drive);
  drive.record({
    type: "step_finished",
    task: task.number,
    step: step.number,
    name: plan.name,
    attempts: step.attempts,
    ...(reason === undefined ? { outcome: "pass" } : { outcome: "fail", reason }),
    ...present({ next }),
  });
  // A step that failed may be tried again by resume.
  if (reason === undefined || next !== undefined) forgetFiles(at, drive);
}

function tellOf(question: QuestionState, drive: Drive) {
  return drive.notify({
    kind: "needed",
    title: `panewright: a question of step ${question.step}`,
    text: `${question.text}\n\n${answerCommand(question, drive)}`,
    priority: 5,
    question: { id: question.id, fingerprint: questionFingerprint(question), ...answersTo(question) },
  });
}

async function answerQuestion(question: QuestionState, drive: Drive): Promise<boolean> {
  const told = tellOf(question, drive);
  const { folder, mail, plan, person, isPatient, clock, wallClock, signal } = drive;
  const { settings, permissions: { modelAnswers, answersFrom } } = plan;
  const left = await awaitAnswer(question, {
    ...{ folder, mail, settings, modelAnswers, answersFrom, person, isPatient, clock, wallClock, signal },
    onWarning: (message) => drive.record({ type: "warning", message }),
  });
  if (left === undefined) return false;
  told.withdraw();
  const { answer, by, who, giver, answeredAt } = left;
  drive.record({
    type: "question_answered",
    question: question.id,
    answer,
    by,
    ...present({ who, giver }),
    answeredAt,
  });
  return true;
}

function loginError({ at, message }: Extract<Action, { do: "await_login" }>): HumanInterventionRequiredError {
  const { name, provider } = at.plan;
  const problem = `${provider.label} is not logged in, or the model server refuses its login or key: "${message}"`;
  const remedy = provider.terminal?.startupRemedies.login;
  return new HumanInterventionRequiredError(
    `Cannot finish step "${name}": ${problem}`,
    remedy === undefined ? {} : { hint: `${remedy} Then resume the run.` },
  );
}

function questionFingerprint({ id, call }: QuestionState): string {
  return call ?? id;
}

function answersTo({ call, text, shown = "whole" }: QuestionState): Pick<AskedQuestion, "permits" | "choices"> {
  if (call === undefined) return { choices: [] };
  return {
    permits: shown === "whole" ? text : "",
    choices: [{ label: "Yes", answer: "yes" }, { label: "No", answer: "no" }],
  };
}

/** Whether other tasks can be done while this one waits. */
async function goesOnBeside(drive: Drive, tried: ReadonlySet<string>): Promise<boolean> {
  if (!keepsGoing(drive.state())) return false;
  const { current, parked } = drive.state();
  const { left } = await tasksOf(drive);
  return left.some((file) => file !== current?.file) || parked.some(({ file }) => !tried.has(file));
}

/** The task waits for its answer while others are done. */
function park({ task }: StepPlace, { drive, tried }: Performing): undefined {
  const { number, file } = task;
  const own = drive.state().questions.filter((question) => question.open && question.task === file);
  // The first was told of when it was waited for.
  for (const question of own.slice(1)) tellOf(question, drive);
  tried.add(file);
  dropContents(drive);
  drive.record({ type: "task_parked", task: number, file, questions: own.map(({ id }) => id) });
}

/** The run ends until there are answers: one resume takes all of them. */
function waitForAnswers(drive: Drive): RunResult {
  const { questions, parked, failed } = drive.state();
  const open = questions.filter((question) => question.open);
  const told = open.filter(({ task }) => !parked.some(({ file }) => file === task));
  for (const question of told.slice(1)) tellOf(question, drive);
  for (const question of open) tellWaiting(question, drive);
  const ids = open.map(({ id }) => id);
  const steps = [...new Set(open.map(({ step }) => step))];
  const whose = steps.length === 1 ? ` of step "${steps[0]}"` : "";
  const reason = ids.length === 1
    ? `question ${ids[0]}${whose} waits for its answer`
    : `questions ${ids.join(", ")}${whose} wait for their answers`;
  const also = failed.length === 0 ? "" : `; ${plural(failed.length, "task")} failed`;
  return { outcome: "waiting", reason: `${reason}${also}` };
}

function tellWaiting(question: QuestionState, drive: Drive): void {
  drive.record({
    type: "question_waiting",
    question: question.id,
    text: question.text,
    answerCommand: answerCommand(question, drive),
    resumeCommand: drive.commandLine("resume"),
  });
}

function answerCommand({ id, call }: QuestionState, { commandLine }: Drive): string {
  return `${commandLine("answer", "--question", id)} "${call === undefined ? "YOUR ANSWER" : "yes, or no and why"}"`;
}
