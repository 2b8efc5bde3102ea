import { FAILURE_CLASSES } from "../../base/terms.ts";
import { auditEnd } from "../loop/dialog_facts.ts";
import { toldCost, usage } from "../usage.ts";
import { flag, number, object, oneOf, optional, text, type ValueOf } from "../../base/schema.ts";

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

/** The facts of an attempt of a step: what its agent does, asks and waits for. */
export const ATTEMPT_FACTS = {
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
    decision: oneOf("ask", "allow", "deny"),
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
} as const;

/** Why an attempt of a step is made. */
export type AttemptReason = ValueOf<typeof reason>;

/** Who gave an answer. */
export type AnsweredBy = ValueOf<typeof answeredBy>;
