import type { AgentEvent } from "../agent.ts";
import type { AcpToolInput, Pack } from "../packs/pack.ts";
import type { AcpActivity } from "./activity.ts";
import type { AcpPromptReply } from "./protocol/protocol.ts";
import type { CallAct } from "./exact_request.ts";
import type { AcpUpdate, CallPatch, CallStatus, RestReason } from "./protocol/update.ts";
import type { UsageRules, UsageState } from "./usage.ts";

export type AcpEvent =
  | { readonly type: "opened"; readonly mode?: string }
  /** A call of the session's past, as `session/load` plays it once more. */
  | { readonly type: "replayed"; readonly callId: string }
  | { readonly type: "prompted"; readonly text: string }
  | { readonly type: "update"; readonly update: AcpUpdate }
  /** The reply to a prompt: in version 1 the end of its turn, in version 2 only its acknowledgement. */
  | { readonly type: "replied"; readonly turn: number; readonly reply: AcpPromptReply }
  /** An error in place of that reply. */
  | { readonly type: "refused"; readonly turn: number; readonly code?: number; readonly text: string }
  | { readonly type: "asked"; readonly id: string; readonly call?: CallPatch; readonly text: string }
  | {
    readonly type: "answered";
    readonly id: string;
    readonly answer: "allow" | "reject" | "reply" | "gone";
  }
  | { readonly type: "cancelled"; readonly because: "asked" | "silent" }
  /** Nobody waits for the end of its turn any more. */
  | { readonly type: "abandoned" }
  | { readonly type: "trouble"; readonly text: string }
  | { readonly type: "looked" }
  | { readonly type: "ended"; readonly how: string };

export interface AcpRules {
  readonly tools: readonly AcpToolInput[];
  readonly askMode?: Pack["ask_mode"];
  readonly usage: UsageRules;
  readonly isSameFile?: (one: string, other: string) => boolean;
}

export interface AcpState {
  readonly phase: "fresh" | "open" | "over";
  readonly turns: number;
  readonly stopReason?: string;
  /** What came in place of the turn's end. */
  readonly refusal?: { readonly code?: number; readonly text: string };
  readonly cancelled?: "asked" | "silent";
  /** The error that it told of last in this turn, unless it has worked on since. */
  readonly problem?: string;
  readonly isAcknowledged: boolean;
  /** Set where it has said that it rests after work in this turn, and has done nothing since. */
  readonly rest?: RestReason;
  readonly hasWorked: boolean;
  readonly hasRefusal: boolean;
  readonly hasSpokenLast: boolean;
  readonly calls: ReadonlyMap<string, CallRecord>;
  readonly waiting: ReadonlyMap<string, string | undefined>;
  readonly speech?: { readonly kind: "message" | "thought"; readonly id?: string; readonly text: string };
  readonly lastMessage: string;
  readonly mode?: string;
  readonly heardMs: number;
  readonly heard: string;
  readonly lateMs?: number;
  readonly usage: UsageState;
  readonly denied: readonly string[];
  readonly violation?: string;
  readonly end?: string;
}

export interface CallRecord extends CallPatch {
  readonly status: CallStatus;
  readonly turn: number;
  readonly asked: "no" | "waiting" | "allowed" | "rejected" | "gone" | "replayed";
  readonly askedFor?: CallAct;
  /** Since when it runs without having asked. */
  readonly unaskedMs?: number;
  /** Whether the turn has ended while it was open: such calls often never end. */
  readonly isLeft: boolean;
  readonly isTold: boolean;
  readonly heard?: string;
}

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

/** What an event comes to: the state, which is a copy of the one before, and what is told of it. */
export interface Fold {
  readonly state: { -readonly [Name in keyof AcpState]: AcpState[Name] };
  readonly nowMs: number;
  readonly rules: AcpRules;
  readonly activities: AcpActivity[];
  readonly events: AgentEvent[];
}

export function set({ state }: Fold, values: Partial<AcpState>): void {
  Object.assign(state, values);
}

/** Something that it must not do: it must not work on. The first one counts. */
export function violate({ state, activities }: Fold, violation: string): void {
  if (state.violation !== undefined) return;
  state.violation = violation;
  activities.push({ type: "note", text: violation, isProblem: true });
}

export function noteWork({ state, nowMs }: Fold): void {
  delete state.problem;
  delete state.rest;
  if (state.phase === "open") state.hasWorked = true;
  else state.lateMs = nowMs;
}

export function closeSpeech({ state, events }: Fold): void {
  const { speech } = state;
  if (speech === undefined) return;
  delete state.speech;
  events.push({ type: speech.kind === "message" ? "said" : "reasoned", text: speech.text });
}
