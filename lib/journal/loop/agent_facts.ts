import { ROLES } from "../../base/roles.ts";
import { flag, listOf, number, oneOf, optional, text } from "../../base/schema.ts";

const role = oneOf(...ROLES);

/** The facts of the agents of a review loop, and of the session that their panes are in. */
export const AGENT_FACTS = {
  /** About to open a tmux session, or to add windows to one that exists. */
  session_opening: {
    /** Name or path of the server's socket. */
    socket: text,
    session: text,
    /** Whether the session is a person's own. */
    existing: flag,
    /** What everything that is started in it carries in its environment. */
    mark: text,
  },
  /** The panes are open; `attachCommand` shows them to a person. */
  session_opened: { attachCommand: text },
  /** The session that an earlier process of the run opened is still there. */
  session_adopted: { attachCommand: text },
  /** About to start a role's agent. */
  agent_starting: {
    role,
    provider: text,
    /** How it is driven; missing where it is in a pane. */
    protocol: optional(oneOf("acp")),
    /** The id of the CLI's own session that it resumes. */
    resumes: optional(text),
  },
  /** The agent waits for its first prompt. */
  agent_ready: {
    role,
    terminalId: text,
    seconds: number,
    /** The agent's program: its process id, and its start in the notation of the process table. */
    pid: number,
    processStart: optional(text),
    /** The shell that the program was started by, where it is a script. */
    wrapperShell: optional(text),
    /** When the program was started, in milliseconds since the epoch. */
    launchedAtMs: number,
    /**
     * The folders besides the working directory in which its sandbox lets commands write; missing without a sandbox.
     */
    sandbox: optional(listOf(text)),
    /** The mode of its session, where it is driven by a protocol that tells it. */
    mode: optional(text),
  },
  /** The agent of an earlier process of the run is alive, and stays. */
  agent_adopted: { role, terminalId: text },
  /** An agent's program has ended by itself, and is started again. */
  agent_lost: {
    role,
    terminalId: text,
    /** How it ended. */
    reason: text,
    /** Which restart of the role this is, from 1, and how many there may be. */
    restart: number,
    maxRestarts: number,
  },
  /** The agent's CLI keeps its session under this id. */
  agent_session: { role, sessionId: text },
  /** These rules were seen on the agent's screens, and lift a doubt from then on. */
  agent_rules_seen: {
    role,
    /** Their ids. */
    rules: listOf(text),
  },
} as const;
