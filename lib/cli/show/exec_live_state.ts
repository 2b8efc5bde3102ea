import type { ExecEvent } from "../../jobs/pipeline/facts.ts";
import { cut } from "../console/layout.ts";
import { sanitizeLine } from "../../text/sanitize.ts";
import { duration } from "./words.ts";

/** What the live line of `panewright exec` needs to know. Plain data; times are milliseconds of the clock. */
export interface ExecProgressState {
  readonly runSinceMs: number;
  readonly steps: number;
  /** `step 2/3 "build"`. */
  readonly step: string;
  /** What goes on; empty while a person is asked, and while nothing does. */
  readonly activity: string;
  readonly sinceMs: number;
}

/** The state before the first event. */
export function initialExecProgress(nowMs: number): ExecProgressState {
  return { runSinceMs: nowMs, steps: 0, step: "", activity: "", sinceMs: nowMs };
}

/** The state after an event. */
export function advanceExecProgress(state: ExecProgressState, event: ExecEvent, nowMs: number): ExecProgressState {
  const doing = (activity: string): ExecProgressState => ({ ...state, activity, sinceMs: nowMs });
  switch (event.type) {
    case "run_started":
    case "run_resumed":
      return initialExecProgress(nowMs);
    case "task_started":
      return { ...state, steps: event.steps.length };
    case "step_started":
      return { ...state, step: `step ${event.step}/${state.steps} ${JSON.stringify(event.name)}` };
    case "attempt_started": {
      const step = state.step === "" ? `step ${event.step}` : state.step;
      return { ...doing(event.attempt === 1 ? "working" : `attempt ${event.attempt}, working`), step };
    }
    case "agent_activity":
      return event.fact.type === "ran" ? { ...state, activity: `$ ${event.fact.command}` } : state;
    case "check_started":
      return doing(`check: ${event.description}`);
    case "usage_limit_reached":
      return doing("waiting for the usage limit's reset");
    case "question_asked":
    case "attempt_finished":
    case "check_finished":
    case "run_finished":
      return doing("");
    case "session_found":
    case "question_answered":
    case "question_waiting":
    case "usage_limit_waited":
    case "writes_checked":
    case "step_finished":
    case "task_finished":
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
 * const state = { runSinceMs: 0, steps: 3, step: 'step 2/3 "build"', activity: "$ npm test", sinceMs: 5000 };
 * assertEquals(
 *   renderExecLiveLine(state, { nowMs: 70_000, columns: 80 }),
 *   'step 2/3 "build" · $ npm test · 1m 05s (run 1m 10s)',
 * );
 * ```
 */
export function renderExecLiveLine(
  state: ExecProgressState,
  options: { readonly nowMs: number; readonly columns: number },
): string {
  if (state.activity === "") return "";
  const seconds = (sinceMs: number) => duration(Math.floor((options.nowMs - sinceMs) / 1000));
  const elapsed = `${seconds(state.sinceMs)} (run ${seconds(state.runSinceMs)})`;
  const activity = cut(
    sanitizeLine(state.activity),
    Math.max(10, options.columns - elapsed.length - state.step.length - 6),
  );
  return cut([sanitizeLine(state.step), activity, elapsed].join(" · "), options.columns);
}
