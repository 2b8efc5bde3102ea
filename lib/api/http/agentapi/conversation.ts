import type { ReviewFact } from "../../../jobs/review_loop/facts.ts";
import { type Role, ROLES } from "../../../base/roles.ts";
import { isMessageId } from "../../../run/inbox.ts";
import type { Recorded } from "../../../run/job.ts";

/** A message of the conversation with one agent; its id is its index. */
export interface ConversationMessage {
  /** `user` is whoever speaks to the agent: panewright, or somebody from outside. */
  readonly role: "user" | "agent";
  /** ISO 8601. */
  readonly time: string;
  /** The file with its text, relative to the run's folder or absolute; undefined where none was named. */
  readonly path: string | undefined;
  /** Of a message that somebody has sent from outside: its id in the run's inbox. */
  readonly outside?: string;
}

/** The conversation with the agent of one role, by the records alone. */
interface Conversation {
  readonly messages: readonly ConversationMessage[];
  /** The file of what is about to be sent. */
  readonly sending: string | undefined;
}

/** The conversations of a run. */
export type Conversations = Readonly<Record<Role, Conversation>>;

/** Before the first record. */
export const NO_CONVERSATIONS = Object.fromEntries(
  ROLES.map((role) => [role, { messages: [], sending: undefined }]),
) as unknown as Conversations;

/**
 * The conversations after a record: what an agent was sent, once that is known to have been submitted, and the responses
 * that it gave.
 */
export function afterFact(before: Conversations, fact: Recorded<ReviewFact>): Conversations {
  switch (fact.type) {
    case "message_sending":
      return { ...before, [fact.role]: { ...before[fact.role], sending: fact.file } };
    case "message_sent": {
      const { role, turnId, what, at: time } = fact;
      const { messages, sending: path } = before[role];
      const outside = what === "prompt" && isMessageId(turnId) ? { outside: turnId } : {};
      const message: ConversationMessage = { role: "user", time, path, ...outside };
      return { ...before, [role]: { messages: [...messages, message], sending: undefined } };
    }
    case "response_received":
    case "message_answered": {
      const { role, archivedAs: path, at: time } = fact;
      if (path === undefined) return before;
      const { messages, sending } = before[role];
      return { ...before, [role]: { messages: [...messages, { role: "agent", time, path }], sending } };
    }
    default:
      return before;
  }
}
