import type { AgentEvent } from "../agent.ts";
import type { AcpAskMode, AcpToolInput } from "./acp_provider.ts";
import type { AcpActivity } from "./activity.ts";
import type { CallAct } from "./exact_request.ts";
import type { AcpUpdate, CallPatch, CallStatus, RestReason, UnreadCall } from "./update.ts";
import type { UsageRules, UsageState } from "./usage.ts";

/** Something that happened between an agent and us. */
export type AcpEvent =
  /** Its session is open, in the mode that was read back. */
  | { readonly type: "opened"; readonly mode?: string }
  /** A call of the session's past, as `session/load` plays it once more. */
  | { readonly type: "replayed"; readonly callId: string }
  | { readonly type: "prompted"; readonly text: string }
  | { readonly type: "update"; readonly update: AcpUpdate }
  /** An update that was dropped because it cannot be read. */
  | { readonly type: "unread"; readonly about: UnreadCall | "mode" }
  /** The reply to a prompt: in version 1 the end of its turn, in version 2 only its acknowledgement. */
  | { readonly type: "replied"; readonly turn: number; readonly stopReason?: string; readonly reply: unknown }
  /** An error in place of that reply. */
  | { readonly type: "refused"; readonly turn: number; readonly code?: number; readonly text: string }
  /** It waits for a permission, or for answers to questions: then there is no call. */
  | { readonly type: "asked"; readonly id: string; readonly call?: CallPatch; readonly text: string }
  | {
    readonly type: "answered";
    readonly id: string;
    readonly answer: "allow" | "reject" | "reply" | "gone";
    readonly note?: string;
  }
  /** We have asked it to end its turn. */
  | { readonly type: "cancelled"; readonly because: "asked" | "silent" }
  /** Nobody waits for the end of its turn any more. */
  | { readonly type: "abandoned" }
  /** Something is wrong with what it sends; ours. */
  | { readonly type: "trouble"; readonly text: string }
  /** Time has passed. */
  | { readonly type: "looked" }
  | { readonly type: "ended"; readonly how: string };

/** What events are folded with. */
export interface FoldOptions {
  readonly nowMs: number;
  readonly rules: AcpRules;
}

/** What is known of an agent beforehand. */
export interface AcpRules {
  readonly tools: readonly AcpToolInput[];
  readonly askMode?: AcpAskMode;
  readonly usage: UsageRules;
  /** Whether two paths that an agent tells are those of one file. @default {two texts that are the same} */
  readonly isSameFile?: (one: string, other: string) => boolean;
}

/** What is known of an agent. */
export interface AcpState {
  /** `open` from the prompt to the end of its turn. */
  readonly phase: "fresh" | "open" | "over";
  /** How many prompts it was given. */
  readonly turns: number;
  readonly stopReason?: string;
  /** What came in place of the turn's end. */
  readonly refusal?: { readonly code?: number; readonly text: string };
  readonly cancelled?: "asked" | "silent";
  /** The error that it told of last in this turn, unless it has worked on since. */
  readonly problem?: string;
  /** Whether the prompt is acknowledged, and the end of its turn is told apart from that (version 2). */
  readonly isAcknowledged: boolean;
  /** Set where it has said that it rests after work in this turn, and has done nothing since. */
  readonly rest?: RestReason;
  /** Whether it has said or done anything in this turn. */
  readonly hasWorked: boolean;
  /** Whether something was refused to it in this turn. */
  readonly hasRefusal: boolean;
  /** Whether what it said last is the last thing that it did. */
  readonly hasSpokenLast: boolean;
  /** By id, in the order in which they were first heard of. */
  readonly calls: ReadonlyMap<string, CallRecord>;
  /** What it waits for, by our id; each with the id of its call. */
  readonly waiting: ReadonlyMap<string, string | undefined>;
  /** What it is saying or thinking. */
  readonly speech?: { readonly kind: "message" | "thought"; readonly id?: string; readonly text: string };
  readonly lastMessage: string;
  readonly mode?: string;
  /** When anything was heard of it last. */
  readonly heardMs: number;
  /** What that was. */
  readonly heard: string;
  /** When it was last seen to work after its turn's end. */
  readonly lateMs?: number;
  readonly usage: UsageState;
  /** The calls that were refused, as lines that tell about them. */
  readonly denied: readonly string[];
  readonly violation?: string;
  /** How its process ended. */
  readonly end?: string;
}

/** What is known of a tool call. */
export interface CallRecord extends CallPatch {
  readonly status: CallStatus;
  /** The number of the turn in which it was heard of last. */
  readonly turn: number;
  /** Whether the agent asked before it; `replayed` is one of the session's past. */
  readonly asked: "no" | "waiting" | "allowed" | "rejected" | "gone" | "replayed";
  /** The exact command, or the files, that it asked for. */
  readonly askedFor?: CallAct;
  /** Since when it runs without having asked. */
  readonly unaskedMs?: number;
  /** Whether the turn has ended while it was open: such calls often never end. */
  readonly isLeft: boolean;
  /** Whether it was told that it runs. */
  readonly isTold: boolean;
  /** The end of what its command has written so far, in all pieces. */
  readonly heard?: string;
}

/** What one event comes to. */
export interface AcpStep {
  readonly state: AcpState;
  readonly activities: readonly AcpActivity[];
  readonly events: readonly AgentEvent[];
}

/** The state of an agent whose session is about to be opened. */
export function startAcpState(nowMs: number): AcpState {
  return {
    phase: "fresh",
    turns: 0,
    isAcknowledged: false,
    hasWorked: false,
    hasRefusal: false,
    hasSpokenLast: false,
    calls: new Map(),
    waiting: new Map(),
    lastMessage: "",
    heardMs: nowMs,
    heard: "its start",
    usage: { tokens: {} },
    denied: [],
  };
}

/** What an event has come to so far. */
export interface Draft {
  state: AcpState;
  readonly activities: AcpActivity[];
  readonly events: AgentEvent[];
}

/** Something that it must not do: it must not work on. The first one counts. */
export function violate(draft: Draft, violation: string): void {
  if (draft.state.violation !== undefined) return;
  draft.state = { ...draft.state, violation };
  draft.activities.push({ type: "note", text: violation, isProblem: true });
}

/** It works, also after the end of its turn. */
export function noteWork(draft: Draft, { nowMs }: FoldOptions): void {
  const { problem: _, rest: _1, ...state } = draft.state;
  draft.state = state.phase === "open" ? { ...state, hasWorked: true } : { ...state, lateMs: nowMs };
}

/** What was being said is said. */
export function closeSpeech(draft: Draft): void {
  const { speech, ...rest } = draft.state;
  if (speech === undefined) return;
  draft.state = rest;
  draft.events.push({ type: speech.kind === "message" ? "said" : "reasoned", text: speech.text });
}
