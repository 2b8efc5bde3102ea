import type { Usage } from "../../base/usage.ts";
import type { TokenCount } from "../usage.ts";
import type { MessageKind, MessageWay } from "../../base/terms.ts";
import type { Recoverable, Tried, WithUnusable } from "../recovery.ts";
import type { Reaching } from "../common.ts";
import type { RunEnd } from "../run_facts.ts";
import type { TokenCounts } from "../usage.ts";
import type { LoopSettings } from "./fields.ts";
import type { Role } from "../../base/roles.ts";
import type { AgentPane, SessionState } from "../workers.ts";
import type { Job, RulesUsed, RunOrigin } from "./fields.ts";

export interface RunRecords extends Recoverable, WithUnusable, Reaching {
  readonly head: RunHead;
  readonly session: SessionState | undefined;
  readonly agents: Readonly<Partial<Record<Role, AgentState>>>;
  /** How often each role's agent was lost and started again since somebody last started or resumed the run. */
  readonly restarts: Readonly<Partial<Record<Role, number>>>;
  /** How often what all of them are in was opened anew since then. @default {0} */
  readonly groundRestarts?: number;
  /** The turn whose response has not been received yet. */
  readonly turn: OpenTurn | undefined;
  /** The turn whose response was received, as long as it is not told what it has changed; undefined without a note. */
  readonly changesDue: ChangesDue | undefined;
  readonly messages: readonly OutsideMessage[];
  readonly responses: readonly ReceivedResponse[];
  readonly tokens: TokenCounts;
  readonly questions: number;
  /** What agents have left running when a turn ended. @default {[]} */
  readonly left?: readonly string[];
  /** How the checks ended on the code as it was; missing where that is not known. */
  readonly base?: BaseTests;
  /** What a judge has found of the work that is to be reviewed next. @default {[]} */
  readonly judged?: readonly string[];
  readonly postProcessed: readonly string[];
  /** By what git would have run something before any agent worked; undefined where that was not noted. */
  readonly gitActs: readonly string[] | undefined;
  /** How the run ended; undefined while it is under way, or was broken off. */
  readonly finished: { readonly outcome: RunEnd; readonly reason: string } | undefined;
}

/** What the project's tests had come to before anybody worked on the job. */
export interface BaseTests {
  readonly passed: boolean;
  /** The check that failed, and how; empty where all passed. */
  readonly detail: string;
  /** The tests that failed, where they are told by name. */
  readonly failed: readonly string[];
  readonly total?: number;
}

interface RunHead {
  readonly id: string;
  readonly workdir: string;
  readonly task: Job;
  readonly settings: LoopSettings;
  readonly origin: RunOrigin;
  /** As they are now; missing where an earlier version of panewright has started or resumed the run. */
  readonly rules?: RulesUsed;
  /** ISO 8601. */
  readonly startedAt: string;
  readonly folder: string;
}

export interface AgentState {
  readonly provider: string;
  /** Its login, where that is not its provider's usual one. */
  readonly login?: string;
  /** How it is driven; missing where it is in a pane. */
  readonly protocol?: "acp" | "process";
  /** The pane that it was ready in; undefined while it is starting, and where it has none. */
  readonly pane: AgentPane | undefined;
  readonly sessionId: string | undefined;
  readonly seenRules: readonly string[];
  /** Whether that session holds what the role was sent before. */
  readonly hasMemory: boolean;
  /** How often its session was made shorter. @default {0} */
  readonly compactions?: number;
}

export interface ChangesDue {
  readonly turnId: string;
  readonly role: Role;
  /** SHA-256 of the note of what the files were before it. */
  readonly baseline: string;
}

export interface OutsideMessage {
  readonly id: string;
  readonly role: Role;
  readonly by: MessageWay;
  readonly who?: string;
  readonly wantsResponse: boolean;
  readonly sha256: string;
  /** Its turn, once that has begun and as long as it is not over. */
  readonly turn: OpenTurn | undefined;
  readonly isOver: boolean;
}

export interface OpenTurn {
  readonly id: string;
  readonly role: Role;
  /** Whether the files were looked at before it. */
  readonly filesSeen: boolean;
  /** SHA-256 of the note of what they were before it, where one was made. */
  readonly filesNote?: string;
  /** Whether it is told that what it changes is not known. */
  readonly changesUnknown?: true;
  readonly message: SentMessage | undefined;
  readonly interrupted: boolean;
  readonly taken: boolean;
  readonly dispatchedAtMs: number | undefined;
  readonly usedSeconds: number;
  readonly reminders: number;
  /** How many tokens the role had used before it. */
  readonly usedBefore: number;
  /** How often what was done about its failures, since somebody last started or resumed the run. */
  readonly tried: Tried;
  readonly acceptedDialogs: number;
  readonly declinedDialogs: number;
  /** When a dialog was last accepted by the policy, in milliseconds since the epoch. */
  readonly lastAcceptAtMs: number | undefined;
  /** What its agent has asked and has no answer to, also of one that is gone. */
  readonly openQuestions: readonly { readonly id: string; readonly fingerprint: string }[];
}

interface SentMessage {
  readonly what: MessageKind;
  readonly file: string;
  readonly sha256: string;
  readonly step: "paste" | "enter" | "sent";
}

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
/** The id of the next question of a run. */
export function nextQuestionId({ hostsAsked = 0, questions }: Pick<RunRecords, "questions" | "hostsAsked">): string {
  return `q${questions + hostsAsked + 1}`;
}

export function openTurnOf(
  { turn, messages }: Pick<RunRecords, "turn" | "messages">,
  role: Role,
): OpenTurn | undefined {
  if (turn?.role === role) return turn;
  return messages.find((message) => message.turn?.role === role)?.turn;
}

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
    tried: {},
    acceptedDialogs: 0,
    declinedDialogs: 0,
    lastAcceptAtMs: undefined,
    openQuestions: [],
  };
}

export function inAgent(state: RunRecords, role: Role, change: Partial<AgentState>): RunRecords {
  const agent = state.agents[role];
  return agent === undefined ? state : { ...state, agents: { ...state.agents, [role]: { ...agent, ...change } } };
}

export function inTurn(
  state: RunRecords,
  { turnId }: { readonly turnId: string },
  change: Partial<OpenTurn>,
): RunRecords {
  if (state.turn?.id === turnId) return { ...state, turn: { ...state.turn, ...change } };
  const turn = findOpenTurn(state, turnId);
  return turn === undefined ? state : inMessage(state, turnId, { turn: { ...turn, ...change } });
}

export function inMessage(state: RunRecords, id: string, change: Partial<OutsideMessage>): RunRecords {
  const messages = state.messages.map((message) => message.id === id ? { ...message, ...change } : message);
  return { ...state, messages };
}

export function countOf(
  { role, session, usage }: { readonly role: Role; readonly session: string; readonly usage: Usage },
): TokenCount {
  return { worker: role, source: `${role} ${session}`, usage };
}
