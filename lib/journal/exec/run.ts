import { usage } from "../../base/usage.ts";
import { either, flag, listOf, mapOf, number, object, oneOf, optional, present, text } from "../../base/schema.ts";
import { warned } from "../progress.ts";
import { changeAgent, titleOf } from "./place.ts";
import { type AttemptReason, autonomyLevel, CHOOSERS, REVIEWS } from "./fields.ts";
import { type ExecState, INITIAL_STATE, inStep, inTask, newStep, type StepStage, type TaskState } from "./state.ts";
import { stillUnusable } from "../recovery.ts";
import { entriesOf } from "../entry.ts";
import { lanesTakenUp } from "./lane.ts";
import {
  BASE_TRIED,
  EVIDENCE,
  FINISHED,
  GROUND,
  HOST_ASKED,
  HOST_DECIDED,
  REFUSED_INSIDE,
  RESUMED,
  SET_UP,
  STARTED,
  WARNED,
} from "../common.ts";
import { GROUND_LOST, RUN_FACTS } from "../run_facts.ts";
import { mayAnswer, withoutHosts } from "../waiting.ts";
import { basename } from "@std/path/posix";

const stepRecord = entriesOf<ExecState>();

/** How a run of `panewright exec` begins, and continues in another process. */
export const RUN_BEGINS = {
  run_started: stepRecord({
    job: oneOf("exec"),
    ...RUN_FACTS.run_started,
    target: object({ kind: oneOf("task", "folder"), path: text, text: optional(text) }),
    /** Absolute path of the config file; null where there is none. */
    configFile: either(text, oneOf(null)),
    overrides: object({
      pipeline: optional(text),
      autonomyLevel: optional(autonomyLevel),
      resume: optional(oneOf("native", "replay")),
      keepGoing: optional(flag),
      only: optional(listOf(text)),
      force: optional(flag),
      provider: optional(text),
      session: optional(object({ id: text, file: text })),
      check: optional(text),
      parallel: optional(number),
      attempts: optional(number),
      choose: optional(oneOf(...CHOOSERS)),
      review: optional(oneOf(...REVIEWS)),
      strict: optional(flag),
      roles: optional(object({ cwd: text, flags: mapOf((_value): _value is unknown => true) })),
    }),
  }, {
    paths: ({ workdir, target, configFile }, map) => ({
      workdir: map(workdir),
      target: { ...target, path: map(target.path) },
      configFile: configFile === null ? null : map(configFile),
    }),
    state: (_state, { runId: id, workdir, target, configFile, overrides, folder }) => ({
      ...INITIAL_STATE,
      run: { id, workdir, target, configFile, overrides, folder, isCopy: false, carriedFrom: [] },
    }),
    progress(before, { runId, folder, workdir, configFile, target, modelAnswers, answersFrom, onAnswer, at }) {
      const about = target.text === undefined ? basename(target.path) : titleOf(target.text);
      const times = { startedAt: at, executedSince: at };
      return {
        runId,
        folder,
        workdir,
        configFile,
        about,
        ...times,
        ...mayAnswer(before, { modelAnswers, answersFrom, onAnswer }),
      };
    },
    head: ({ target, panewright }) => ({ task: target.text ?? "", panewright }),
    ...STARTED,
  }),
  run_resumed: stepRecord({
    ...RUN_FACTS.run_resumed,
    /** Whether it was carried as a copy: the original was still there. */
    isCopy: optional(flag),
    /** What the agent did in an attempt that was broken off. */
    interruptedLog: optional(text),
  }, {
    state(state, fact) {
      const { folder, configFile, carriedFrom, isCopy, interruptedLog, handedBack, said } = fact;
      const begun = inTask(state, (task) => resumed(task, { interruptedLog, handedBack, said }));
      const after = inStep(begun, (step) => ({ ...step, isResumed: step.baseline !== undefined, tried: {} }));
      const run = after.run && {
        ...after.run,
        folder,
        configFile: configFile ?? after.run.configFile,
        isCopy: after.run.isCopy || isCopy === true,
        carriedFrom: [...after.run.carriedFrom, ...(carriedFrom === undefined ? [] : [carriedFrom])],
      };
      // What the CLI's session knows are the paths of the old place.
      const here = carriedFrom === undefined ? after : inStep(after, (step) => ({ ...step, sessionId: undefined }));
      const fresh = { failed: [], groundRestarts: 0, ...stillUnusable(state), ...lanesTakenUp(state) };
      return { ...here, run, ...fresh, finished: undefined };
    },
    progress: (before, { folder, configFile, modelAnswers, answersFrom, onAnswer, at }) => ({
      folder,
      ...mayAnswer(before, { modelAnswers, answersFrom, onAnswer }),
      ...present({ configFile }),
      // An attempt that was under way, or has failed, is made anew.
      ...(["processing", "error"].includes(before.workers[0]?.status ?? "")
        ? changeAgent(before, { status: "starting", since: at })
        : {}),
      executedSince: at,
      activity: undefined,
      finished: undefined,
    }),
    ...RESUMED,
  }),
  /** What the agents were in is gone, and is opened anew; the attempt under way is made once more. */
  ground_lost: stepRecord({
    ...GROUND_LOST,
    /** What the agent did in it. */
    interruptedLog: optional(text),
  }, {
    state: (state, { restart, interruptedLog }) => ({
      ...inTask(state, (task) => resumed(task, { interruptedLog })),
      groundRestarts: restart,
    }),
    progress: (before, { at }) => ({
      ...changeAgent(before, { status: "starting", since: at }),
      ...withoutHosts(before),
      activity: undefined,
    }),
    ...GROUND,
  }),
} as const;

/** What a person should know of a run, and how it ends. */
export const RUN_ENDS = {
  warning: stepRecord(RUN_FACTS.warning, {
    progress: (before, { at, message }) => warned(before, { at, message }),
    ...WARNED,
  }),
  sandbox_refused: stepRecord(RUN_FACTS.sandbox_refused, REFUSED_INSIDE),
  workspace_set_up: stepRecord(RUN_FACTS.workspace_set_up, SET_UP),
  base_tried: stepRecord(RUN_FACTS.base_tried, BASE_TRIED),
  evidence_gathered: stepRecord(RUN_FACTS.evidence_gathered, EVIDENCE),
  host_asked: stepRecord(RUN_FACTS.host_asked, HOST_ASKED),
  host_decided: stepRecord(RUN_FACTS.host_decided, HOST_DECIDED),
  run_finished: stepRecord({
    ...RUN_FACTS.run_finished,
    /** How many tasks have passed. */
    tasks: number,
    /** Of the whole run, earlier processes included. */
    usage,
    /** By the names that the steps' caps have: `main/build`. */
    usageByStep: optional(mapOf(usage)),
    /** The command that resumes it; missing where it has passed, or a question waits first. */
    resumeCommand: optional(text),
  }, {
    state: (state, { outcome, reason }) => ({ ...state, finished: { outcome, reason } }),
    progress: (before, { outcome, reason, resumeCommand, usage, recovered, left, seconds, at }) => (
      {
        ...withoutHosts(before),
        usage,
        finished: { outcome, reason, at, seconds, ...present({ resumeCommand, left }) },
        ...present({ recovered }),
      }
    ),
    ...FINISHED,
  }),
} as const;

function resumed(
  task: TaskState,
  { interruptedLog = "", handedBack, said }: {
    readonly interruptedLog?: string | undefined;
    readonly handedBack?: string | undefined;
    readonly said?: string | undefined;
  },
): TaskState {
  const step = said === undefined ? task.step : { ...task.step, said: { text: said, isHeard: false } };
  const ready = (reason: AttemptReason): StepStage => ({ kind: "ready", reason, sessionLost: false });
  const isHandedBack = handedBack !== undefined && handedBack === step.sessionId;
  const reason = isHandedBack ? "handed_back" : said === undefined ? undefined : "told";
  if (step.stage.kind === "running") {
    return { ...task, step: { ...step, attemptLog: interruptedLog, stage: ready(reason ?? "interrupted") } };
  }
  if (step.stage.kind === "auth") return { ...task, step: { ...step, stage: ready("retry") } };
  if (step.stage.kind === "unchecked") {
    const { writesChecked } = step.stage;
    return { ...task, failed: undefined, step: { ...step, stage: { kind: "completed", writesChecked, checked: 0 } } };
  }
  if (step.stage.kind !== "failed" || !step.stage.final) return { ...task, step };
  const { attempts, baseline, startedAt, attemptLog, feedback } = step;
  const told = present({ said: step.said });
  const again = { ...newStep(step.number, step), attempts, baseline, startedAt, attemptLog, feedback, ...told };
  if (reason === undefined) return { ...task, failed: undefined, step: { ...again, stage: ready("retry") } };
  const { sessionId, login } = step;
  return {
    ...task,
    failed: undefined,
    step: { ...again, ...present({ sessionId, login }), stage: ready(reason) },
  };
}
