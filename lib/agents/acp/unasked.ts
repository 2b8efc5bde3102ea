import { sanitizeLine } from "../../base/text/sanitize.ts";
import { ACP_ACTING_KINDS, type AcpToolKind } from "./tool_kinds.ts";
import { callWords, MAX_TITLE_CHARS } from "./call_words.ts";
import { actOf } from "./exact_request.ts";
import { type CallRecord, type Fold, violate } from "./state.ts";
import { isOver } from "./protocol/update.ts";

/** Agents say that a call runs right before they ask for it (OpenCode 1.18.33). */
const UNASKED_MS = 10_000;

/** Looks for calls that have run for a while and were never asked for. */
export function lookForUnasked(fold: Fold): void {
  requireUnaskedAsked(fold, ({ unaskedMs = Infinity }) => fold.nowMs - unaskedMs >= UNASKED_MS);
}

/** Looks for calls that were never asked for, and run on when their turn ends: what was cut off may not have run. */
export function lookForUnaskedAtEnd(fold: Fold): void {
  const { cancelled, hasRefusal } = fold.state;
  if (cancelled === undefined && !hasRefusal) requireUnaskedAsked(fold, () => true);
}

function requireUnaskedAsked(fold: Fold, counts: (call: CallRecord) => boolean): void {
  for (const call of fold.state.calls.values()) {
    const { status, asked, isLeft } = call;
    if (status === "in_progress" && asked === "no" && !isLeft && counts(call)) requireAsked(fold, call);
  }
}

/** The agent must have been allowed what it does: it has promised to ask, or it was refused. */
export function requireAsked(fold: Fold, call: CallRecord): void {
  const { rules } = fold;
  const { asked, kind = "other" } = call;
  // Agents call a tool completed that was cancelled while it waited, too.
  if (asked === "gone" && fold.state.cancelled !== undefined) return;
  const what = quoted(callWords(call, rules).line);
  const has = isOver(call.status) ? "has done" : "does";
  if (asked === "rejected" && isOneOf(ACP_ACTING_KINDS, kind)) {
    violate(fold, `The agent ${has} what it was refused: ${what}.`);
  } else if (asked !== "allowed" && asked !== "rejected" && isOneOf(rules.askMode?.asks_before ?? [], kind)) {
    const why = asked === "no"
      ? "without asking"
      : asked === "waiting"
      ? "before it was answered"
      : "without an answer";
    violate(fold, `The agent ${has} something ${why}, although its mode is to ask before it: ${what}.`);
  }
}

export function requireSameAct(fold: Fold, call: CallRecord): void {
  const { rules } = fold;
  const { asked, askedFor } = call;
  const act = asked === "allowed" && askedFor !== undefined ? actOf(call, rules.tools) : undefined;
  if (askedFor === undefined || act === undefined) return;
  const was = askedFor.type === "command"
    ? `run ${quoted(askedFor.command)}`
    : `change ${quoted(askedFor.files.join(", "))}`;
  if (act.type === "command") {
    if (askedFor.type === "command" && askedFor.command === act.command) return;
    return violate(fold, `The agent was allowed to ${was}, and runs something else: ${quoted(act.command)}.`);
  }
  // What a command changes is what was allowed with it.
  if (askedFor.type === "command") return;
  const { isSameFile = Object.is } = rules;
  const { files } = askedFor;
  const others = act.files.filter((file) => !files.includes(file) && !files.some((one) => isSameFile(one, file)));
  if (others.length === 0) return;
  violate(fold, `The agent was allowed to ${was}, and changes something else: ${quoted(others.join(", "))}.`);
}

export function isOneOf(kinds: readonly AcpToolKind[], kind: AcpToolKind): boolean {
  return kinds.includes(kind);
}

function quoted(text: string): string {
  return sanitizeLine(text.slice(0, MAX_TITLE_CHARS).toWellFormed());
}
