import { adds, closes, opens } from "../items/item_changes.ts";
import { flag, listOf, number, oneOf, optional, present, text } from "../../base/schema.ts";
import { GROUND } from "../common.ts";
import { GROUND_LOST } from "../run_facts.ts";
import { FAILURE_CLASSES } from "../../base/terms.ts";
import { entriesOf } from "../entry.ts";
import { unusableWith } from "../recovery.ts";
import { waitsNoLonger, withoutHosts } from "../waiting.ts";
import { detail, line, type ShownLine } from "../words/lines.ts";
import { duration } from "../words/words.ts";
import { changeWorker, withoutPanes, workerOf } from "../workers.ts";
import { role } from "./fields.ts";
import { type AgentState, inAgent, inTurn, openTurnOf, type RunRecords } from "./state.ts";

const loopRecord = entriesOf<RunRecords>();

/** The agents of a review loop, and the session that their panes are in. */
export const AGENT_RECORDS = {
  /** About to open a tmux session, or to add windows to one that exists. */
  session_opening: loopRecord({
    /** Name or path of the server's socket. */
    socket: text,
    session: text,
    /** Whether the session is a person's own. */
    existing: flag,
    /** What everything that is started in it carries in its environment. */
    mark: text,
  }, {
    state(state, { socket, session: name, existing, mark }) {
      // A new server names its panes as the one before did: by its id, a lost pane would be another agent's.
      const without = Object.keys(state.agents).reduce(
        (before, role) => inAgent(before, role, { pane: undefined }),
        state,
      );
      return { ...without, session: { socket, name, existing, mark, opened: false } };
    },
    progress: (before, { socket, session: name, existing, mark }) => ({
      ...withoutPanes(before),
      session: { socket, name, existing, mark, opened: false },
    }),
    words: ({ session, socket }) => detail(`tmux: opening session ${session} on socket ${socket}`),
    items: () => [],
  }),
  /** The panes are open; `attachCommand` shows them to a person. */
  session_opened: loopRecord({ attachCommand: text }, {
    state: (state) => ({ ...state, ...sessionOpened(state) }),
    progress: sessionOpened,
    words: ({ attachCommand }) => watchLine(attachCommand),
    items: () => [],
  }),
  /** The session that an earlier process of the run opened is still there. */
  session_adopted: loopRecord({ attachCommand: text }, {
    state: (state) => ({ ...state, ...sessionOpened(state) }),
    progress: sessionOpened,
    words: ({ attachCommand }) => watchLine(attachCommand),
    items: () => [],
  }),
  /** About to start a role's agent. */
  agent_starting: loopRecord({
    role,
    provider: text,
    /** Its login, where that is not its provider's usual one. */
    login: optional(text),
    /** How it is driven; missing where it is in a pane. */
    protocol: optional(oneOf("acp", "process")),
    /** The id of the CLI's own session that it resumes. */
    resumes: optional(text),
  }, {
    state(state, { role, provider, login, protocol, resumes }) {
      // A new agent in a role has none of what the one before was sent, unless it resumes that one's session.
      const hasMemory = resumes !== undefined;
      const agent: AgentState = {
        provider,
        ...present({ login, protocol }),
        pane: undefined,
        sessionId: resumes,
        seenRules: [],
        hasMemory,
      };
      const started = { ...state, agents: { ...state.agents, [role]: agent } };
      const open = openTurnOf(state, role);
      if (open === undefined) return started;
      const { id: turnId, message, interrupted } = open;
      const wasAtWork = message?.step === "sent" || message?.step === "enter";
      const change = { message: undefined, interrupted: interrupted || wasAtWork };
      return inTurn(started, { turnId }, change);
    },
    progress(before, { role, provider, protocol, resumes, at }) {
      const nothing = { sessionId: resumes, pane: undefined, folder: undefined };
      const worker = {
        name: role,
        provider,
        ...present({ protocol }),
        status: "starting",
        since: at,
        ...nothing,
      } as const;
      const { workers, activity } = before;
      const isNew = workerOf(before, role) === undefined;
      // An agent may be started in its turn.
      const isAtWork = activity?.kind === "turn" || activity?.kind === "starting";
      return {
        workers: isNew ? [...workers, worker] : workers.map((one) => one.name === role ? worker : one),
        activity: isAtWork ? activity : { kind: "starting", since: at },
        // A new agent does not stand at the dialog of the one before.
        ...waitsNoLonger(before, role),
      };
    },
    words: ({ role, provider, login = provider, resumes }) =>
      resumes !== undefined
        ? line(`${role}: starting ${login} again, with its session ${resumes}`)
        : line(`${role}: starting ${login}`, "plain", login === provider ? "detail" : "normal"),
    items: ({ role: lane }, { title }) => opens(`start:${lane}`, { kind: "start", lane, title }),
  }),
  /** The agent cannot be started, and another one takes its place. */
  agent_unusable: loopRecord({
    role,
    class: oneOf(...FAILURE_CLASSES),
    message: text,
    /** Its login. */
    login: text,
    /** When the other one is started, ISO 8601. */
    retryAt: text,
  }, {
    state: (state, { role: worker, at, ...fact }) => ({
      ...state,
      ...unusableWith(state, { ...fact, recovery: "fallback", worker }, at),
    }),
    recovers: ({ class: failure, retryAt: until }) => ({ class: failure, recovery: "fallback", until }),
    words: ({ role, login, message }) =>
      line(
        `${role}: ${login} cannot be started: ${message.replace(/\.$/, "")}; another agent takes its place`,
        "caution",
      ),
    items: ({ role: lane }, { title, text }) => adds({ kind: "warning", lane, title, text, tone: "caution" }),
  }),
  /** The agent waits for its first prompt. */
  agent_ready: loopRecord({
    role,
    terminalId: text,
    seconds: number,
    /** Its program's process id, and its start in the notation of the process table; missing before its first turn. */
    pid: optional(number),
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
  }, {
    state(state, { role, terminalId, pid, processStart, wrapperShell, launchedAtMs, sandbox }) {
      if (state.agents[role]?.protocol !== undefined || pid === undefined) return state;
      const pane = { terminalId, pid, processStart, wrapperShell, launchedAtMs };
      return inAgent(state, role, { pane: sandbox === undefined ? pane : { ...pane, sandbox } });
    },
    progress(before, { role, terminalId, pid, processStart, wrapperShell, launchedAtMs, at }) {
      const where = pid === undefined
        ? {}
        : workerOf(before, role)?.protocol === undefined
        ? { pane: { terminalId, pid, processStart, wrapperShell, launchedAtMs } }
        : { process: { pid, processStart } };
      const inTurn = before.activity?.kind === "turn" && before.activity.worker === role;
      const { workers } = changeWorker(before, role, { ...where, status: inTurn ? "prompting" : "idle", since: at });
      const areStarting = before.activity?.kind === "starting" && workers.some(({ status }) => status === "starting");
      return { workers, ...(before.activity?.kind === "starting" && !areStarting ? { activity: undefined } : {}) };
    },
    words: ({ role, seconds }) => line(`${role}: ready after ${duration(seconds)}`),
    items: ({ role: lane }, { title }) => closes(`start:${lane}`, { kind: "start", lane, title }),
  }),
  /** The agent of an earlier process of the run is alive, and stays. */
  agent_adopted: loopRecord({ role, terminalId: text }, {
    words: ({ role, terminalId }) => line(`${role}: still alive in terminal ${terminalId}`),
    items: ({ role: lane }, { title }) => adds({ kind: "start", lane, title }),
  }),
  /** An agent's program has ended by itself, and is started again. */
  agent_lost: loopRecord({
    role,
    terminalId: text,
    /** How it ended. */
    reason: text,
    /** Which restart of the role this is, from 1, and how many there may be. */
    restart: number,
    maxRestarts: number,
  }, {
    state: (state, { role, restart }) => ({ ...state, restarts: { ...state.restarts, [role]: restart } }),
    progress: (before, { role, at }) => changeWorker(before, role, { status: "lost", since: at }),
    recovers: () => ({ recovery: "restart" }),
    words: ({ role, reason, restart, maxRestarts }) =>
      line(
        `${role}: its program has ended (${reason}); starting it again (restart ${restart} of at most ${maxRestarts})`,
        "caution",
      ),
    items: ({ role: lane }, { title }) => adds({ kind: "kill", lane, title, tone: "bad" }),
  }),
  /** What the agents were in is gone, and is opened anew; they continue with their sessions. */
  ground_lost: loopRecord(GROUND_LOST, {
    state: (state, { restart }) => ({ ...state, groundRestarts: restart }),
    progress: (before, { at }) => ({
      workers: before.workers.map((worker) => ({ ...worker, status: "lost", since: at })),
      ...withoutHosts(before),
      activity: undefined,
    }),
    ...GROUND,
  }),
  /** The agent's CLI keeps its session under this id. */
  agent_session: loopRecord({ role, sessionId: text }, {
    state: (state, { role, sessionId }) => inAgent(state, role, { sessionId }),
    progress: (before, { role, sessionId }) => changeWorker(before, role, { sessionId }),
    words: ({ role, sessionId }) => detail(`${role}: its session is ${sessionId}`),
    items: () => [],
  }),
  /** The agent's CLI has made its conversation shorter: what it was told is said to it once more. */
  agent_compacted: loopRecord({
    role,
    /** How often that was in its session. */
    times: number,
  }, {
    state: (state, { role, times: compactions }) => inAgent(state, role, { compactions }),
    words: ({ role }) => line(`${role}: its conversation was made shorter; it is told once more what it has to know`),
    items: ({ role: lane }, { title }) => adds({ kind: "note", lane, title }),
  }),
  /** These rules were seen on the agent's screens, and lift a doubt from then on. */
  agent_rules_seen: loopRecord({
    role,
    /** Their ids. */
    rules: listOf(text),
  }, {
    state: (state, { role, rules }) => inAgent(state, role, { seenRules: rules }),
    words: ({ role, rules }) => detail(`${role}: its screens are recognised by ${rules.join(", ")}`),
  }),
} as const;

function sessionOpened<Of extends Pick<RunRecords, "session">>({ session }: Of): Pick<RunRecords, "session"> {
  return { session: session && { ...session, opened: true } };
}

export function watchLine(attachCommand: string): ShownLine {
  return line(`watch the agents with: ${attachCommand}`);
}
