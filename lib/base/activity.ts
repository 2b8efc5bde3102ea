import { type FactOf, integer, optional, text } from "./schema.ts";
import { toldCost, usage } from "./usage.ts";

/** What an agent says and does, as people read it. */
export const AGENT_FACTS = {
  /** Its session has a name; it can be resumed by it. */
  session: { sessionId: text },
  said: { text },
  reasoned: { text },
  /** It runs a command, or calls another tool, of which `command` is a line that tells about it. */
  ran: { id: text, command: text },
  /** What it saw of that: its output, and the exit code where there is one. */
  saw: { id: text, command: text, output: text, exitCode: optional(integer) },
  /** The tokens so far, by model, and what they cost where the agent tells it. */
  usage: { usage, cost: optional(toldCost) },
  /** What it may do by its own word: its sandbox, its permission mode. */
  permitted: { mode: text },
  /** Something went wrong that did not end the turn, such as a request that is tried again. */
  trouble: { text },
};

/** One of {@linkcode AGENT_FACTS}. */
export type AgentFact = FactOf<typeof AGENT_FACTS>;
