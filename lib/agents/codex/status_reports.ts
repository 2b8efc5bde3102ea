import type { PaneEvent } from "../../tmux/pane_events.ts";
import type { ReportedState, StatusReport, StatusSourceContext } from "../pane/status_source.ts";

/** `7501;state=blocked:kind=permission:app=codex`; `state=clear` takes back what was said before. */
const REPORT = /^7501;(?:[^;:]*:)*state=([a-z]{1,20})(?::|$)/;

/** What a status report of Codex says (0.169.0, operating system command 7501). */
const STATES: ReadonlyMap<string | undefined, ReportedState> = new Map([
  ["working", { state: "working" }],
  ["blocked", { state: "waiting" }],
  ["done", { state: "at_rest", outcome: "completed" }],
  ["error", { state: "at_rest", outcome: "error" }],
  ["idle", { state: "at_rest" }],
]);

/** How long after a dialog was announced the session log may still be written because of what came before it. */
const LOG_LAG_MS = 2000;

/**
 * The status reports that Codex writes to its terminal: they come at once, from the first prompt on, and name a dialog,
 * of which its session log says nothing. One is forgotten when output of the pane may have been missed.
 */
export class StatusReports implements Disposable {
  #last: StatusReport | undefined;
  readonly #watch: Disposable | undefined;

  constructor({ paneEvents, pane, clock }: Pick<StatusSourceContext, "paneEvents" | "pane" | "clock">) {
    this.#watch = paneEvents?.watch(pane.paneId, (event: PaneEvent) => {
      if (event.type === "gap" || event.type === "died") this.#last = undefined;
      if (event.type !== "osc" || !event.text.startsWith("7501;")) return;
      const state = STATES.get(REPORT.exec(event.text)?.[1]);
      const nowMs = clock.now();
      this.#last = state &&
        { ...state, sinceMs: nowMs, newsMs: nowMs, evidence: `report of ${state.state} to the terminal` };
    });
  }

  get last(): StatusReport | undefined {
    return this.#last;
  }

  [Symbol.dispose](): void {
    this.#watch?.[Symbol.dispose]();
  }
}

/** Of log and report the one that counts. The log is the one that lasts: it says when a turn is over and why. */
export function laterReport(
  logged: StatusReport | undefined,
  reported: StatusReport | undefined,
): StatusReport | undefined {
  if (logged === undefined || reported === undefined) return logged ?? reported;
  // A command of the agent's may write what looks like a report to the terminal; it cannot end a turn in the log.
  if (logged.state === reported.state || (logged.state === "working" && reported.state === "at_rest")) return logged;
  // A dialog was answered, and the report of that was missed.
  if (reported.state === "waiting" && logged.newsMs - reported.sinceMs > LOG_LAG_MS) return logged;
  return reported.sinceMs > logged.sinceMs ? reported : logged;
}
