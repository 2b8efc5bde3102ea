import type { Role } from "../../roles.ts";
import type { TerminalStatus } from "../../screen/status.ts";
import type { ReviewFact } from "../../jobs/review_loop/facts.ts";
import { cut } from "../console/layout.ts";
import { duration, statusText } from "./words.ts";

/** What the live line needs to know. Plain data; times are milliseconds of the clock. */
export interface ProgressState {
  readonly round: number;
  readonly maxRounds: number;
  readonly runSinceMs: number;
  readonly activity: Activity;
}

type Activity =
  | { readonly kind: "none" }
  | { readonly kind: "starting"; readonly waitingFor: readonly Role[]; readonly sinceMs: number }
  | {
    readonly kind: "turn";
    readonly role: Role;
    readonly cycle: number;
    readonly status: TerminalStatus | undefined;
    readonly sinceMs: number;
    /** A dialog that a person has to answer. Where one may be asked at this terminal, nothing is drawn meanwhile. */
    readonly dialog?: { readonly sinceMs: number; readonly isAsked: boolean };
  }
  | { readonly kind: "tests"; readonly sinceMs: number };

/** The state before the first event. */
export function initialProgress(nowMs: number): ProgressState {
  return { round: 0, maxRounds: 0, runSinceMs: nowMs, activity: { kind: "none" } };
}

/** The state after an event. */
export function advanceProgress(state: ProgressState, event: ReviewFact, nowMs: number): ProgressState {
  const { activity } = state;
  switch (event.type) {
    case "run_started":
      return initialProgress(nowMs);
    case "run_resumed":
      return { ...initialProgress(nowMs), maxRounds: event.settings.maxRounds };
    case "agent_starting": {
      const waitingFor = activity.kind === "starting" ? activity.waitingFor : [];
      const sinceMs = activity.kind === "starting" ? activity.sinceMs : nowMs;
      return { ...state, activity: { kind: "starting", waitingFor: [...waitingFor, event.role], sinceMs } };
    }
    case "agent_ready": {
      if (activity.kind !== "starting") return state;
      const waitingFor = activity.waitingFor.filter((role) => role !== event.role);
      return { ...state, activity: waitingFor.length === 0 ? { kind: "none" } : { ...activity, waitingFor } };
    }
    case "round_started":
      return { ...state, round: event.round, maxRounds: event.maxRounds };
    case "turn_started":
      return {
        ...state,
        activity: { kind: "turn", role: event.role, cycle: event.cycle, status: undefined, sinceMs: nowMs },
      };
    case "turn_resumed":
      return {
        ...state,
        round: event.round,
        activity: { kind: "turn", role: event.role, cycle: event.cycle, status: undefined, sinceMs: nowMs },
      };
    case "status_changed":
      return activity.kind === "turn" && activity.role === event.role
        ? { ...state, activity: { ...activity, status: event.status } }
        : state;
    case "test_command_started":
      return { ...state, activity: { kind: "tests", sinceMs: nowMs } };
    case "response_received":
    case "test_command_finished":
    case "run_finished":
      return { ...state, activity: { kind: "none" } };
    case "dialog_waiting":
      return activity.kind === "turn"
        ? { ...state, activity: { ...activity, dialog: { sinceMs: nowMs, isAsked: event.question !== undefined } } }
        : state;
    case "dialog_closed": {
      if (activity.kind !== "turn") return state;
      const { dialog: _, ...rest } = activity;
      return { ...state, activity: rest };
    }
    case "dialog_answered":
    case "session_opening":
    case "session_opened":
    case "session_adopted":
    case "agent_adopted":
    case "agent_lost":
    case "agent_session":
    case "agent_rules_seen":
    case "message_sending":
    case "message_sent":
    case "post_processed":
    case "panes_left":
    case "reminder_sent":
    case "review_decided":
    case "review_limit_reached":
    case "round_finished":
    case "warning":
      return state;
  }
}

/**
 * The line that shows what goes on at this moment, at most `columns` wide; empty while nothing does.
 *
 * @example
 * ```ts
 * import { assertEquals } from "@std/assert";
 * const turn = { type: "turn_started", turnId: "t", role: "tester", round: 1, cycle: 0, promptBytes: 9 } as const;
 * const started = advanceProgress(initialProgress(0), { type: "round_started", round: 1, maxRounds: 8 }, 0);
 * assertEquals(
 *   renderLiveLine(advanceProgress(started, turn, 5000), { nowMs: 70_000, columns: 80 }),
 *   "round 1/8 · tester · prompt sent · 1m 05s (run 1m 10s)",
 * );
 * ```
 */
export function renderLiveLine(
  state: ProgressState,
  options: { readonly nowMs: number; readonly columns: number },
): string {
  const { activity, round, maxRounds } = state;
  if (activity.kind === "none" || activity.kind === "turn" && activity.dialog?.isAsked) return "";
  const seconds = (sinceMs: number) => Math.floor((options.nowMs - sinceMs) / 1000);
  const parts = [...(round === 0 ? [] : [`round ${round}/${maxRounds}`]), ...activityParts(activity, seconds)];
  const elapsed = `${duration(seconds(activity.sinceMs))} (run ${duration(seconds(state.runSinceMs))})`;
  return cut([...parts, elapsed].join(" · "), options.columns);
}

function activityParts(
  activity: Exclude<Activity, { kind: "none" }>,
  seconds: (sinceMs: number) => number,
): string[] {
  switch (activity.kind) {
    case "starting":
      return [`starting ${activity.waitingFor.join(", ")}`];
    case "tests":
      return ["project tests running"];
    case "turn": {
      const who = activity.cycle === 0 ? activity.role : `${activity.role}, cycle ${activity.cycle}`;
      if (activity.dialog !== undefined) {
        return [who, `waiting for a person for ${duration(seconds(activity.dialog.sinceMs))}`];
      }
      return [who, activity.status === undefined ? "prompt sent" : statusText(activity.status)];
    }
  }
}
