import { sanitizeLine } from "../../base/text/sanitize.ts";
import { totalUsage } from "../../base/usage.ts";
import type { AcpActivity } from "./activity.ts";
import { takeAnswer, takeCall, takeReplayed, takeRequest, takeUnread } from "./calls.ts";
import {
  type AcpEvent,
  type AcpState,
  type AcpStep,
  closeSpeech,
  type Draft,
  type FoldOptions,
  noteWork,
  violate,
} from "./state.ts";
import { lookForUnasked, lookForUnaskedAtEnd } from "./unasked.ts";
import { type AcpUpdate, type ConfigOption, isOver, type RestReason } from "./protocol/update.ts";
import { addMessageUsage, addReplyUsage, type UsageState } from "./usage.ts";
import { present } from "../../base/schema.ts";

/** What is kept of a message. The end counts: that is where the result stands. */
const MAX_MESSAGE_CHARS = 1_000_000;

export function foldAcp(state: AcpState, event: AcpEvent, options: FoldOptions): AcpStep {
  const draft: Draft = { state, activities: [], events: [] };
  switch (event.type) {
    case "opened":
      hear(draft, "its session", options);
      draft.state = { ...draft.state, ...present({ mode: event.mode }) };
      break;
    case "replayed":
      takeReplayed(draft, event.callId);
      break;
    case "prompted":
      beginTurn(draft, event.text);
      break;
    case "update":
      hear(draft, wordsOf(event.update), options);
      takeUpdate(draft, event.update, options);
      break;
    case "unread":
      hear(draft, "an update that cannot be read", options);
      if (event.about === "mode") takeUnreadMode(draft, options);
      else takeUnread(draft, event.about, options);
      break;
    case "replied":
    case "refused":
      hear(draft, "its reply to the prompt", options);
      takeReply(draft, event, options);
      break;
    case "asked":
      hear(draft, "a request", options);
      takeRequest(draft, event, options);
      break;
    case "answered":
      takeAnswer(draft, event, options);
      break;
    case "cancelled":
      if (state.phase === "open") draft.state = { ...state, cancelled: event.because };
      break;
    case "abandoned":
      if (state.phase === "open") endTurn(draft, { reason: "its end was never reported", isGood: false });
      break;
    case "trouble":
      draft.activities.push({ type: "note", text: event.text, isProblem: true });
      draft.events.push({ type: "trouble", text: event.text });
      break;
    case "looked":
      lookForUnasked(draft, options);
      break;
    case "ended":
      takeEnd(draft, event.how);
      break;
    default:
      event satisfies never;
  }
  return draft;
}

function hear(draft: Draft, heard: string, { nowMs }: FoldOptions): void {
  draft.state = { ...draft.state, heardMs: nowMs, heard };
}

function beginTurn(draft: Draft, text: string): void {
  closeSpeech(draft);
  const { stopReason: _, refusal: _1, cancelled: _2, problem: _3, lateMs: _4, rest: _5, ...state } = draft.state;
  const nothing = { isAcknowledged: false, hasWorked: false, hasRefusal: false };
  draft.state = { ...state, ...nothing, hasSpokenLast: false, lastMessage: "", phase: "open", turns: state.turns + 1 };
  draft.activities.push({ type: "turn_begun", text });
}

function takeUpdate(draft: Draft, update: AcpUpdate, options: FoldOptions): void {
  const { state } = draft;
  switch (update.type) {
    case "message":
    case "thought":
      takeUsage(draft, addMessageUsage(state.usage, update.usage, options.rules.usage));
      return takePiece(draft, { ...update, type: update.type }, options);
    case "user":
      return closeSpeech(draft);
    case "call":
      return takeCall(draft, update.call, options);
    case "plan":
      draft.activities.push({ type: "plan", entries: update.entries });
      return;
    case "mode":
      return takeMode(draft, update.mode, options);
    case "config":
      return takeConfig(draft, update.options, options);
    case "usage": {
      const { used, size, cost } = update;
      const tellsCost = cost !== undefined && options.rules.usage.sources.some(({ from }) => from === "cost");
      return takeUsage(draft, { ...state.usage, context: { used, size }, ...(tellsCost ? { cost } : {}) });
    }
    case "notice":
      draft.activities.push({ type: "note", text: update.text, isProblem: update.isProblem });
      if (!update.isProblem) return;
      draft.state = { ...state, problem: update.text };
      draft.events.push({ type: "trouble", text: update.text });
      return;
    case "state":
      return takeState(draft, update, options);
    case "other":
      return;
    default:
      update satisfies never;
  }
}

function takePiece(
  draft: Draft,
  { type: kind, id, text }: { readonly type: "message" | "thought"; readonly id?: string; readonly text: string },
  options: FoldOptions,
): void {
  if (text === "") return;
  const { speech } = draft.state;
  const isSame = speech?.kind === kind && (id === undefined || speech.id === undefined || speech.id === id);
  if (!isSame) closeSpeech(draft);
  noteWork(draft, options);
  const known = id ?? (isSame ? speech.id : undefined);
  const about = known === undefined ? {} : { id: known };
  const whole = ((isSame ? speech.text : "") + text).slice(-MAX_MESSAGE_CHARS);
  draft.state = {
    ...draft.state,
    speech: { kind, ...about, text: whole },
    ...(kind === "message" ? { lastMessage: whole, hasSpokenLast: true } : {}),
  };
  draft.activities.push({ type: kind, ...about, text });
}

function takeUsage(draft: Draft, usage: UsageState): void {
  const before = draft.state.usage;
  if (usage === before) return;
  draft.state = { ...draft.state, usage };
  const activity = usageActivity(usage);
  if (JSON.stringify(activity) !== JSON.stringify(usageActivity(before))) draft.activities.push(activity);
  const { cost, tokens } = usage;
  if (tokens === before.tokens && cost === before.cost) return;
  draft.events.push({ type: "cost", usage: tokens, isRough: false });
  draft.events.push({ type: "usage", usage: tokens, ...present({ cost }) });
}

function takeMode(draft: Draft, mode: string, { rules: { askMode } }: FoldOptions): void {
  const before = draft.state.mode;
  if (mode === before) return;
  draft.state = { ...draft.state, mode };
  draft.activities.push({ type: "mode", mode });
  if (before === undefined || askMode?.id === undefined || mode === askMode.id) return;
  violate(draft, sanitizeLine(`The agent has changed its mode from "${before}" to "${mode}".`));
}

/** What cannot be read may be another mode. */
function takeUnreadMode(draft: Draft, { rules: { askMode } }: FoldOptions): void {
  if (askMode?.id === undefined && askMode?.options === undefined) return;
  violate(draft, "The agent has reported its mode, or its options, in a form that cannot be read.");
}

function takeConfig(draft: Draft, options: readonly ConfigOption[], fold: FoldOptions): void {
  const mode = options.find(({ category }) => category === "mode");
  if (mode !== undefined) takeMode(draft, mode.value, fold);
  for (const [id, wanted] of Object.entries(fold.rules.askMode?.options ?? {})) {
    const value = options.find((option) => option.id === id)?.value;
    if (value === undefined || value === wanted || draft.state.phase === "fresh") continue;
    violate(draft, sanitizeLine(`The agent has changed its option "${id}" from "${wanted}" to "${value}".`));
  }
}

/**
 * In version 2 that the agent rests ends the turn; in version 1 it is only a sign of it. One that has not worked since
 * the prompt says once more how the turn before has ended.
 */
function takeState(
  draft: Draft,
  { type: _, state, ...rest }: Extract<AcpUpdate, { type: "state" }>,
  options: FoldOptions,
): void {
  if (state !== "idle") return noteWork(draft, options);
  if (draft.state.phase !== "open" || !draft.state.hasWorked) return;
  draft.state = { ...draft.state, rest };
  if (draft.state.isAcknowledged) endAtRest(draft, rest, options);
}

function endAtRest(draft: Draft, { stopReason, error }: RestReason, options: FoldOptions): void {
  if (error === undefined) return endWith(draft, stopReason, options);
  draft.state = { ...draft.state, refusal: error };
  endTurn(draft, { reason: error.text, isGood: false });
}

function takeReply(
  draft: Draft,
  event: Extract<AcpEvent, { type: "replied" | "refused" }>,
  options: FoldOptions,
): void {
  const { state } = draft;
  if (event.turn !== state.turns || state.phase !== "open") {
    const text = `Turn ${event.turn} has ended once more, or after it was given up; that does not count.`;
    draft.activities.push({ type: "note", text, isProblem: true });
    return;
  }
  if (event.type === "refused") {
    const { code, text } = event;
    draft.state = { ...state, refusal: { ...present({ code }), text } };
    return endTurn(draft, { reason: text, isGood: false });
  }
  takeUsage(draft, addReplyUsage(state.usage, event.reply, options.rules.usage));
  if (event.reply.stopReason !== undefined) return endWith(draft, event.reply.stopReason, options);
  draft.state = { ...draft.state, isAcknowledged: true };
  if (state.rest !== undefined) endAtRest(draft, state.rest, options);
}

function endWith(draft: Draft, stopReason: string | undefined, options: FoldOptions): void {
  const reason = stopReason ?? "end_turn";
  draft.state = { ...draft.state, stopReason: reason };
  if (reason === "end_turn") lookForUnaskedAtEnd(draft, options);
  endTurn(draft, { reason, isGood: reason === "end_turn" && draft.state.problem === undefined });
}

function endTurn(draft: Draft, { reason, isGood }: { readonly reason: string; readonly isGood: boolean }): void {
  closeSpeech(draft);
  const calls = [...draft.state.calls].map(([id, call]) =>
    [id, isOver(call.status) || call.asked === "waiting" ? call : { ...call, isLeft: true }] as const
  );
  draft.state = { ...draft.state, phase: "over", calls: new Map(calls) };
  draft.activities.push({ type: "turn_ended", reason, isGood });
}

function takeEnd(draft: Draft, how: string): void {
  closeSpeech(draft);
  if (draft.state.phase === "open") {
    draft.state = { ...draft.state, refusal: { text: `its process has ended (${how})` } };
    endTurn(draft, { reason: "its process has ended", isGood: false });
  }
  draft.state = { ...draft.state, end: how };
  draft.activities.push({ type: "ended", text: how });
}

function usageActivity({ tokens, context, cost }: UsageState): AcpActivity {
  const { inputTokens, outputTokens } = totalUsage(tokens);
  return {
    type: "usage",
    ...(Object.keys(tokens).length === 0 ? {} : { inputTokens, outputTokens }),
    ...(context === undefined ? {} : { contextTokens: context.used, contextSize: context.size }),
    ...(cost?.currency === "USD" ? { costUsd: cost.amount } : {}),
  };
}

function wordsOf(update: AcpUpdate): string {
  switch (update.type) {
    case "message":
    case "thought":
    case "plan":
      return `a ${update.type}`;
    case "user":
      return "an echo of the prompt";
    case "call":
      return "a tool call";
    default:
      return `an update of its ${update.type}`;
  }
}
