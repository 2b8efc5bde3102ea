import type { TurnEnd } from "../agent.ts";
import { type AgentFailure, classifyFailure, type FailureTable } from "../failure.ts";
import type { AgentView } from "../driven_agent.ts";
import acpFailures from "./failures.json" with { type: "json" };
import type { AcpState } from "./state.ts";
import { isOver } from "./protocol/update.ts";
import { present } from "../../base/schema.ts";

/** For how long a word or act after the end of a turn counts as work, and a cancel of its own as unfinished. */
const LATE_MS = 2000;

/** For how long a call that it began then does, unless it ends. */
const LATE_CALL_MS = 600_000;

/** How long an agent must be silent before its turn may be over although it never said so. */
const LOST_END_MS = 20_000;

/** A longer message that comes last is work, and not only an error. */
const MAX_ERROR_CHARS = 600;

/**
 * What an agent is doing. The process comes first, then what forbids it to work on, then what it waits for, then its
 * turn; an end that it told does not count while it works on.
 */
export function viewOf(state: AcpState, nowMs: number): AgentView {
  const { lastMessage, turns } = state;
  const quietMs = Math.max(0, nowMs - state.heardMs);
  return {
    ...stateOf(state, nowMs),
    turns,
    lastMessage,
    quietMs,
    mayBeOver: mayBeOver(state, quietMs),
  };
}

function stateOf(state: AcpState, nowMs: number): Pick<AgentView, "state" | "evidence"> {
  const { end, heard, lateMs, phase, refusal, stopReason, turns, violation, waiting } = state;
  if (end !== undefined) return { state: "ended", evidence: `its process has ended: ${end}` };
  if (violation !== undefined) return { state: "ended", evidence: violation };
  const after = phase === "over" ? `, after the end of turn ${turns}` : "";
  if (waiting.size > 0) {
    return { state: "waiting", evidence: `${waiting.size} of its requests without an answer${after}` };
  }
  if (phase === "fresh") return { state: "idle", evidence: "it was given nothing yet" };
  if (phase === "open") {
    const seconds = Math.floor((nowMs - state.heardMs) / 1000);
    const running = runningCalls(state);
    const calls = running === 0 ? "" : `, ${running} of its tool calls not ended`;
    return { state: "working", evidence: `turn ${turns} has no end; last heard: ${heard}, ${seconds} s ago${calls}` };
  }
  const lateFor = lateMs === undefined ? Infinity : nowMs - lateMs;
  if (lateFor < (runningCalls(state) > 0 ? LATE_CALL_MS : LATE_MS)) {
    return { state: "working", evidence: `it works on${after}` };
  }
  // One that is killed may say so first (Qwen Code 0.24.4): its end tells more.
  if (isOwnCancel(state) && nowMs - state.heardMs < LATE_MS) {
    return { state: "working", evidence: `it cancelled turn ${turns} by itself, and may be about to end` };
  }
  const ended = stopReason !== undefined
    ? `stop reason ${stopReason} of turn ${turns}`
    : refusal !== undefined
    ? `an error in place of the end of turn ${turns}`
    : `turn ${turns} was given up: its end was never reported`;
  return { state: "idle", evidence: ended };
}

export function runningCalls({ calls, turns }: AcpState): number {
  const running = [...calls.values()].filter(({ asked, isLeft, status, turn }) =>
    turn === turns && !isLeft && !isOver(status) && asked !== "rejected" && asked !== "gone"
  );
  return running.length;
}

function mayBeOver(state: AcpState, quietMs: number): boolean {
  if (state.phase !== "open" || state.waiting.size > 0 || !state.hasWorked || runningCalls(state) > 0) return false;
  return state.rest !== undefined || quietMs >= LOST_END_MS;
}

/**
 * How the last turn failed; `undefined` where it did not: by an error in place of its end, by an error that it told of
 * last, by an end that nobody asked for. What is nothing but an error's words, and known to be one, is one, whatever
 * stop reason follows it.
 */
export function failureOf(state: AcpState, failures: FailureTable): AgentFailure | undefined {
  const { cancelled, hasSpokenLast, lastMessage, phase, problem, refusal, stopReason, turns } = state;
  if (phase !== "over") return undefined;
  const end = `the end of turn ${turns}`;
  if (refusal !== undefined) {
    const words = { text: refusal.text, ...(refusal.code === undefined ? {} : { code: String(refusal.code) }) };
    return {
      class: classifyFailure([...failures, ...ACP_FAILURES], words),
      text: refusal.text,
      evidence: `the reply to the prompt of turn ${turns}`,
      isTurnOver: state.end === undefined,
    };
  }
  if (cancelled === "silent") {
    const text = "it fell silent in the middle of its turn, which was cancelled";
    return { class: "network", text, evidence: end, isTurnOver: stopReason !== undefined };
  }
  if (problem !== undefined) {
    const classified = classifyFailure([...failures, ...ACP_FAILURES], { text: problem });
    return { class: classified, text: problem, evidence: "its notice of an error", isTurnOver: true };
  }
  if (stopReason === "refusal" || isOwnCancel(state)) {
    const text = stopReason === "refusal" ? "the model refused to answer" : "it cancelled its turn by itself";
    return { class: "other", text, evidence: `stop reason ${stopReason} of turn ${turns}`, isTurnOver: true };
  }
  const said = lastMessage.trim();
  if (!hasSpokenLast || said.length > MAX_ERROR_CHARS) return undefined;
  const error = said.slice(Math.max(0, said.search(ERROR_WORDS)));
  const table = ERROR_WORDS.test(said) ? [...failures, ...ACP_FAILURES] : failures;
  const classified = classifyFailure(table, { text: error });
  return classified === "other"
    ? undefined
    : { class: classified, text: error, evidence: `the last message of turn ${turns}`, isTurnOver: true };
}

/** The end of the last turn, by the agent's own word: only its stop reason proves that it came to its end. */
export function turnEndOf(
  state: AcpState,
  { nowMs, failures }: { readonly nowMs: number; readonly failures: FailureTable },
): TurnEnd {
  const { lastMessage, stopReason } = state;
  const about = {
    ...{ type: "turn_end", ...present({ record: stopReason }) } as const,
    ...(lastMessage === "" ? {} : { finalText: lastMessage }),
  };
  const failure = failureOf(state, failures);
  if (failure !== undefined) {
    const { class: kind, text, resetsAt } = failure;
    return { ...about, outcome: "failed", error: text, failure: kind, ...present({ resetsAt }) };
  }
  if (stopReason === "end_turn") return { ...about, outcome: "completed" };
  const { evidence } = viewOf(state, nowMs);
  return { ...about, outcome: "failed", error: `its turn did not come to its end: ${evidence}` };
}

/**
 * Whether it has cancelled its turn unasked. Codex ends its turn so where something was refused to it (2.6.0): what is
 * missing then shows in the response.
 */
function isOwnCancel({ cancelled, hasRefusal, phase, stopReason }: AcpState): boolean {
  return phase === "over" && stopReason === "cancelled" && cancelled === undefined && !hasRefusal;
}

/**
 * How agents begin the error of a turn that they report as completed: GitHub Copilot CLI (1.0.102), behind what it says
 * of its retries; Codex (2.6.0); Claude Code; Gemini CLI.
 */
const ERROR_WORDS =
  /(?<=^|\.\.\.)(?:\[?(?:API )?Error: |exceeded retry limit\b|stream disconnected before\b|unexpected status \d{3}\b)/;

const ACP_FAILURES = acpFailures.rules as FailureTable;
