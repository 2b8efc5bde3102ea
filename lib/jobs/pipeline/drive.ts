import { HumanInterventionRequiredError } from "../../base/errors.ts";
import { runAttempt } from "./attempt.ts";
import { whoPermits } from "./step_judge.ts";
import type { AskedQuestion } from "../../run/notify/notification.ts";
import type { RunResult } from "../../run/execution.ts";
import { awaitAnswer } from "./await_answer.ts";
import { countInterrupted, hearInterrupted } from "./left_over.ts";
import type { Drive } from "./context.ts";
import { type Action, nextAction, type StepPlace } from "./machine.ts";
import type { QuestionState } from "../../journal/exec/state.ts";
import { runCheck } from "./step_checks.ts";
import { dropContents, dropScratch, forgetFiles, leaveChanges } from "./step_files.ts";
import { beginTask, finishTask, folderResult } from "./drive_tasks.ts";
import { waitForLimitReset } from "./usage_limit.ts";
import { runWriteCheck, watchWrites } from "./write_check.ts";
import { present } from "../../base/schema.ts";

export async function driveRun(drive: Drive): Promise<RunResult> {
  const takeBack = drive.onForcedExit(() => dropScratch(drive));
  try {
    await countInterrupted(drive);
    await hearInterrupted(drive);
    for (;;) {
      drive.signal.throwIfAborted();
      const end = await perform(nextAction(drive.state(), drive.plan, drive.overrides.autonomyLevel), drive);
      if (end !== undefined) return end;
    }
  } finally {
    takeBack();
    dropContents(drive);
  }
}

async function perform(action: Action, drive: Drive): Promise<RunResult | undefined> {
  switch (action.do) {
    case "finish_run":
      return { outcome: action.outcome, reason: action.reason };
    case "nothing":
      throw new TypeError("Cannot continue: the run has ended");
    case "await_login":
      throw loginError(action);
    case "choose_task":
      return await beginTask(drive) ? undefined : folderResult(drive.state());
    case "await_answer":
      return await answerQuestion(action.question, drive) ? undefined : waitForAnswer(action.question, drive);
    case "start_step":
      return void await startStep(action.at, drive);
    case "run_attempt":
      return void await runAttempt(action, drive);
    case "answer": {
      const { question, answer, by } = action;
      const answeredAt = drive.wallClock().toISOString();
      return void drive.record({ type: "question_answered", question: question.id, answer, by, answeredAt });
    }
    case "await_limit":
      return void await waitForLimitReset(action, drive);
    case "check_writes":
      return void await runWriteCheck(action, drive);
    case "check":
      return void await runCheck(action, drive);
    case "finish_step":
      return void await finishStep(action, drive);
    case "finish_task":
      return void await finishTask(action, drive);
  }
}

async function startStep(at: StepPlace, drive: Drive): Promise<void> {
  const { task, step, plan, autonomyLevel } = at;
  const startedAt = drive.wallClock().toISOString();
  const baseline = await watchWrites(at, drive);
  drive.record({
    type: "step_started",
    task: task.number,
    step: step.number,
    ...(step.round === 1 ? {} : { round: step.round }),
    name: plan.name,
    provider: plan.provider.id,
    autonomyLevel,
    startedAt,
    sandbox: drive.plan.sandbox === undefined ? "off" : "cli",
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

/** The run ends until there is an answer. What was asked at the same time is told as well: one resume takes all answers. */
function waitForAnswer(first: QuestionState, drive: Drive): RunResult {
  const others = drive.state().questions.filter(({ open, id }) => open && id !== first.id);
  for (const question of [first, ...others]) {
    if (question !== first) tellOf(question, drive);
    drive.record({
      type: "question_waiting",
      question: question.id,
      text: question.text,
      answerCommand: answerCommand(question, drive),
      resumeCommand: drive.commandLine("resume"),
    });
  }
  const { id, step } = first;
  const reason = others.length === 0
    ? `question ${id} of step "${step}" waits for its answer`
    : `questions ${[first, ...others].map((one) => one.id).join(", ")} of step "${step}" wait for their answers`;
  return { outcome: "waiting", reason };
}

function answerCommand({ id, call }: QuestionState, { commandLine }: Drive): string {
  return `${commandLine("answer", "--question", id)} "${call === undefined ? "YOUR ANSWER" : "yes, or no and why"}"`;
}
