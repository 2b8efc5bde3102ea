/**
 * Why a turn of an agent failed, by what its CLI says of it: in its record with a code, on its screen in words.
 *
 * - `usage_limit`: the account has nothing left until a reset, or until somebody pays
 * - `rate_limit`: too many requests for the moment
 * - `overloaded`: the model server is at capacity, or failed (5xx)
 * - `auth`: not logged in, or the server refuses the login or key
 * - `context`: the conversation is too long for the model
 * - `model`: the server does not know the model, or the account may not use it
 * - `network`: the server cannot be reached, or the connection broke
 * - `program`: parts of the CLI are not there, as while it is updated
 * - `other`: none of these, or nothing that is understood
 */
export type FailureClass =
  | "usage_limit"
  | "rate_limit"
  | "overloaded"
  | "auth"
  | "context"
  | "model"
  | "network"
  | "program"
  | "other";

/** Every class of failures. */
export const FAILURE_CLASSES = [
  "usage_limit",
  "rate_limit",
  "overloaded",
  "auth",
  "context",
  "model",
  "network",
  "program",
  "other",
] as const;

/**
 * What is done about a turn that failed.
 *
 * - `reset`: its account's limit is waited for, then the session continues
 * - `pause`: the session continues after a pause, longer each time
 * - `continue`: the session continues once more, though nothing is known of the failure
 * - `interrupt`: its turn is interrupted, as with Esc, then the session continues
 * - `restart`: its program is ended and started again, with its session
 * - `fresh_session`: another session takes the place of its own, and is told everything anew
 * - `fallback`: another agent takes its place, of another provider or with another login
 */
export type Recovery = "reset" | "pause" | "continue" | "interrupt" | "restart" | "fresh_session" | "fallback";

/** All that may be done about a turn that failed. */
export const RECOVERIES = ["reset", "pause", "continue", "interrupt", "restart", "fresh_session", "fallback"] as const;

/**
 * Whether agents run in a sandbox: `agent` is around the whole agent, `commands` the one that its CLI brings (`cli` is
 * the same), `auto` is `agent` where the machine can, else `commands`.
 */
export const SANDBOX_MODES = ["off", "cli", "commands", "agent", "auto"] as const;

/** The sandbox that an agent is in: none, its CLI's own, or one around it. */
export const SANDBOXES = ["off", "cli", "agent"] as const;

/** One of {@linkcode SANDBOXES}. */
export type SandboxKind = typeof SANDBOXES[number];

/** What a model may answer in place of a person. */
export const MODEL_ANSWERS = ["none", "questions", "all"] as const;

/** One of {@linkcode MODEL_ANSWERS}. */
export type ModelAnswers = typeof MODEL_ANSWERS[number];

/**
 * Whether only a person may answer, and no model.
 *
 * @param isPermission whether it is a request for a permission; otherwise it is a question
 */
export function isReserved(allowed: ModelAnswers, { isPermission }: { readonly isPermission: boolean }): boolean {
  return allowed === "none" || (isPermission && allowed !== "all");
}

/**
 * How an answer was given: in the terminal of the run, by `panewright answer`, by nobody in time, over HTTP, by a model
 * over MCP, or by the button of a notification.
 */
export const ANSWER_WAYS = ["terminal", "command", "timeout", "http", "mcp", "notification"] as const;

/** One of {@linkcode ANSWER_WAYS}. */
export type AnswerBy = typeof ANSWER_WAYS[number];

/**
 * Whose an answer counts as: `program` is one of this user's of which nothing shows that a person has called it, since
 * an agent may have left it behind.
 */
export const GIVER_KINDS = ["person", "model", "program"] as const;

/** One of {@linkcode GIVER_KINDS}. */
export type GiverKind = typeof GIVER_KINDS[number];

/** Whether any program of the user may say yes, or only one that is seen to be a person's. */
export const ANSWERS_FROM = ["person", "any"] as const;

/** One of {@linkcode ANSWERS_FROM}. */
export type AnswersFrom = typeof ANSWERS_FROM[number];

/** What a question of an agent leads to: a person is asked, or the agent continues with its best guess. */
export const ASK_POLICIES = ["ask", "assume"] as const;

/** One of {@linkcode ASK_POLICIES}, for all, or by the autonomy level of steps. */
export type AskPolicy =
  | typeof ASK_POLICIES[number]
  | { readonly [level: string]: typeof ASK_POLICIES[number] | undefined };

/** What an agent is told that nobody is asked for. */
export const ASSUME =
  "Nobody is asked. Continue with your best guess, and name it in your last message, in a line that " +
  "begins with ASSUMPTION: a person confirms it later.";

/** What comes of an answer to a run that nobody executes: the run is resumed, or the answer is kept until it is. */
export const ON_ANSWER = ["resume", "keep"] as const;

/** One of {@linkcode ON_ANSWER}. */
export type OnAnswer = typeof ON_ANSWER[number];

/** What a person says of a host that a program in the sandbox wants to reach: this time, until the run ends, or not. */
export const HOST_ANSWERS = ["once", "run", "no"] as const;

/** One of {@linkcode HOST_ANSWERS}. */
export type HostAnswer = typeof HOST_ANSWERS[number];

/** How a person is shown what a yes permits: all of it, with a secret masked, or not all of it. */
export const SHOWN = ["whole", "masked", "cut"] as const;

/** What that means for an answer, as references of formats say it. */
export const SHOWN_MEANS =
  "Whether all that a yes permits is shown: a yes to what is masked or cut is refused, a no is not.";

/** One of {@linkcode SHOWN}. */
export type Shown = typeof SHOWN[number];

/** What gave an answer, as far as the system tells. */
export interface Giver {
  readonly kind: GiverKind;
  /** The process that left it; missing where nothing was recorded of it. */
  readonly pid?: number;
  /** The names of the processes above it, the nearest first. */
  readonly below: readonly string[];
  readonly terminal?: string;
}

/** Whose answer a question has, and how it came. */
export interface AnswerSource {
  readonly by: AnswerBy;
  /** Who gave it, where that has a name: an MCP client, say. Foreign text. */
  readonly who?: string;
  /** Missing where it was not told, as in older journals. */
  readonly giver?: Giver;
}

/** How an answer came, in words that follow "given". */
export function answerWay({ by, who, giver }: AnswerSource): string {
  const given = who === undefined ? WAYS[by] : `${WAYS[by]} (${who})`;
  return giver?.kind === "program" ? `${given} [a program of this user, ${processWords(giver)}]` : given;
}

/** The process that gave an answer, in words. */
export function processWords({ pid, below, terminal }: Giver): string {
  const process = pid === undefined ? "a process that was not recorded" : `process ${pid}`;
  const above = below.length === 0 ? "" : `, below ${below.join(", ")}`;
  return `${process}${terminal === undefined ? "" : ` on ${terminal}`}${above}`;
}

const WAYS: Readonly<Record<AnswerBy, string>> = {
  terminal: "in the terminal of the run",
  command: "by panewright answer",
  timeout: "by nobody in time",
  http: "over HTTP",
  mcp: "by a model over MCP",
  notification: "by the button of a notification",
};

/** The ways in which a message for an agent comes from outside; who sends over MCP is a model. */
export const MESSAGE_WAYS = ["command", "http", "mcp"] as const;

/** One of {@linkcode MESSAGE_WAYS}. */
export type MessageWay = typeof MESSAGE_WAYS[number];

/** Whether a text is an id of a message. */
export function isMessageId(text: string): boolean {
  return /^m-[0-9a-f]{16}$/.test(text);
}

/**
 * What an agent is sent in a turn: its prompt, a reminder of the response file, the refusal of what it asked for, or a
 * request to continue after its CLI was started again, or after a failure of its model server.
 */
export type MessageKind = "prompt" | "reminder" | "refusal" | "continuation";

/** What a person says to a dialog that asks for a yes or a no. */
export interface PersonsAnswer {
  readonly answer: "accept" | "decline";
  /** What a person adds to a no, for the agent. */
  readonly reason?: string;
}

const ANSWER = /^\s*(?<word>yes|y|no|n)\b[\s.,:;-]*(?<reason>[^]*)$/i;

/** Reads a person's answer to a dialog: `yes`, or `no` with or without a reason. Anything else is none. */
export function parsePersonsAnswer(text: string): PersonsAnswer | undefined {
  const { word = "", reason = "" } = ANSWER.exec(text)?.groups ?? {};
  if (word === "") return undefined;
  const added = reason.trim();
  if (/^n/i.test(word)) return { answer: "decline", ...(added === "" ? {} : { reason: added }) };
  return added === "" ? { answer: "accept" } : undefined;
}
