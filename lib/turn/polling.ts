import type { TerminalStatus } from "../base/status.ts";
import type { HandoffSettings } from "./settings.ts";

// The polling rules of the seeds (002, as changed by 000 and 003), as a function of what was seen. Times are
// milliseconds of one monotonic clock.

export interface PollState {
  readonly startedAtMs: number;
  readonly deadlineMs: number;
  /**
   * Whether the agent is believed to work on this turn: it was seen at something, or the startup timeout has passed.
   */
  readonly agentStarted: boolean;
  readonly idleSinceMs: number | undefined;
}

export interface PollObservation {
  readonly status: TerminalStatus;
  /** `ready`: complete and usable. `changing`: different from a moment ago. `none`: not there, or not usable. */
  readonly response: "ready" | "changing" | "none";
}

export type PollAction =
  | { readonly type: "wait"; readonly startupTimedOut?: true }
  | { readonly type: "take_response" }
  | { readonly type: "handle_dialog" }
  | { readonly type: "end_without_response"; readonly because: "idle_grace" | "response_timeout" }
  | { readonly type: "fail_agent_error" }
  | { readonly type: "fail_timeout" };

export function startPolling(startedAtMs: number, deadlineMs: number): PollState {
  return { startedAtMs, deadlineMs, agentStarted: false, idleSinceMs: undefined };
}

/**
 * Applies the polling rules to one poll. `unknown` authorises nothing: it neither starts the agent nor counts as rest,
 * and no response is taken while it lasts.
 */
export function decide(
  state: PollState,
  observation: PollObservation,
  options: { readonly nowMs: number; readonly settings: Pick<HandoffSettings, "idleGraceSeconds"> },
): { readonly state: PollState; readonly action: PollAction } {
  const { nowMs, settings } = options;
  const timedOut = nowMs >= state.deadlineMs;
  const timeoutOr = (action: PollAction): PollAction => timedOut ? { type: "fail_timeout" } : action;
  const busy: PollState = { ...state, agentStarted: true, idleSinceMs: undefined };
  switch (observation.status) {
    case "error":
      return { state, action: { type: "fail_agent_error" } };
    case "waiting_user_answer":
      return { state: busy, action: timeoutOr({ type: "handle_dialog" }) };
    case "processing":
      return { state: busy, action: timeoutOr({ type: "wait" }) };
    case "unknown":
      return { state: { ...state, idleSinceMs: undefined }, action: timeoutOr({ type: "wait" }) };
    case "idle":
    case "completed":
      return decideAtRest(state, observation.response, { nowMs, graceMs: settings.idleGraceSeconds * 1000, timedOut });
  }
}

function decideAtRest(
  state: PollState,
  response: PollObservation["response"],
  { nowMs, graceMs, timedOut }: { readonly nowMs: number; readonly graceMs: number; readonly timedOut: boolean },
): { readonly state: PollState; readonly action: PollAction } {
  if (response === "ready") return { state, action: { type: "take_response" } };
  if (timedOut) return { state, action: { type: "end_without_response", because: "response_timeout" } };
  // Somebody is writing the response at this moment: that is work, whatever the screen says.
  if (response === "changing") {
    return { state: { ...state, agentStarted: true, idleSinceMs: undefined }, action: { type: "wait" } };
  }
  if (!state.agentStarted) {
    if (nowMs - state.startedAtMs < graceMs) return { state, action: { type: "wait" } };
    return {
      state: { ...state, agentStarted: true, idleSinceMs: nowMs },
      action: { type: "wait", startupTimedOut: true },
    };
  }
  const idleSinceMs = state.idleSinceMs ?? nowMs;
  if (nowMs - idleSinceMs < graceMs) return { state: { ...state, idleSinceMs }, action: { type: "wait" } };
  return { state, action: { type: "end_without_response", because: "idle_grace" } };
}
