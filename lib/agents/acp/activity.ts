import { type FactOf, flag, listOf, number, object, oneOf, optional, text } from "../../base/schema.ts";

/** How far a tool call, or an entry of a plan, is. */
const callStatus = oneOf("pending", "in_progress", "completed", "failed");

/**
 * What an agent over ACP does, for a person who watches it: told as it happens, kept in a file of its role, and never
 * decided upon. All text is the agent's own, unless a field says otherwise: it is neither safe for a terminal nor
 * without secrets.
 */
export const ACP_ACTIVITIES = {
  /** The agent's process is up and its session open. */
  session: {
    /** What the agent calls itself, with its version. */
    agent: text,
    sessionId: text,
    /** Whether it is the session of an earlier process. */
    resumed: flag,
  },
  /** The session is in this mode now. */
  mode: { mode: text },
  /** A message was sent to the agent; `text` is ours. */
  turn_begun: { text },
  /**
   * A piece of what the agent says, as it comes: pieces in a row make a message, and a piece with another id begins the
   * next one.
   */
  message: { id: optional(text), text },
  /** A piece of what the agent thinks, like `message`. */
  thought: { id: optional(text), text },
  /** The agent's plan, whole each time. */
  plan: { entries: listOf(object({ text, status: callStatus })) },
  /** A tool call that is new, or has changed; all that is known of it each time. */
  tool_call: {
    id: text,
    /** As the protocol has it: `read`, `edit`, `delete`, `move`, `search`, `execute`, `think`, `fetch`, `other`. */
    kind: text,
    title: text,
    status: callStatus,
    /** Its exact command, where it is one that runs a command. */
    command: optional(text),
    /** The files that it is about. */
    paths: optional(listOf(text)),
  },
  /** What a tool call has written since it was told last. */
  tool_output: { id: text, text },
  /** The agent waits for a permission, or for the answer to a question. */
  permission_asked: {
    /** Of the request, not of the tool call. */
    id: text,
    /** What is asked for: the exact command or files, the question, or the title of a call whose input is not known. */
    text,
  },
  permission_answered: {
    id: text,
    /** `gone`: the agent does not wait for it any more. */
    answer: oneOf("allow", "reject", "reply", "gone"),
    /** Who decided, and what was replied, as far as that is told; ours. */
    note: optional(text),
  },
  /** Tokens and cost so far, as far as the agent tells them. */
  usage: {
    inputTokens: optional(number),
    outputTokens: optional(number),
    /** Tokens in the model's context, and how many there is room for. */
    contextTokens: optional(number),
    contextSize: optional(number),
    /** What it has cost, in US dollars. */
    costUsd: optional(number),
  },
  /** Something else that is worth knowing; ours, though it may quote the agent. */
  note: { text, isProblem: flag },
  /** The turn is over. */
  turn_ended: {
    /** `end_turn`, `max_tokens`, `refusal`, `cancelled`, …, or in our words how it was noticed. */
    reason: text,
    /** Whether it came to its end by itself, and without an error. */
    isGood: flag,
  },
  /** The agent's process has ended; `text` says how and is ours. */
  ended: { text },
} as const;

/** Something that an agent over ACP does. */
export type AcpActivity = FactOf<typeof ACP_ACTIVITIES>;
