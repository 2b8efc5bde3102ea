import { adds, closes, opens } from "../items/item_changes.ts";
import { flag, listOf, number, object, oneOf, optional, present, text } from "../../base/schema.ts";
import { detail, line, note } from "../words/lines.ts";
import { plural } from "../words/words.ts";
import { atLevel, levelOf } from "../progress.ts";
import { done, plainName, stepLevel, titleOf } from "./place.ts";
import { autonomyLevel } from "./fields.ts";
import {
  atStage,
  type ChangedFiles,
  closeQuestions,
  type ExecState,
  inTask,
  newStep,
  roundsOf,
  type StepState,
  type TaskState,
  workerOf,
} from "./state.ts";
import { entriesOf } from "../entry.ts";
import { onlyParked, parkedWaiting } from "../waiting.ts";
import { SANDBOXES, type SandboxKind } from "../../base/terms.ts";

const stepRecord = entriesOf<ExecState>();

/** How a task begins, and each of its steps. */
export const TASK_BEGINS = {
  /** A task begins. */
  task_started: stepRecord({
    /** Counts from 1. */
    task: number,
    /** Absolute path; only a name where the task is in no file. */
    file: text,
    /** Whether the task is in no file: it was given as a text. */
    isText: optional(flag),
    pipeline: text,
    /** The names of the pipeline's steps. */
    steps: listOf(text),
    /** The task's text, without its front matter. */
    text,
    /** What the task's front matter says. */
    autonomyLevel: optional(autonomyLevel),
    /** How many tasks there are; missing in older journals. */
    of: optional(number),
    /** What the task and its pipeline come down to: see `fingerprintTask`. Missing in older journals. */
    fingerprint: optional(text),
  }, {
    paths: ({ file }, map) => ({ file: map(file) }),
    state: (state, { task: number, file, pipeline, steps, text, autonomyLevel, fingerprint }) => {
      const about = { number, file, pipeline, steps, text, autonomyLevel, fingerprint };
      const pipelines = [...new Set([...state.pipelines ?? [], pipeline])];
      const current = { ...about, step: newStep(1), outputs: [], failed: undefined };
      return { ...state, begun: number, pipelines, current };
    },
    progress(_before, { task: number, file, isText, text, pipeline, steps }) {
      const name = isText === true ? titleOf(text) : file;
      const place = [{ unit: "task", number, name } as const, stepLevel(1, steps)];
      return { place, pipeline: { name: pipeline, steps }, workers: [] };
    },
    head: ({ text: task }) => ({ task }),
    words: ({ task, of, file, isText, text: said, pipeline, steps }) =>
      line(
        `task ${taskCount(task, of)}: ${isText === true ? titleOf(said) : file}, pipeline ${pipeline} (${
          steps.join(", ")
        })`,
        "heading",
      ),
    items: (_fact, { title }) => opens("task", { kind: "round", title }),
  }),
  /** A task of a folder is left out: an earlier run passed it, and neither it nor its pipeline has changed. */
  task_skipped: stepRecord({
    /** Counts from 1, with the tasks that were begun. */
    task: number,
    /** Absolute path. */
    file: text,
    /** The id of that run. */
    run: text,
    of: number,
  }, {
    paths: ({ file }, map) => ({ file: map(file) }),
    state: (state, { task, file }) => ({
      ...state,
      begun: task,
      current: undefined,
      skipped: [...state.skipped, file],
    }),
    progress: (_before, { task, file }) => (
      { place: [{ unit: "task", number: task, name: file }], pipeline: undefined, workers: [] }
    ),
    words: ({ task, of, file, run }) =>
      line(
        `task ${taskCount(task, of)}: ${file}: skipped, since run ${run} passed it, and nothing of it has changed; ` +
          "--force does it again",
      ),
    items: (_fact, { title }) => adds({ kind: "note", title }),
  }),
  /** Nobody answers what the task's agent asks: other tasks of the folder are done meanwhile. */
  task_parked: stepRecord({
    task: number,
    /** Absolute path. */
    file: text,
    /** The ids of its questions. */
    questions: listOf(text),
  }, {
    paths: ({ file }, map) => ({ file: map(file) }),
    state: (state) => {
      const { current, parked } = state;
      return { ...state, current: undefined, parked: current === undefined ? parked : [...parked, current] };
    },
    progress: (before, { questions }) => (
      { ...parkedWaiting(before, { ids: questions, parked: true }), place: [], pipeline: undefined, workers: [] }
    ),
    words: ({ task, questions }) =>
      line(`task ${task} waits for an answer to ${questions.join(", ")}; the next one goes on`, "caution"),
    items: (_fact, { title }) => [closes("step"), closes("task"), adds({ kind: "note", title, tone: "caution" })],
  }),
  /** A task that has waited goes on, or waits for its answer again. */
  task_continued: stepRecord({
    task: number,
    /** Absolute path. */
    file: text,
    pipeline: text,
    /** The names of the pipeline's steps. */
    steps: listOf(text),
    /** Counts from 1. */
    step: number,
    questions: listOf(text),
  }, {
    paths: ({ file }, map) => ({ file: map(file) }),
    state: (state, { file }) => ({
      ...state,
      current: state.parked.filter((task) => task.file === file).map(takenUp)[0],
      parked: state.parked.filter((task) => task.file !== file),
    }),
    progress(before, { task: number, file, pipeline, steps, step, questions }) {
      const place = [{ unit: "task", number, name: file } as const, stepLevel(step, steps)];
      const waiting = parkedWaiting(before, { ids: questions, parked: false });
      return { ...waiting, place, pipeline: { name: pipeline, steps }, workers: [] };
    },
    words: ({ task, file }) => line(`task ${task} is taken up again: ${file}`, "heading"),
    items: (_fact, { title }) => opens("task", { kind: "round", title }),
  }),
  /** What of a folder's tasks was not begun when the process left the run. */
  tasks_left: stepRecord({
    /** Absolute paths. */
    files: listOf(text),
    passable: flag,
  }, {
    paths: ({ files }, map) => ({ files: files.map(map) }),
    words: ({ files }) =>
      line(`${plural(files.length, "task")} not begun: ${files.map(plainName).join(", ")}`, "caution"),
    items: (_fact, { title }) => adds({ kind: "note", title }),
  }),
  /** A step of the task begins. */
  step_started: stepRecord({
    task: number,
    /** Counts from 1. */
    step: number,
    /** Counts from 2; missing the first time that the task comes to the step. */
    round: optional(number),
    name: text,
    provider: text,
    model: optional(text),
    autonomyLevel,
    /**
     * The SHA-256 of the note of what the files were before the step; missing where that cannot be told. A git tree in
     * journals of earlier versions.
     */
    baseline: optional(text),
    /** ISO 8601. */
    startedAt: text,
    /** Whether the sandbox of its agent's CLI is switched on; missing in older journals. */
    sandbox: optional(oneOf(...SANDBOXES)),
    /** Who decides about what needs a permission; missing in older journals. */
    permissions: optional(oneOf("policy", "person", "dry_run")),
  }, {
    state: (state, { baseline, startedAt }) =>
      atStage(state, { kind: "ready", reason: "first", sessionLost: false }, { baseline, startedAt }),
    progress(before, { step: number, name, provider, round, at }) {
      const nothing = { sessionId: undefined, pane: undefined, folder: undefined };
      const of = before.pipeline?.steps.length ?? number;
      const { place } = atLevel(before, { unit: "step", number, of, name });
      return {
        place: round === undefined ? place : [...place, { unit: "round", number: round }],
        workers: [{ name, provider, status: "starting", since: at, ...nothing }],
        activity: undefined,
      };
    },
    // The rounds of a step have its caps in common.
    meter: ({ round }, state) => round === undefined ? { kind: "worker_begins", worker: workerOf(state) } : undefined,
    words: ({ step, round, name, provider, model, autonomyLevel, sandbox, permissions }) =>
      line(
        `step ${step} "${name}"${roundText(round)}: ${provider}${
          model === undefined ? "" : ` ${model}`
        }, autonomy level ${autonomyLevel}` +
          (sandbox === undefined || permissions === undefined ? "" : `; ${permissionText({ sandbox, permissions })}`),
        "heading",
      ),
    items: ({ name }, { title }) => opens("step", { kind: "round", lane: name, title }),
  }),
} as const;

/** How a step and its task end. */
export const TASK_ENDS = {
  /** A step is over. */
  step_finished: stepRecord({
    task: number,
    step: number,
    name: text,
    outcome: oneOf("pass", "fail"),
    attempts: number,
    /** Why it failed. */
    reason: optional(text),
    /** Where the pipeline's `next` leads from here; a step without a name is the end of the task. */
    next: optional(object({ step: number, name: optional(text), round: number })),
  }, {
    isRest: true,
    state: (state, fact) =>
      fact.outcome === "pass" || fact.next !== undefined
        ? inTask(state, (task) => stepOver(task, fact))
        : closeQuestions(stepFailed(state, fact.reason ?? "")),
    progress(before, { step: number, name, outcome, reason, next, at }) {
      const ended = done(before, { unit: "step", number, name, outcome, at, ...present({ reason }) });
      if (outcome === "fail" && next === undefined) return { ...ended, ...onlyParked(before) };
      const following = stepLevel(next?.step ?? number + 1, before.pipeline?.steps ?? []);
      return { ...ended, ...atLevel(before, following), workers: [] };
    },
    meter: () => ({ kind: "checks_begin" }),
    words: ({ step, name, outcome, attempts, reason, next }) =>
      line(
        `step ${step} "${name}": ${outcome.toUpperCase()} after ${plural(attempts, "attempt")}${note(reason)}` +
          (next === undefined ? "" : `; next: ${nextText(next)}`),
        outcome === "pass" ? "good" : next === undefined ? "bad" : "caution",
      ),
    items: ({ name, outcome, next }, { title }) => [
      closes("attempt"),
      closes("step"),
      adds({
        ...{ kind: "verdict", lane: name, title },
        tone: outcome === "pass" ? "good" : next === undefined ? "bad" : "caution",
      }),
    ],
  }),
  /** A step is not done: what its `only_if` names has not come to pass. */
  step_passed_over: stepRecord({
    task: number,
    step: number,
    name: text,
    /** What there was instead. */
    reason: text,
    /** Where the pipeline's `next` leads from here; a step without a name is the end of the task. */
    next: optional(object({ step: number, name: optional(text), round: number })),
  }, {
    state: (state, { step, next }) =>
      inTask(state, (task) => {
        const following = next ?? { step: step + 1, round: roundsOf(task, step + 1) + 1 };
        return { ...task, step: newStep(following.step, { round: following.round }) };
      }),
    progress: (before, { step: number, next }) => (
      { ...atLevel(before, stepLevel(next?.step ?? number + 1, before.pipeline?.steps ?? [])), workers: [] }
    ),
    words: ({ step, name, reason }) => detail(`step ${step} "${name}" is not needed: ${reason}`),
    items: (_fact, { title }) => adds({ kind: "note", title }),
  }),
  /** A task is over. */
  task_finished: stepRecord({
    task: number,
    file: text,
    outcome: oneOf("pass", "fail"),
    reason: optional(text),
    /** Where it has passed, and task and pipeline were the same from its beginning to its end. */
    fingerprint: optional(text),
  }, {
    paths: ({ file }, map) => ({ file: map(file) }),
    state: (state, { outcome, file, reason }) =>
      outcome === "pass" ? { ...state, current: undefined, passed: [...state.passed, file] } : {
        ...inTask(state, (task) => ({ ...task, failed: reason ?? "" })),
        failed: [...state.failed, file],
      },
    progress(before, { task: number, file, outcome, reason, at }) {
      const name = levelOf(before, "task")?.name ?? file;
      const ended = done(before, { unit: "task", number, name, outcome, at, ...present({ reason }) });
      return outcome === "fail" ? ended : { ...ended, place: [], pipeline: undefined, workers: [] };
    },
    words: ({ task, outcome }) =>
      outcome === "pass" ? line(`task ${task}: PASS`, "good") : line(`task ${task}: FAIL`, "bad", "detail"),
    items: ({ outcome }, { title }) => [
      closes("task"),
      adds({ kind: "verdict", title, tone: outcome === "pass" ? "good" : "bad" }),
    ],
  }),
} as const;

/** Others have changed files meanwhile, and nobody can tell which of them are its own. */
function takenUp(task: TaskState): TaskState {
  const { step } = task;
  return { ...task, step: { ...step, isResumed: step.baseline !== undefined } };
}

function stepOver(
  task: TaskState,
  fact: {
    readonly step: number;
    readonly name: string;
    readonly outcome: "pass" | "fail";
    readonly next?: { readonly step: number; readonly round: number };
  },
): TaskState {
  const { step, outputs } = task;
  const before = outputs.find((output) => output.step === step.number);
  const files = before === undefined ? step.files : allFiles(before.files, step.files);
  const failures = (before?.failures ?? 0) + step.failures;
  const output = {
    ...{ step: step.number, name: fact.name, rounds: step.round, finalText: step.finalText, files },
    ...(failures === 0 ? {} : { failures }),
  };
  const others = before === undefined ? [...outputs, output] : outputs.map((each) => each === before ? output : each);
  const following = fact.next ?? { step: fact.step + 1, round: roundsOf(task, fact.step + 1) + 1 };
  const ledBy = fact.outcome === "pass" ? undefined : { name: fact.name, finding: findingOf(step) };
  return { ...task, outputs: others, step: newStep(following.step, { round: following.round, ledBy }) };
}

function findingOf({ stage, finalText, feedback }: StepState): string {
  const isReview = stage.kind === "failed" && (stage.check === "revise" || stage.check === "no_verdict");
  return (isReview ? finalText : feedback) ?? "";
}

/** What was changed in several rounds; undefined where one of them cannot be told. */
function allFiles(before: ChangedFiles | undefined, after: ChangedFiles | undefined): ChangedFiles | undefined {
  if (before === undefined || after === undefined) return undefined;
  const lines = before.lines === undefined && after.lines === undefined
    ? undefined
    : (before.lines ?? 0) + (after.lines ?? 0);
  return {
    names: [...new Set([...before.names, ...after.names])].sort(),
    more: Math.max(before.more, after.more),
    ...present({ lines }),
  };
}

function stepFailed(state: ExecState, reason: string): ExecState {
  const stage = state.current?.step.stage;
  if (stage?.kind === "unchecked") return atStage(state, { ...stage, final: true });
  const limited = stage?.kind === "usage_limit";
  return atStage(state, { kind: "failed", reason, final: true, ...(limited ? { limited } : {}) });
}

function nextText(
  { step, name, round }: { readonly step: number; readonly name?: string; readonly round: number },
): string {
  return name === undefined ? "the task is done" : `step ${step} "${name}"${roundText(round)}`;
}

function roundText(round = 1): string {
  return round === 1 ? "" : `, round ${round}`;
}

function taskCount(task: number, of = 0): string {
  return task > of ? String(task) : `${task} of ${of}`;
}

export function permissionText({ sandbox, permissions }: StepPermissions): string {
  const isFree = sandbox === "agent" && permissions !== "dry_run";
  const by = isFree ? "all inside, but for what deny and ask name" : PERMITTED_BY[permissions];
  return `sandbox: ${SANDBOX_WORDS[sandbox]}; permissions: ${by}`;
}

interface StepPermissions {
  readonly sandbox: SandboxKind;
  readonly permissions: "policy" | "person" | "dry_run";
}

const SANDBOX_WORDS: Readonly<Record<SandboxKind, string>> = {
  agent: "around the whole agent",
  cli: "its CLI's, on",
  off: "as its CLI's settings say",
};

const PERMITTED_BY: Readonly<Record<StepPermissions["permissions"], string>> = {
  policy: "by the policy",
  person: "by a person (permissions.auto_accept is off)",
  dry_run: "by a person (permissions.dry_run is on)",
};
