import type { HeadlessFact, TokenUsage } from "../../providers/headless.ts";
import type { ExecOverrides, ExecTarget } from "./plan.ts";
import type { AutonomyLevel } from "./settings.ts";

/** Tokens by model. */
export type Usage = Readonly<Record<string, TokenUsage>>;

/** Why an attempt of a step is made. */
export type AttemptReason =
  | "first"
  /** The one before it failed, or a check after it. */
  | "retry"
  /** The question of the one before it was answered. */
  | "answered"
  /** The one before it was interrupted: panewright was stopped, or crashed. */
  | "interrupted"
  /** The one before it met the account's usage limit, which was waited for. */
  | "limit_reset";

/** Who gave an answer. */
export type AnsweredBy =
  /** A person in the terminal of the run. */
  | "terminal"
  /** `panewright answer`. */
  | "command"
  /** Nobody in time: the default answer of the configuration. */
  | "timeout"
  /** Nobody: at autonomy level 0 the agent is told to decide. */
  | "level"
  /** Nobody: the step had asked its share of questions before. */
  | "cap";

/** How a run ended, or where it stands still. */
export type ExecOutcome = "pass" | "fail" | "waiting" | "error" | "interrupted";

/**
 * What happens in a run of `panewright exec`, one fact an event. The same events are the NDJSON of `--json`, the progress
 * lines for a person and, but for `agent_activity`, the records of the run's journal, from which its state is folded.
 */
export type ExecEvent =
  | {
    readonly type: "run_started";
    readonly job: "exec";
    readonly runId: string;
    readonly workdir: string;
    /** The run's folder, absolute: journal, logs of the steps, answers. */
    readonly folder: string;
    readonly target: ExecTarget;
    /** Absolute path of the config file; null where there is none. */
    readonly configFile: string | null;
    readonly overrides: ExecOverrides;
  }
  /** Another process goes on with the run. */
  | {
    readonly type: "run_resumed";
    readonly runId: string;
    readonly folder: string;
    /** What the agent did in an attempt that was broken off. */
    readonly interruptedLog?: string;
  }
  | {
    readonly type: "task_started";
    /** Counts from 1. */
    readonly task: number;
    /** Absolute path. */
    readonly file: string;
    readonly pipeline: string;
    /** The names of the pipeline's steps. */
    readonly steps: readonly string[];
    /** The task's text, without its front matter. */
    readonly text: string;
    /** What the task's front matter says. */
    readonly autonomyLevel?: AutonomyLevel;
  }
  | {
    readonly type: "step_started";
    readonly task: number;
    /** Counts from 1. */
    readonly step: number;
    readonly name: string;
    readonly provider: string;
    readonly model?: string;
    readonly autonomyLevel: AutonomyLevel;
    /** Git tree of the working directory before the step; only where writes are looked at. */
    readonly baseline?: string;
    /** ISO 8601. */
    readonly startedAt: string;
  }
  | {
    readonly type: "attempt_started";
    readonly task: number;
    readonly step: number;
    /** Counts from 1 in its step. */
    readonly attempt: number;
    readonly reason: AttemptReason;
    /** Whether the CLI's own session goes on. */
    readonly native: boolean;
    /** Relative to the run's folder. */
    readonly folder: string;
    readonly promptBytes: number;
  }
  /** The CLI's session of the attempt under way has a name. */
  | { readonly type: "session_found"; readonly sessionId: string }
  /** What the agent says and does at this moment. Not in the journal: the attempt's folder has it. */
  | { readonly type: "agent_activity"; readonly task: number; readonly step: number; readonly fact: HeadlessFact }
  | {
    readonly type: "attempt_finished";
    readonly task: number;
    readonly step: number;
    readonly attempt: number;
    readonly outcome: "completed" | "failed";
    /** Why it failed. */
    readonly error?: string;
    readonly timedOut: boolean;
    readonly exitCode: number;
    readonly finalText: string;
    readonly sessionId?: string;
    readonly usage: Usage;
    readonly usageLimit?: { readonly resetsAt?: string; readonly message: string };
    readonly attemptLog: string;
    readonly seconds: number;
  }
  | {
    readonly type: "question_asked";
    /** Unique in its run: `q1`, `q2`, … */
    readonly question: string;
    readonly task: number;
    readonly step: number;
    readonly stepName: string;
    readonly attempt: number;
    readonly text: string;
    /** What the agent did before it asked, condensed. */
    readonly attemptLog: string;
    readonly sessionId?: string;
    readonly usage: Usage;
    readonly seconds: number;
    /** ISO 8601. */
    readonly askedAt: string;
  }
  | {
    readonly type: "question_answered";
    readonly question: string;
    readonly answer: string;
    readonly by: AnsweredBy;
    /** ISO 8601. */
    readonly answeredAt: string;
  }
  /** Nobody is there to answer: the run stands still until both commands were given. */
  | {
    readonly type: "question_waiting";
    readonly question: string;
    readonly text: string;
    readonly answerCommand: string;
    readonly resumeCommand: string;
  }
  | { readonly type: "usage_limit_reached"; readonly message: string; readonly resetsAt?: string }
  | { readonly type: "usage_limit_waited" }
  | {
    readonly type: "writes_checked";
    readonly task: number;
    readonly step: number;
    /** Files changed outside of allow_write, relative to the working directory. */
    readonly outside: readonly string[];
    /** Whether such files make the step fail. */
    readonly enforced: boolean;
    readonly note?: string;
  }
  | {
    readonly type: "check_started";
    readonly task: number;
    readonly step: number;
    /** Counts from 1. */
    readonly check: number;
    readonly description: string;
  }
  | {
    readonly type: "check_finished";
    readonly task: number;
    readonly step: number;
    readonly check: number;
    readonly passed: boolean;
    /** Why it failed, or what it found. */
    readonly detail: string;
    /** The end of what a command wrote, without control characters; may be many lines. */
    readonly output: string;
    readonly seconds: number;
  }
  | {
    readonly type: "step_finished";
    readonly task: number;
    readonly step: number;
    readonly name: string;
    readonly outcome: "pass" | "fail";
    readonly attempts: number;
    /** Why it failed. */
    readonly reason?: string;
  }
  | {
    readonly type: "task_finished";
    readonly task: number;
    readonly file: string;
    readonly outcome: "pass" | "fail";
    readonly reason?: string;
  }
  | { readonly type: "warning"; readonly message: string }
  | {
    readonly type: "run_finished";
    readonly outcome: ExecOutcome;
    /** How many tasks have passed. */
    readonly tasks: number;
    readonly reason: string;
    /** Of the whole run, what was resumed included. */
    readonly usage: Usage;
    readonly seconds: number;
    /** The command that goes on with it; missing where it has passed, or a question waits first. */
    readonly resumeCommand?: string;
  };

/** The facts that change a run's state. */
export type ExecFact = Exclude<ExecEvent, { readonly type: "agent_activity" }>;
