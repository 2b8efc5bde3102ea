import { callActivity, callWords, exitCodeOf, MAX_TITLE_CHARS, outputOf } from "./call_words.ts";
import { actOf, describesItself } from "./exact_request.ts";
import { type AcpEvent, type CallRecord, closeSpeech, type Fold, noteWork, violate } from "./state.ts";
import { isOneOf, requireAsked, requireSameAct } from "./unasked.ts";
import { type CallPatch, isOver, type UnreadCall } from "./protocol/update.ts";
import { present } from "../../base/schema.ts";

const MAX_CALLS = 1000;

const MAX_OUTPUT_CHARS = 64 * 1024;

const MAX_DENIED = 100;

const MAX_KEPT_ACT_CHARS = 4000;

export function takeCall(fold: Fold, given: CallPatch): void {
  closeSpeech(fold);
  const { state, rules } = fold;
  const known = state.calls.get(given.id);
  // It belongs to the session's past.
  if (known?.asked === "replayed") return;
  // Gemini CLI (0.61.0) puts where a command runs, and why, in the place of its output.
  const { text, ...told } = given;
  const patch = text === undefined || describesItself({ ...known, ...given }, rules.tools) ? told : given;
  const mayRun = patch.status === "pending" || patch.status === "in_progress";
  const before = mayRun && known?.asked !== "rejected" && known?.asked !== "gone" ? begunAnew(known) : known;
  const after = merged(fold, { before, patch });
  // What runs on in the background, such as a server, keeps no agent at work.
  if (!after.isLeft) noteWork(fold);
  keepCall(fold, tellCall(fold, { before, after, patch }));
  state.hasSpokenLast = false;
  requireSameAct(fold, after);
  const hasFailed = after.status === "failed" && after.asked === "no" && exitCodeOf(after) !== undefined;
  if (after.status === "completed" || hasFailed) requireAsked(fold, after);
}

/**
 * A call that cannot be read as a whole counts as far as it can be; what only its end would tell is taken to be what
 * must not be.
 */
export function takeUnread(fold: Fold, { id, isCut, ...told }: UnreadCall): void {
  const before = id === undefined ? undefined : fold.state.calls.get(id);
  const kind = told.kind ?? before?.kind ?? (isCut ? undefined : "other");
  const status = told.status ?? (isCut ? "completed" : before?.status ?? "pending");
  if (id !== undefined && kind !== undefined) return takeCall(fold, { id, kind, status, hasUnread: true });
  const { asks_before: asksBefore = [] } = fold.rules.askMode ?? {};
  const mayAct = kind === undefined ? asksBefore.length > 0 : isOneOf(asksBefore, kind);
  const isKnown = before?.asked === "allowed" || before?.asked === "replayed";
  if (!mayAct || isKnown || status === "pending" || status === "failed") return;
  const what = "The agent has reported a tool call in a form that cannot be read";
  violate(fold, `${what}, although its mode is to ask before it: it may have done something unasked.`);
}

/** A call of the session's past, as `session/load` plays it once more. */
export function takeReplayed({ state }: Fold, id: string): void {
  const past = { id, status: "completed", turn: 0, asked: "replayed", isLeft: false, isTold: true } as const;
  state.calls = withCall(state.calls, past);
}

export function takeRequest(fold: Fold, { id, call, text }: Extract<AcpEvent, { type: "asked" }>): void {
  closeSpeech(fold);
  noteWork(fold);
  const { state, rules, activities } = fold;
  state.waiting = new Map(state.waiting).set(id, call?.id);
  state.hasSpokenLast = false;
  if (call !== undefined) {
    const before = begunAnew(state.calls.get(call.id));
    const { unaskedMs: _, askedFor: _1, ...after } = merged(fold, { before, patch: call });
    const askedFor = actOf(after, rules.tools);
    const asked = { ...after, asked: "waiting", ...present({ askedFor }) } as const;
    keepCall(fold, tellCall(fold, { before, after: asked, patch: call }));
  }
  activities.push({ type: "permission_asked", id, text });
}

export function takeAnswer(fold: Fold, { id, answer }: Extract<AcpEvent, { type: "answered" }>): void {
  const { state, rules, activities, events } = fold;
  if (!state.waiting.has(id)) return;
  const call = state.calls.get(state.waiting.get(id) ?? "");
  state.waiting = new Map([...state.waiting].filter(([one]) => one !== id));
  if (answer === "reject") state.hasRefusal = true;
  if (call !== undefined && answer !== "reply") {
    if (answer === "reject") {
      const line = callWords(call, rules).line.slice(0, MAX_TITLE_CHARS);
      const calls = state.denied = [...state.denied, line].slice(-MAX_DENIED);
      events.push({ type: "denied", calls });
    }
    keepCall(fold, { ...call, asked: answer === "allow" ? "allowed" : answer === "reject" ? "rejected" : "gone" });
  }
  activities.push({ type: "permission_answered", id, answer });
}

/** A call that is over, and that is begun once more: what was allowed before does not count for it. */
function begunAnew(call: CallRecord | undefined): CallRecord | undefined {
  if (call === undefined || !isOver(call.status)) return call;
  const { askedFor: _, ...rest } = call;
  return { ...rest, status: "pending", asked: "no", isLeft: false, isTold: false };
}

function merged(
  { state: { phase, turns }, nowMs }: Fold,
  { before, patch }: { readonly before: CallRecord | undefined; readonly patch: CallPatch },
): CallRecord {
  const status = patch.status ?? before?.status ?? "pending";
  const known = { asked: "no", isTold: false, ...before, ...patch, status, turn: turns } as const;
  const isLeft = phase !== "open" && (before?.isLeft ?? false);
  const unasked = status === "in_progress" && known.asked === "no" ? { unaskedMs: before?.unaskedMs ?? nowMs } : {};
  if (status !== "pending") return { ...known, isLeft, ...unasked };
  // What stands in a call before it runs describes it.
  const { text: _, output: _1, ...described } = known;
  return { ...described, isLeft };
}

/** Keeps a call; of one that is over only what later updates of it must be compared with. */
function keepCall({ state }: Fold, call: CallRecord): void {
  const { id, kind, name, title, status, asked, askedFor, turn, isLeft } = call;
  const short = {
    ...{ id, status, asked, turn, isLeft, isTold: true },
    ...present({ kind, name }),
    ...(title === undefined ? {} : { title: title.slice(0, MAX_TITLE_CHARS) }),
    // What a call has changed may be told after its end (Claude Code 0.100.0).
    ...(askedFor === undefined || JSON.stringify(askedFor).length > MAX_KEPT_ACT_CHARS ? {} : { askedFor }),
  };
  const isTold = call.isTold || mayTell(call);
  state.calls = withCall(state.calls, isOver(status) ? short : { ...call, isTold });
}

function withCall(calls: ReadonlyMap<string, CallRecord>, call: CallRecord): ReadonlyMap<string, CallRecord> {
  const kept = new Map(calls).set(call.id, call);
  if (kept.size > MAX_CALLS) {
    const oldest = [...kept.values()].find(({ id, status }) => isOver(status) && id !== call.id);
    kept.delete(oldest?.id ?? [...kept.keys()][0]!);
  }
  return kept;
}

function tellCall(
  { rules, activities, events }: Fold,
  { before, after, patch }: {
    readonly before: CallRecord | undefined;
    readonly after: CallRecord;
    readonly patch: CallPatch;
  },
): CallRecord {
  const { id, status } = after;
  if (before !== undefined && isOver(before.status)) return after;
  const activity = callActivity(after, rules);
  const isNews = before === undefined || JSON.stringify(callActivity(before, rules)) !== JSON.stringify(activity);
  if (isNews) activities.push(activity);
  const output = outputOf(patch);
  const told = before === undefined ? "" : outputOf(before);
  const fresh = status === "pending" ? "" : output.startsWith(told) ? output.slice(told.length) : output;
  if (fresh !== "") activities.push({ type: "tool_output", id, text: fresh });

  const { command, line } = callWords(after, rules);
  const heard = tail((before?.heard ?? "") + fresh);
  if (command !== undefined) {
    // It may be told in pieces.
    const isKnown = before !== undefined && command === callWords(before, rules).command;
    if (!isKnown) events.push({ type: "called", source: "call", id, commands: [{ command, isCertain: true }] });
    // Exit codes are not told by all: a command that failed counts as one with 1.
    const exitCode = status === "completed" ? 0 : status === "failed" ? 1 : undefined;
    if (exitCode !== undefined || fresh !== "") {
      events.push({ type: "ended", source: "call", id, exitCode, output: heard });
    }
  }
  if (!after.isTold && mayTell(after)) events.push({ type: "ran", id, command: line });
  if (isOver(status)) {
    const saw = { type: "saw", id, command: line, output: tail(outputOf(after)) } as const;
    events.push({ ...saw, ...present({ exitCode: exitCodeOf(after) }) });
  }
  return heard === "" ? after : { ...after, heard };
}

function tail(output: string): string {
  return output.length > MAX_OUTPUT_CHARS ? output.slice(-MAX_OUTPUT_CHARS).toWellFormed() : output;
}

function mayTell({ status, input }: CallRecord): boolean {
  return isOver(status) || (status === "in_progress" && input !== undefined);
}
