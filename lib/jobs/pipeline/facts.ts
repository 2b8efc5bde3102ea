import type { HeadlessFact } from "../../providers/headless.ts";
import { auditEnd } from "../../dialogs/facts.ts";
import { PERMISSION_DECISIONS } from "../../dialogs/policy/mod.ts";
import { MODEL_ANSWERS } from "../../dialogs/settings.ts";
import { FAILURE_CLASSES } from "../../providers/failure.ts";
import { SANDBOX_MODES } from "../../providers/sandbox.ts";
import { cost } from "../../run/prices.ts";
import type { MapPath } from "../../run/journal_paths.ts";
import { runEnd, STARTED_BY } from "../../run/progress.ts";
import { toldCost, usage } from "../../run/usage.ts";
import {
  either,
  type FactOf,
  flag,
  listOf,
  mapOf,
  number,
  object,
  oneOf,
  optional,
  text,
  type ValueOf,
} from "../../schema.ts";

/** How much an agent asks. */
const autonomyLevel = oneOf(0, 1, 2, 3, 4, 5);

/** Why an attempt of a step is made. */
const reason = oneOf(
  "first",
  /** The one before it failed, or a check after it. */
  "retry",
  /** The question of the one before it was answered. */
  "answered",
  /** The one before it was interrupted: panewright was stopped, or crashed. */
  "interrupted",
  /** The one before it met the account's usage limit, which was waited for. */
  "limit_reset",
);

/** Who gave an answer. */
const answeredBy = oneOf(
  /** A person in the terminal of the run. */
  "terminal",
  /** `panewright answer`. */
  "command",
  /** A program or a page over HTTP. */
  "http",
  /** A model over MCP. */
  "mcp",
  /** The button of a notification. */
  "notification",
  /** Nobody in time: the default answer of the configuration. */
  "timeout",
  /** Nobody: at autonomy level 0 the agent is told to decide. */
  "level",
  /** Nobody: the step had asked its share of questions before. */
  "cap",
);

/**
 * The facts of `panewright exec`: each record type with its fields. The same facts are the NDJSON of `--json`, the
 * progress lines for a person and the records of the run's journal, from which its state is folded.
 */
export const EXEC_FACTS = {
  /** A run begins: the first record after the one that opens the journal. */
  run_started: {
    job: oneOf("exec"),
    runId: text,
    workdir: text,
    /** The run's folder where it was then: journal, logs of the steps, answers. */
    folder: text,
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
      check: optional(text),
    }),
    /** What a model may answer in place of a person; missing in older journals. */
    modelAnswers: optional(oneOf(...MODEL_ANSWERS)),
    /** The version that started it. */
    panewright: optional(text),
    /** From where it was started, where it has no terminal. */
    startedBy: optional(oneOf(...STARTED_BY)),
    /** SHA-256 of the key of the request that it carries out. */
    key: optional(text),
  },
  /** Another process resumes the run. */
  run_resumed: {
    runId: text,
    folder: text,
    /** The working directory as it was before, where the run was carried elsewhere since. */
    carriedFrom: optional(text),
    /** Whether it was carried as a copy: the original was still there. */
    isCopy: optional(flag),
    /** The config file, where it is another one from now on. */
    configFile: optional(text),
    /** What the agent did in an attempt that was broken off. */
    interruptedLog: optional(text),
    /** The caps that were raised, by name. */
    raised: optional(mapOf(number)),
    modelAnswers: optional(oneOf(...MODEL_ANSWERS)),
    panewright: optional(text),
    startedBy: optional(oneOf(...STARTED_BY)),
  },
  /** A task begins. */
  task_started: {
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
  },
  /** A task of a folder is left out: an earlier run passed it, and neither it nor its pipeline has changed. */
  task_skipped: {
    /** Counts from 1, with the tasks that were begun. */
    task: number,
    /** Absolute path. */
    file: text,
    /** The id of that run. */
    run: text,
    of: number,
  },
  /** A step of the task begins. */
  step_started: {
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
    sandbox: optional(oneOf(...SANDBOX_MODES)),
    /** Who decides about what needs a permission; missing in older journals. */
    permissions: optional(oneOf("policy", "person", "dry_run")),
  },
  /** A step's agent is started. */
  attempt_started: {
    task: number,
    step: number,
    /** Counts from 1 in its step. */
    attempt: number,
    reason,
    /** Whether the CLI's own session is resumed. */
    native: flag,
    /** Relative to the run's folder. */
    folder: text,
    promptBytes: number,
    /** ISO 8601; missing in older journals. */
    startedAt: optional(text),
  },
  /** The CLI's session of the attempt under way has a name. */
  session_found: { sessionId: text },
  /** What the CLI says that the agent of the attempt under way may do: its sandbox, its permission mode. */
  agent_permitted: { mode: text, passable: flag },
  /** A call of a tool was decided about, before it ran. */
  call_decided: {
    task: number,
    step: number,
    attempt: number,
    decision: oneOf(...PERMISSION_DECISIONS),
    kind: text,
    /** The CLI's name of the tool. */
    tool: text,
    /** The command, the files. */
    subject: text,
    /** Which rule decided, or `person`. */
    rule: text,
    reason: text,
    /** Which call it was, where a person's yes to it is used up. */
    call: optional(text),
    /** Where the audit log ends once the decision is in it. */
    audit: auditEnd,
    passable: flag,
  },
  /** What the attempt under way has used so far, told after each reply of a model. */
  tokens_counted: {
    usage,
    /** What it has cost, where the agent tells that. */
    cost: optional(toldCost),
    passable: flag,
  },
  /** Its agent has run one command that often, with the same output and nothing else in between. */
  command_repeated: { command: text, times: number, passable: flag },
  /** The agent has ended its turn, or failed. */
  attempt_finished: {
    task: number,
    step: number,
    attempt: number,
    outcome: oneOf("completed", "failed"),
    /** Why it failed. */
    error: optional(text),
    /** Of what kind the failure is; missing where there is none, and in older journals. */
    failure: optional(oneOf(...FAILURE_CLASSES)),
    timedOut: flag,
    exitCode: number,
    finalText: text,
    sessionId: optional(text),
    usage,
    cost: optional(toldCost),
    usageLimit: optional(object({ resetsAt: optional(text), message: text })),
    attemptLog: text,
    seconds: number,
  },
  /** The agent asks a person, and was stopped. */
  question_asked: {
    /** Unique in its run: `q1`, `q2`, … */
    question: text,
    task: number,
    step: number,
    stepName: text,
    attempt: number,
    text,
    /** What the agent did before it asked, condensed. */
    attemptLog: text,
    sessionId: optional(text),
    usage,
    cost: optional(toldCost),
    seconds: number,
    /** ISO 8601. */
    askedAt: text,
    /** A call of a tool that needs a person's permission, by a fingerprint; missing for a question of the agent. */
    call: optional(text),
  },
  /** The question has its answer. */
  question_answered: {
    question: text,
    answer: text,
    by: answeredBy,
    /** Who gave it, where that has a name. */
    who: optional(text),
    /** ISO 8601. */
    answeredAt: text,
  },
  /** Nobody is there to answer: the run waits until both commands were given. */
  question_waiting: { question: text, text, answerCommand: text, resumeCommand: text },
  /** The usage limit of the agent's account is reached; it is waited for. */
  usage_limit_reached: { message: text, resetsAt: optional(text) },
  /** That wait is over. */
  usage_limit_waited: {},
  /** All files of the working directory are looked at, which can take a while. */
  files_look_started: { task: number, step: number, moment: oneOf("before", "after"), passable: flag },
  /** It was looked for files that the step may not write. */
  writes_checked: {
    task: number,
    step: number,
    /** Files changed outside of allow_write, relative to the working directory. */
    outside: listOf(text),
    /** How many more there are. */
    more: optional(number),
    /** Why it cannot be told which files were changed. */
    untold: optional(text),
    /** Whether such files, or that it cannot be told, make the step fail. */
    enforced: flag,
    note: optional(text),
  },
  /** What a step that is over has changed; with what its checks have. */
  files_changed: {
    task: number,
    step: number,
    /** Relative to the working directory. */
    files: listOf(text),
    /** How many more there are. */
    more: optional(number),
    /** Where `files.txt` with all of them is, relative to the run's folder. */
    folder: text,
    /** Whether `diff.patch` is there, too. */
    hasPatch: flag,
    passable: flag,
  },
  /** A check of the step begins. */
  check_started: {
    task: number,
    step: number,
    /** Counts from 1. */
    check: number,
    description: text,
  },
  /** A check of the step has ended. */
  check_finished: {
    task: number,
    step: number,
    check: number,
    /** What was checked, as when it started; missing in older journals. */
    description: optional(text),
    passed: flag,
    /** Whether it could not be made: it says nothing of the work then. */
    notMade: optional(flag),
    /** Why it failed, or what it found. */
    detail: text,
    /** The end of what a command wrote, without control characters; may be many lines. */
    output: text,
    seconds: number,
    /** What the review says that was checked; `none` where it states no unambiguous verdict. */
    verdict: optional(oneOf("APPROVED", "REVISE", "none")),
    /** A fingerprint of the working directory's files, where the check failed and may be tried again. */
    files: optional(text),
  },
  /** A step is over. */
  step_finished: {
    task: number,
    step: number,
    name: text,
    outcome: oneOf("pass", "fail"),
    attempts: number,
    /** Why it failed. */
    reason: optional(text),
    /** Where the pipeline's `next` leads from here; a step without a name is the end of the task. */
    next: optional(object({ step: number, name: optional(text), round: number })),
  },
  /** A task is over. */
  task_finished: {
    task: number,
    file: text,
    outcome: oneOf("pass", "fail"),
    reason: optional(text),
    /** Where it has passed, and task and pipeline were the same from its beginning to its end. */
    fingerprint: optional(text),
  },
  /** Something that a person should know of, and that does not stop the run. */
  warning: { message: text },
  /** The process has ended the run, or leaves it to be resumed. */
  run_finished: {
    outcome: runEnd,
    /** How many tasks have passed. */
    tasks: number,
    reason: text,
    /** Of the whole run, earlier processes included. */
    usage,
    /** By the names that the steps' caps have: `main/build`. */
    usageByStep: optional(mapOf(usage)),
    /** Missing where there are no prices. */
    cost: optional(cost),
    seconds: number,
    /** Where the audit log ends; missing in older journals. */
    audit: optional(auditEnd),
    /** The command that resumes it; missing where it has passed, or a question waits first. */
    resumeCommand: optional(text),
  },
} as const;

/** What happens in a run of `panewright exec`, and changes its state. */
export type ExecFact = FactOf<typeof EXEC_FACTS>;

/**
 * {@linkcode ExecFact}, and what the agent says and does at this moment: the attempt's folder has that, not the
 * journal.
 */
export type ExecEvent =
  | ExecFact
  | {
    readonly type: "agent_activity";
    readonly task: number;
    readonly step: number;
    readonly attempt: number;
    readonly fact: HeadlessFact;
  };

/** A fact with each of its paths changed. */
export function mapExecPaths(fact: ExecFact, map: MapPath): ExecFact {
  switch (fact.type) {
    case "run_started": {
      const { workdir, target, configFile } = fact;
      return {
        ...fact,
        workdir: map(workdir),
        target: { ...target, path: map(target.path) },
        configFile: configFile === null ? null : map(configFile),
      };
    }
    case "run_resumed":
      return fact.configFile === undefined ? fact : { ...fact, configFile: map(fact.configFile) };
    case "task_started":
    case "task_skipped":
    case "task_finished":
      return { ...fact, file: map(fact.file) };
    default:
      return fact;
  }
}

/** Why an attempt of a step is made. */
export type AttemptReason = ValueOf<typeof reason>;
/** Who gave an answer. */
export type AnsweredBy = ValueOf<typeof answeredBy>;
