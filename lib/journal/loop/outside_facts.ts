import { MESSAGE_WAYS } from "../../base/terms.ts";
import { ROLES } from "../../base/roles.ts";
import { flag, number, oneOf, optional, text } from "../../base/schema.ts";

const role = oneOf(...ROLES);

/** The facts of what comes to the agents of a review loop from outside. */
export const OUTSIDE_FACTS = {
  /**
   * A message from outside for a role's agent has arrived. Its turn has the message's id, and the records of turns:
   * `message_sent` says that the agent has it. No round and no verdict comes of it.
   */
  message_received: {
    messageId: text,
    role,
    /** How it came; who sends over MCP is a model. */
    by: oneOf(...MESSAGE_WAYS),
    /** Who sends it, as the sender says. */
    who: optional(text),
    /** Whether the agent is asked for a response. */
    wantsResponse: flag,
    /** Of its text, which is in the run's inbox. */
    bytes: number,
    sha256: text,
  },
  /** The agent is free for it: its turn begins. */
  message_started: { messageId: text, role },
  /** The turn that an earlier process has begun continues. */
  message_resumed: { messageId: text, role },
  /** The message's turn is over. */
  message_answered: {
    messageId: text,
    role,
    seconds: number,
    /** The response; missing where none was wanted. */
    bytes: optional(number),
    /** The file that it was archived as, absolute. */
    archivedAs: optional(text),
    sha256: optional(text),
  },
  /** The message is not sent any more, or its turn has failed; the run continues. */
  message_failed: {
    messageId: text,
    role,
    /** As a full sentence. */
    reason: text,
    /** How long its turn took; missing where it was not begun. */
    seconds: optional(number),
  },
} as const;
