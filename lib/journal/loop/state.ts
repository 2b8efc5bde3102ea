import type { Usage } from "../../base/usage.ts";
import type { TokenCount } from "../usage.ts";
import type { MessageKind, MessageWay } from "../../base/terms.ts";
import type { RunEnd } from "../run_facts.ts";
import type { TokenCounts } from "../usage.ts";
import type { LoopSettings } from "./fields.ts";
import type { Role } from "../../base/roles.ts";
import type { AgentPane, SessionState } from "../workers.ts";
import type { Job, RulesUsed, RunOrigin } from "./fields.ts";

/** What the records of a review loop tell of its run: where it stands, but for its state machine. Plain data. */
export interface RunRecords {
  /** What the run is about. */
  readonly head: RunHead;
  /** The tmux session that was opened last; whether it is still there is to be seen. */
  readonly session: SessionState | undefined;
  readonly agents: Readonly<Partial<Record<Role, AgentState>>>;
  /** How often each role's agent was lost and started again since somebody last started or resumed the run. */
  readonly restarts: Readonly<Partial<Record<Role, number>>>;
  /** The turn whose response has not been received yet. */
  readonly turn: OpenTurn | undefined;
  /** The turn whose response was received, as long as it is not told what it has changed; undefined without a note. */
  readonly changesDue: ChangesDue | undefined;
  /** The messages from outside, in the order in which they arrived. */
  readonly messages: readonly OutsideMessage[];
  /** The responses that were received, oldest first. */
  readonly responses: readonly ReceivedResponse[];
  /** What the roles have used. */
  readonly tokens: TokenCounts;
  /** How many questions were asked. */
  readonly questions: number;
  /** The commands of the post-processing that have ended. */
  readonly postProcessed: readonly string[];
  /** How the run ended; undefined while it is under way, or was broken off. */
  readonly finished: { readonly outcome: RunEnd; readonly reason: string } | undefined;
}

/** What a run was started with. */
interface RunHead {
  readonly id: string;
  readonly workdir: string;
  readonly task: Job;
  /** As they are now: a run may be resumed with others. */
  readonly settings: LoopSettings;
  readonly origin: RunOrigin;
  /** As they are now; missing where an earlier version of panewright has started or resumed the run. */
  readonly rules?: RulesUsed;
  /** ISO 8601. */
  readonly startedAt: string;
  /** The run's folder, where a process last executed it. */
  readonly folder: string;
}

/** A role's agent, as the journal has it. */
export interface AgentState {
  readonly provider: string;
  /** How it is driven; missing where it is in a pane. */
  readonly protocol?: "acp";
  /** The pane that it was ready in; undefined while it is starting, and where it has none. */
  readonly pane: AgentPane | undefined;
  /** The id of its CLI's own session. */
  readonly sessionId: string | undefined;
  /** The rules that were seen on its screens and lift a doubt. */
  readonly seenRules: readonly string[];
  /** Whether that session holds what the role was sent before. */
  readonly hasMemory: boolean;
}

/** A turn that is over, and what it is to be compared with. */
export interface ChangesDue {
  readonly turnId: string;
  readonly role: Role;
  /** SHA-256 of the note of what the files were before it. */
  readonly baseline: string;
}

/** A message from outside for a role's agent. */
export interface OutsideMessage {
  readonly id: string;
  readonly role: Role;
  readonly by: MessageWay;
  readonly who?: string;
  readonly wantsResponse: boolean;
  readonly sha256: string;
  /** Its turn, once that has begun and as long as it is not over. */
  readonly turn: OpenTurn | undefined;
  /** Whether it was answered, or has failed. */
  readonly isOver: boolean;
}

/** A turn that is under way. */
export interface OpenTurn {
  readonly id: string;
  readonly role: Role;
  /** Whether the files were looked at before it. */
  readonly filesSeen: boolean;
  /** SHA-256 of the note of what they were before it, where one was made. */
  readonly filesNote?: string;
  /** Whether it is told that what it changes is not known. */
  readonly changesUnknown?: true;
  /** What the agent was sent last, or is about to be sent. */
  readonly message: SentMessage | undefined;
  /** Whether an agent that had been sent the turn's prompt is gone. */
  readonly interrupted: boolean;
  /** Whether an agent is known to have taken a message of it. */
  readonly taken: boolean;
  /** When the prompt was dispatched, by the file system's clock. */
  readonly dispatchedAtMs: number | undefined;
  /** How much of the time that it may take it has used. */
  readonly usedSeconds: number;
  readonly reminders: number;
  /** How many tokens the role had used before it. */
  readonly usedBefore: number;
  /** How often it was tried again after a failure of the model server. */
  readonly retries: number;
  readonly acceptedDialogs: number;
  readonly declinedDialogs: number;
  /** When a dialog was last accepted by the policy, in milliseconds since the epoch. */
  readonly lastAcceptAtMs: number | undefined;
  /** The dialog that waits for a person. */
  readonly question: { readonly id: string; readonly fingerprint: string } | undefined;
}

/** A message, and how far it has come. */
interface SentMessage {
  readonly what: MessageKind;
  readonly file: string;
  readonly sha256: string;
  readonly step: "paste" | "enter" | "sent";
}

/** A response in the archive. */
interface ReceivedResponse {
  readonly turnId: string;
  readonly role: Role;
  /** Absolute. */
  readonly path: string;
  readonly bytes: number;
  readonly sha256: string;
}

/**
 * The turn of a role that is under way: the loop's, or that of a message. There is one at most.
 */
export function openTurnOf(
  { turn, messages }: Pick<RunRecords, "turn" | "messages">,
  role: Role,
): OpenTurn | undefined {
  if (turn?.role === role) return turn;
  return messages.find((message) => message.turn?.role === role)?.turn;
}

/** The turn under way with that id. */
export function findOpenTurn(
  { turn, messages }: Pick<RunRecords, "turn" | "messages">,
  id: string,
): OpenTurn | undefined {
  return turn?.id === id ? turn : messages.find((message) => message.turn?.id === id)?.turn;
}

/** A turn that begins, of an agent that has used so many tokens before. */
export function newTurn(
  { turnId: id, role }: Pick<OpenTurn, "role"> & { readonly turnId: string },
  usedBefore: number,
): OpenTurn {
  return {
    id,
    role,
    filesSeen: false,
    message: undefined,
    interrupted: false,
    taken: false,
    dispatchedAtMs: undefined,
    usedSeconds: 0,
    reminders: 0,
    usedBefore,
    retries: 0,
    acceptedDialogs: 0,
    declinedDialogs: 0,
    lastAcceptAtMs: undefined,
    question: undefined,
  };
}

/** The state with a role's agent changed; as it is where there is none. */
export function inAgent(state: RunRecords, role: Role, change: Partial<AgentState>): RunRecords {
  const agent = state.agents[role];
  return agent === undefined ? state : { ...state, agents: { ...state.agents, [role]: { ...agent, ...change } } };
}

/** The state with an open turn changed, of the loop or of a message; as it is where there is none. */
export function inTurn(
  state: RunRecords,
  { turnId }: { readonly turnId: string },
  change: Partial<OpenTurn>,
): RunRecords {
  if (state.turn?.id === turnId) return { ...state, turn: { ...state.turn, ...change } };
  const turn = findOpenTurn(state, turnId);
  return turn === undefined ? state : inMessage(state, turnId, { turn: { ...turn, ...change } });
}

/** The state with a message from outside changed. */
export function inMessage(state: RunRecords, id: string, change: Partial<OutsideMessage>): RunRecords {
  const messages = state.messages.map((message) => message.id === id ? { ...message, ...change } : message);
  return { ...state, messages };
}

/** What a role's session has told. */
export function countOf(
  { role, session, usage }: { readonly role: Role; readonly session: string; readonly usage: Usage },
): TokenCount {
  return { worker: role, source: `${role} ${session}`, usage };
}
