import { parsePersonsAnswer, type PersonsAnswer } from "../../base/terms.ts";
import type { AttemptReason } from "./attempt_facts.ts";
import type { ExecFact } from "./facts.ts";
import {
  ATTEMPT,
  type ChangedFiles,
  type ExecState,
  type FailedCheckKind,
  INITIAL_STATE,
  newStep,
  type PersonsVerdict,
  roundsOf,
  type StepStage,
  type StepState,
  type TaskState,
  workerOf,
} from "./state.ts";
import type { Usage } from "../../base/usage.ts";
import { takeCount } from "../usage.ts";
import { titleOf } from "./task_title.ts";
import { present } from "../../base/schema.ts";

/** The state after a fact: what a run resumes from. */
export function applyFact(state: ExecState, fact: ExecFact): ExecState {
  switch (fact.type) {
    case "run_started": {
      const { runId: id, workdir, target, configFile, overrides, folder } = fact;
      return {
        ...INITIAL_STATE,
        run: { id, workdir, target, configFile, overrides, folder, isCopy: false, carriedFrom: [] },
      };
    }
    case "run_resumed":
      return runResumed(state, fact);
    case "task_started": {
      const { task: number, file, pipeline, steps, text, autonomyLevel, fingerprint } = fact;
      const about = { number, file, pipeline, steps, text, autonomyLevel, fingerprint };
      return { ...state, begun: number, current: { ...about, step: newStep(1), outputs: [], failed: undefined } };
    }
    case "task_skipped":
      return { ...state, begun: fact.task, current: undefined, skipped: [...state.skipped, fact.file] };
    case "step_started":
      return atStage(state, { kind: "ready", reason: "first", sessionLost: false }, {
        baseline: fact.baseline,
        startedAt: fact.startedAt,
      });
    case "attempt_started": {
      const { attempt: attempts, reason, native, folder, startedAt: attemptStartedAt } = fact;
      const forgotten = native ? {} : { sessionId: undefined };
      return atStage({ ...state, tokens: { ...state.tokens, bySource: {} } }, {
        kind: "running",
        reason,
        native,
        folder,
      }, { attempts, attemptStartedAt, ...forgotten });
    }
    case "tokens_counted":
      return counted(state, fact.usage);
    case "session_found":
      return inStep(state, (step) => ({ ...step, sessionId: fact.sessionId }));
    case "attempt_finished":
      return attemptFinished(state, fact);
    case "question_asked":
      return questionAsked(state, fact);
    case "question_answered":
      return questionAnswered(state, fact);
    case "usage_limit_waited":
      return atStage(state, { kind: "ready", reason: "limit_reset", sessionLost: false });
    case "writes_checked": {
      const problem = fact.enforced ? writesProblem(fact) : undefined;
      return problem === undefined
        ? atStage(state, { kind: "completed", writesChecked: true, checked: 0 })
        : attemptFailed(state, problem);
    }
    case "check_finished":
      if (fact.notMade === true) return inStep(state, (step) => notMade(step, fact.detail));
      if (!fact.passed) return attemptFailed(state, fact.detail, { output: fact.output, check: failedCheckOf(fact) });
      return inStep(
        state,
        (step) => step.stage.kind === "completed" ? { ...step, stage: { ...step.stage, checked: fact.check } } : step,
      );
    case "files_changed":
      return inStep(state, (step) => ({ ...step, files: { names: fact.files, more: fact.more ?? 0 } }));
    case "step_finished":
      return fact.outcome === "pass" || fact.next !== undefined
        ? inTask(state, (task) => stepOver(task, fact))
        : closeQuestions(stepFailed(state, fact.reason ?? ""));
    case "task_finished":
      return fact.outcome === "pass" ? { ...state, current: undefined, passed: [...state.passed, fact.file] } : {
        ...inTask(state, (task) => ({ ...task, failed: fact.reason ?? "" })),
        failed: [...state.failed, fact.file],
      };
    case "run_finished":
      return { ...state, finished: { outcome: fact.outcome, reason: fact.reason } };
    case "call_decided":
      return fact.call === undefined ? state : inStep(state, (step) => ({
        ...step,
        verdicts: step.verdicts.filter(({ call, answer }) => call !== fact.call || answer !== "accept"),
      }));
    case "agent_permitted":
    case "check_started":
    case "command_repeated":
    case "files_look_started":
    case "question_waiting":
    case "usage_limit_reached":
    case "warning":
      return state;
  }
}

function attemptFinished(state: ExecState, fact: Extract<ExecFact, { type: "attempt_finished" }>): ExecState {
  const { attemptLog, usageLimit } = fact;
  const known = { attemptLog, ...present({ sessionId: fact.sessionId }) };
  const after = counted(state, fact.usage);
  if (fact.outcome === "completed") {
    return atStage(after, { kind: "completed", writesChecked: false, checked: 0 }, {
      ...known,
      finalText: fact.finalText,
      feedback: undefined,
    });
  }
  if (usageLimit !== undefined) {
    const { message, resetsAt } = usageLimit;
    return atStage(after, { kind: "usage_limit", message, resetsAt }, known);
  }
  if (fact.failure === "auth") return atStage(after, { kind: "auth", message: fact.error ?? "" }, known);
  const stage = state.current?.step.stage;
  if (stage?.kind === "running" && stage.native && !fact.timedOut) {
    // The agent is not to blame for a lost session: a new process gets the answer.
    const attemptLog = state.current?.step.attemptLog ?? "";
    return atStage(after, { kind: "ready", reason: stage.reason, sessionLost: true }, {
      attemptLog: [attemptLog, fact.attemptLog].filter((log) => log !== "").join("\n\n"),
    });
  }
  return attemptFailed(inStep(after, (step) => ({ ...step, ...known })), fact.error ?? "the agent's turn failed");
}

/** What a step has written that it may not; `undefined` where it is all right. */
function writesProblem(
  { outside, more = 0, untold, note }: Extract<ExecFact, { type: "writes_checked" }>,
): string | undefined {
  if (untold !== undefined) return `cannot tell which files it changed: ${untold}`;
  if (outside.length === 0) return undefined;
  const others = more === 0 ? "" : ` and ${more} more`;
  return `it changed files outside of allow_write: ${outside.join(", ")}${others}${
    note === undefined ? "" : ` (${note})`
  }`;
}

/** The attempt is not good enough: what the next one is told, and what the step is said to have failed of. */
function attemptFailed(
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

/** The agent has no part in a check that could not be made, and is not told of it. */
function notMade(step: StepState, reason: string): StepState {
  const { stage } = step;
  if (stage.kind !== "completed") return step;
  return { ...step, stage: { kind: "unchecked", reason, final: false, writesChecked: stage.writesChecked } };
}

function failedCheckOf({ verdict }: Extract<ExecFact, { type: "check_finished" }>): FailedCheckKind {
  return verdict === undefined ? "other" : verdict === "REVISE" ? "revise" : "no_verdict";
}

/** A task once a step is done: what the step has left is kept, and the next one is due. */
function stepOver(task: TaskState, fact: Extract<ExecFact, { type: "step_finished" }>): TaskState {
  const { step, outputs } = task;
  const before = outputs.find((output) => output.step === step.number);
  const files = before === undefined ? step.files : allFiles(before.files, step.files);
  const output = { step: step.number, name: fact.name, rounds: step.round, finalText: step.finalText, files };
  const others = before === undefined ? [...outputs, output] : outputs.map((each) => each === before ? output : each);
  const following = fact.next ?? { step: fact.step + 1, round: roundsOf(task, fact.step + 1) + 1 };
  const ledBy = fact.outcome === "pass" ? undefined : { name: fact.name, finding: findingOf(step) };
  return { ...task, outputs: others, step: newStep(following.step, { round: following.round, ledBy }) };
}

/** What a step's failed check found; a review is told in the reviewer's words. */
function findingOf({ stage, finalText, feedback }: StepState): string {
  const isReview = stage.kind === "failed" && (stage.check === "revise" || stage.check === "no_verdict");
  return (isReview ? finalText : feedback) ?? "";
}

/** What was changed in several rounds; undefined where one of them cannot be told. */
function allFiles(before: ChangedFiles | undefined, after: ChangedFiles | undefined): ChangedFiles | undefined {
  if (before === undefined || after === undefined) return undefined;
  return { names: [...new Set([...before.names, ...after.names])].sort(), more: Math.max(before.more, after.more) };
}

function stepFailed(state: ExecState, reason: string): ExecState {
  const stage = state.current?.step.stage;
  if (stage?.kind === "unchecked") return atStage(state, { ...stage, final: true });
  const limited = stage?.kind === "usage_limit";
  return atStage(state, { kind: "failed", reason, final: true, ...(limited ? { limited } : {}) });
}

function questionAsked(state: ExecState, fact: Extract<ExecFact, { type: "question_asked" }>): ExecState {
  const { question: id, stepName: step, text, attemptLog, askedAt, sessionId, call } = fact;
  const taskText = state.run?.target.text;
  const asked = inStep(counted(state, fact.usage), (before) => ({
    ...before,
    questions: before.questions + 1,
    stage: { kind: "question", question: id },
    attemptLog,
    ...present({ sessionId }),
  }));
  return {
    ...asked,
    questions: [...state.questions, {
      id,
      task: taskText === undefined ? state.current?.file ?? "" : titleOf(taskText),
      step,
      text,
      attemptLog,
      askedAt,
      ...present({ call }),
      open: true,
    }],
  };
}

/** The attempt under way has used so much so far. */
function counted(state: ExecState, usage: Usage): ExecState {
  return { ...state, tokens: takeCount(state.tokens, { worker: workerOf(state), source: ATTEMPT, usage }) };
}

function questionAnswered(state: ExecState, fact: Extract<ExecFact, { type: "question_answered" }>): ExecState {
  const asked = state.questions.find(({ id, open }) => open && id === fact.question);
  if (asked === undefined) return state;
  const { question, answer, by, answeredAt } = fact;
  const { task, step, text, askedAt, call } = asked;
  const about = call === undefined ? {} : { isPermission: true };
  const interaction = { question, answer, by, task, step, text, askedAt, answeredAt, ...about };
  const known = call === undefined ? state : withVerdict(state, { call, isModels: by === "mcp", ...verdictOf(answer) });
  const answered = { ...closeQuestions(known), interactions: [...state.interactions, interaction] };
  return atStage(answered, { kind: "ready", reason: "answered", sessionLost: false });
}

/** Whatever is not a plain yes is a no. */
function verdictOf(answer: string): PersonsAnswer {
  return parsePersonsAnswer(answer) ?? { answer: "decline", reason: answer };
}

function withVerdict(state: ExecState, verdict: PersonsVerdict): ExecState {
  return inStep(state, (step) => ({
    ...step,
    verdicts: [...step.verdicts.filter(({ call }) => call !== verdict.call), verdict],
  }));
}

function closeQuestions(state: ExecState): ExecState {
  return { ...state, questions: state.questions.map((question) => ({ ...question, open: false })) };
}

function runResumed(state: ExecState, fact: Extract<ExecFact, { type: "run_resumed" }>): ExecState {
  const { folder, configFile, carriedFrom, isCopy, interruptedLog } = fact;
  const begun = inTask(state, (task) => resumed(task, interruptedLog));
  const after = inStep(begun, (step) => ({ ...step, isResumed: step.baseline !== undefined }));
  const run = after.run && {
    ...after.run,
    folder,
    configFile: configFile ?? after.run.configFile,
    isCopy: after.run.isCopy || isCopy === true,
    carriedFrom: [...after.run.carriedFrom, ...(carriedFrom === undefined ? [] : [carriedFrom])],
  };
  // What the CLI's session knows are the paths of the old place.
  const here = carriedFrom === undefined ? after : inStep(after, (step) => ({ ...step, sessionId: undefined }));
  return { ...here, run, failed: [], finished: undefined };
}

/** A task after its process was gone: what was under way begins again, and a step that failed gets another try. */
function resumed(task: TaskState, interruptedLog = ""): TaskState {
  const { step } = task;
  const ready = (reason: AttemptReason): StepStage => ({ kind: "ready", reason, sessionLost: false });
  if (step.stage.kind === "running") {
    return { ...task, step: { ...step, attemptLog: interruptedLog, stage: ready("interrupted") } };
  }
  if (step.stage.kind === "auth") return { ...task, step: { ...step, stage: ready("retry") } };
  if (step.stage.kind === "unchecked") {
    const { writesChecked } = step.stage;
    return { ...task, failed: undefined, step: { ...step, stage: { kind: "completed", writesChecked, checked: 0 } } };
  }
  if (step.stage.kind !== "failed" || !step.stage.final) return task;
  const { attempts, baseline, startedAt, attemptLog, feedback } = step;
  const again = { ...newStep(step.number, step), attempts, baseline, startedAt, attemptLog, feedback };
  return { ...task, failed: undefined, step: { ...again, stage: ready("retry") } };
}

function atStage(state: ExecState, stage: StepStage, more: Partial<StepState> = {}): ExecState {
  return inStep(state, (step) => ({ ...step, ...more, stage }));
}

function inStep(state: ExecState, change: (step: StepState) => StepState): ExecState {
  return inTask(state, (task) => ({ ...task, step: change(task.step) }));
}

function inTask(state: ExecState, change: (task: TaskState) => TaskState): ExecState {
  return state.current === undefined ? state : { ...state, current: change(state.current) };
}
