import { present } from "../../base/schema.ts";
import { sanitizeLine } from "../../base/text/sanitize.ts";
import { totalUsage } from "../../base/usage.ts";
import type { AcpActivity } from "./activity.ts";
import { takeAnswer, takeCall, takeReplayed, takeRequest, takeUnread } from "./calls.ts";
import { type AcpUpdate, type ConfigOption, isOver, type RestReason } from "./protocol/update.ts";
import { type AcpEvent, type AcpState, closeSpeech, type Fold, noteWork, set, violate } from "./state.ts";
import { lookForUnasked, lookForUnaskedAtEnd } from "./unasked.ts";
import { addToldUsage, type UsageState } from "./usage.ts";

/** What is kept of a message. The end counts: that is where the result stands. */
const MAX_MESSAGE_CHARS = 1_000_000;

export function foldAcp(before: AcpState, event: AcpEvent, about: Pick<Fold, "nowMs" | "rules">): Fold {
  const fold: Fold = { ...about, state: { ...before }, activities: [], events: [] };
  const { state, activities, events } = fold;
  const heard = heardIn(event);
  if (heard !== undefined) set(fold, { heard, heardMs: fold.nowMs });
  switch (event.type) {
    case "opened":
      set(fold, present({ mode: event.mode }));
      break;
    case "replayed":
      takeReplayed(fold, event.callId);
      break;
    case "prompted":
      beginTurn(fold, event.text);
      break;
    case "update":
      takeUpdate(fold, event.update);
      break;
    case "replied":
    case "refused":
      takeReply(fold, event);
      break;
    case "asked":
      takeRequest(fold, event);
      break;
    case "answered":
      takeAnswer(fold, event);
      break;
    case "cancelled":
      if (state.phase === "open") state.cancelled = event.because;
      break;
    case "abandoned":
      if (state.phase === "open") endTurn(fold, "its end was never reported");
      break;
    case "trouble":
      activities.push({ type: "note", text: event.text, isProblem: true });
      events.push({ type: "trouble", text: event.text });
      break;
    case "looked":
      lookForUnasked(fold);
      break;
    case "ended":
      takeEnd(fold, event.how);
      break;
    default:
      event satisfies never;
  }
  return fold;
}

/** What was heard of the agent with an event; `undefined` where nothing was. */
function heardIn(event: AcpEvent): string | undefined {
  switch (event.type) {
    case "opened":
      return "its session";
    case "update":
      return wordsOf(event.update);
    case "replied":
    case "refused":
      return "its reply to the prompt";
    case "asked":
      return "a request";
    default:
      return undefined;
  }
}

function beginTurn(fold: Fold, text: string): void {
  closeSpeech(fold);
  const { state } = fold;
  for (const name of ["stopReason", "refusal", "cancelled", "problem", "lateMs", "rest"] as const) delete state[name];
  const nothing = { isAcknowledged: false, hasWorked: false, hasRefusal: false, hasSpokenLast: false, lastMessage: "" };
  set(fold, { ...nothing, phase: "open", turns: state.turns + 1 });
  fold.activities.push({ type: "turn_begun", text });
}

function takeUpdate(fold: Fold, update: AcpUpdate): void {
  const { state, rules, activities } = fold;
  switch (update.type) {
    case "message":
    case "thought":
      takeUsage(fold, addToldUsage(state.usage, { from: "message", usage: update.usage }, rules.usage));
      return takePiece(fold, { ...update, type: update.type });
    case "user":
      return closeSpeech(fold);
    case "call":
      return takeCall(fold, update.call);
    case "plan":
      activities.push({ type: "plan", entries: update.entries });
      return;
    case "mode":
      return takeMode(fold, update.mode);
    case "config":
      return takeConfig(fold, update.options);
    case "usage": {
      const { used, size, cost } = update;
      const tellsCost = cost !== undefined && rules.usage.sources.some(({ from }) => from === "cost");
      return takeUsage(fold, { ...state.usage, context: { used, size }, ...(tellsCost ? { cost } : {}) });
    }
    case "notice":
      activities.push({ type: "note", text: update.text, isProblem: update.isProblem });
      if (!update.isProblem) return;
      state.problem = update.text;
      fold.events.push({ type: "trouble", text: update.text });
      return;
    case "compacted":
      fold.events.push({ type: "compacted" });
      return;
    case "state":
      return takeState(fold, update);
    case "unread":
      return update.about === "mode" ? takeUnreadMode(fold) : takeUnread(fold, update.about);
    case "other":
      return;
    default:
      update satisfies never;
  }
}

function takePiece(
  fold: Fold,
  { type: kind, id: given, text }: {
    readonly type: "message" | "thought";
    readonly id?: string;
    readonly text: string;
  },
): void {
  if (text === "") return;
  const { state } = fold;
  const { speech } = state;
  const isSame = speech?.kind === kind && (given === undefined || speech.id === undefined || speech.id === given);
  if (!isSame) closeSpeech(fold);
  noteWork(fold);
  const id = present({ id: given ?? (isSame ? speech.id : undefined) });
  const whole = ((isSame ? speech.text : "") + text).slice(-MAX_MESSAGE_CHARS);
  state.speech = { kind, ...id, text: whole };
  if (kind === "message") set(fold, { lastMessage: whole, hasSpokenLast: true });
  fold.activities.push({ type: kind, ...id, text });
}

function takeUsage({ state, activities, events }: Fold, usage: UsageState): void {
  const before = state.usage;
  if (usage === before) return;
  state.usage = usage;
  const activity = usageActivity(usage);
  if (JSON.stringify(activity) !== JSON.stringify(usageActivity(before))) activities.push(activity);
  const { cost, tokens } = usage;
  if (tokens === before.tokens && cost === before.cost) return;
  events.push({ type: "cost", usage: tokens, isRough: false }, { type: "usage", usage: tokens, ...present({ cost }) });
}

function takeMode(fold: Fold, mode: string): void {
  const { state, rules: { askMode }, activities } = fold;
  const before = state.mode;
  if (mode === before) return;
  state.mode = mode;
  activities.push({ type: "mode", mode });
  if (before === undefined || askMode?.id === undefined || mode === askMode.id) return;
  violate(fold, sanitizeLine(`The agent has changed its mode from "${before}" to "${mode}".`));
}

/** What cannot be read may be another mode. */
function takeUnreadMode(fold: Fold): void {
  const { askMode } = fold.rules;
  if (askMode?.id === undefined && askMode?.options === undefined) return;
  violate(fold, "The agent has reported its mode, or its options, in a form that cannot be read.");
}

function takeConfig(fold: Fold, options: readonly ConfigOption[]): void {
  const mode = options.find(({ category }) => category === "mode");
  if (mode !== undefined) takeMode(fold, mode.value);
  for (const [id, wanted] of Object.entries(fold.rules.askMode?.options ?? {})) {
    const value = options.find((option) => option.id === id)?.value;
    if (value === undefined || value === wanted || fold.state.phase === "fresh") continue;
    violate(fold, sanitizeLine(`The agent has changed its option "${id}" from "${wanted}" to "${value}".`));
  }
}

/**
 * In version 2 that the agent rests ends the turn; in version 1 it is only a sign of it. One that has not worked since
 * the prompt says once more how the turn before has ended.
 */
function takeState(fold: Fold, { type: _, state: told, ...rest }: Extract<AcpUpdate, { type: "state" }>): void {
  const { state } = fold;
  if (told !== "idle") return noteWork(fold);
  if (state.phase !== "open" || !state.hasWorked) return;
  state.rest = rest;
  if (state.isAcknowledged) endAtRest(fold, rest);
}

function endAtRest(fold: Fold, { stopReason, error }: RestReason): void {
  if (error === undefined) return endWith(fold, stopReason);
  fold.state.refusal = error;
  endTurn(fold, error.text);
}

function takeReply(fold: Fold, event: Extract<AcpEvent, { type: "replied" | "refused" }>): void {
  const { state, rules } = fold;
  if (event.turn !== state.turns || state.phase !== "open") {
    const text = `Turn ${event.turn} has ended once more, or after it was given up; that does not count.`;
    fold.activities.push({ type: "note", text, isProblem: true });
    return;
  }
  if (event.type === "refused") {
    const { code, text } = event;
    state.refusal = { ...present({ code }), text };
    return endTurn(fold, text);
  }
  const { stopReason, usage, _meta: meta } = event.reply;
  takeUsage(fold, addToldUsage(state.usage, { from: "prompt", usage, meta }, rules.usage));
  if (stopReason !== undefined) return endWith(fold, stopReason);
  state.isAcknowledged = true;
  if (state.rest !== undefined) endAtRest(fold, state.rest);
}

function endWith(fold: Fold, stopReason = "end_turn"): void {
  fold.state.stopReason = stopReason;
  if (stopReason === "end_turn") lookForUnaskedAtEnd(fold);
  endTurn(fold, stopReason, stopReason === "end_turn" && fold.state.problem === undefined);
}

function endTurn(fold: Fold, reason: string, isGood = false): void {
  closeSpeech(fold);
  const { state } = fold;
  const calls = [...state.calls].map(([id, call]) =>
    [id, isOver(call.status) || call.asked === "waiting" ? call : { ...call, isLeft: true }] as const
  );
  set(fold, { phase: "over", calls: new Map(calls) });
  fold.activities.push({ type: "turn_ended", reason, isGood });
}

function takeEnd(fold: Fold, how: string): void {
  closeSpeech(fold);
  const { state } = fold;
  if (state.phase === "open") {
    state.refusal = { text: `its process has ended (${how})` };
    endTurn(fold, "its process has ended");
  }
  state.end = how;
  fold.activities.push({ type: "ended", text: how });
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

function wordsOf({ type }: AcpUpdate): string {
  switch (type) {
    case "message":
    case "thought":
    case "plan":
      return `a ${type}`;
    case "user":
      return "an echo of the prompt";
    case "call":
      return "a tool call";
    case "unread":
      return "an update that cannot be read";
    default:
      return `an update of its ${type}`;
  }
}
