import { sanitizeLine } from "../../base/text/sanitize.ts";
import { ACP_ACTING_KINDS, type AcpToolKind } from "./acp_provider.ts";
import { callWords, MAX_TITLE_CHARS } from "./call_words.ts";
import { actOf } from "./exact_request.ts";
import { type CallRecord, type Draft, type FoldOptions, violate } from "./state.ts";
import { isOver } from "./protocol/update.ts";

/** Agents say that a call runs right before they ask for it (OpenCode 1.18.33). */
const UNASKED_MS = 10_000;

/** Looks for calls that have run for a while and were never asked for. */
export function lookForUnasked(draft: Draft, options: FoldOptions): void {
  requireUnaskedAsked(draft, options, ({ unaskedMs = Infinity }) => options.nowMs - unaskedMs >= UNASKED_MS);
}

/** Looks for calls that were never asked for, and run on when their turn ends: what was cut off may not have run. */
export function lookForUnaskedAtEnd(draft: Draft, options: FoldOptions): void {
  const { cancelled, hasRefusal } = draft.state;
  if (cancelled === undefined && !hasRefusal) requireUnaskedAsked(draft, options, () => true);
}

function requireUnaskedAsked(draft: Draft, options: FoldOptions, counts: (call: CallRecord) => boolean): void {
  for (const call of draft.state.calls.values()) {
    const { status, asked, isLeft } = call;
    if (status === "in_progress" && asked === "no" && !isLeft && counts(call)) requireAsked(draft, call, options);
  }
}

/** The agent must have been allowed what it does: it has promised to ask, or it was refused. */
export function requireAsked(draft: Draft, call: CallRecord, { rules }: FoldOptions): void {
  const { asked, kind = "other" } = call;
  // Agents call a tool completed that was cancelled while it waited, too.
  if (asked === "gone" && draft.state.cancelled !== undefined) return;
  const what = sanitizeLine(callWords(call, rules).line.slice(0, MAX_TITLE_CHARS).toWellFormed());
  const has = isOver(call.status) ? "has done" : "does";
  if (asked === "rejected" && isOneOf(ACP_ACTING_KINDS, kind)) {
    violate(draft, `The agent ${has} what it was refused: ${what}.`);
  } else if (asked !== "allowed" && asked !== "rejected" && isOneOf(rules.askMode?.asksBefore ?? [], kind)) {
    const why = asked === "no"
      ? "without asking"
      : asked === "waiting"
      ? "before it was answered"
      : "without an answer";
    violate(draft, `The agent ${has} something ${why}, although its mode is to ask before it: ${what}.`);
  }
}

export function requireSameAct(draft: Draft, call: CallRecord, { rules }: FoldOptions): void {
  const { asked, askedFor } = call;
  const act = asked === "allowed" && askedFor !== undefined ? actOf(call, rules.tools) : undefined;
  if (askedFor === undefined || act === undefined) return;
  const quoted = (text: string) => sanitizeLine(text.slice(0, MAX_TITLE_CHARS).toWellFormed());
  const was = askedFor.type === "command"
    ? `run ${quoted(askedFor.command)}`
    : `change ${quoted(askedFor.files.join(", "))}`;
  if (act.type === "command") {
    if (askedFor.type === "command" && askedFor.command === act.command) return;
    return violate(draft, `The agent was allowed to ${was}, and runs something else: ${quoted(act.command)}.`);
  }
  // What a command changes is what was allowed with it.
  if (askedFor.type === "command") return;
  const { isSameFile = Object.is } = rules;
  const { files } = askedFor;
  const others = act.files.filter((file) => !files.includes(file) && !files.some((one) => isSameFile(one, file)));
  if (others.length === 0) return;
  violate(draft, `The agent was allowed to ${was}, and changes something else: ${quoted(others.join(", "))}.`);
}

export function isOneOf(kinds: readonly AcpToolKind[], kind: AcpToolKind): boolean {
  return kinds.includes(kind);
}
