import type { Clock } from "../../base/ports/clock.ts";
import type { PaneEvent, PaneEvents } from "../../tmux/pane_events.ts";
import type { ReportedState, StatusReport, StatusSource } from "../pane/status_source.ts";

/** `7501;state=blocked:kind=permission:app=codex`; `state=clear` takes back what was said before. */
const REPORT = /^7501;(?:[^;:]*:)*state=([a-z]{1,20})(?::|$)/;

/** How long after a dialog was announced the session log may still be written because of what came before it. */
const LOG_LAG_MS = 2000;

/** What a status report of Codex says (0.169.0, operating system command 7501). */
export function parseStatusReport(text: string): ReportedState | undefined {
  switch (REPORT.exec(text)?.[1]) {
    case "working":
      return { state: "working" };
    case "blocked":
      return { state: "waiting" };
    case "done":
      return { state: "at_rest", outcome: "completed" };
    case "error":
      return { state: "at_rest", outcome: "error" };
    case "idle":
      return { state: "at_rest" };
    default:
      return undefined;
  }
}

interface StatusReportsOptions {
  readonly events: PaneEvents;
  readonly paneId: string;
  readonly clock: Clock;
}

/**
 * The session log of Codex together with the status reports that it writes to its terminal: these come at once, from
 * the first prompt on, and name a dialog, of which the log says nothing. The log is the one that lasts: it says when a
 * turn is over and why, and a report is forgotten when output of the pane may have been missed.
 */
export function withStatusReports(log: StatusSource, options: StatusReportsOptions): StatusSource {
  const { events, paneId, clock } = options;
  let reported: StatusReport | undefined;
  const take = (event: PaneEvent) => {
    if (event.type === "gap" || event.type === "died") reported = undefined;
    if (event.type !== "osc" || !event.text.startsWith("7501;")) return;
    const state = parseStatusReport(event.text);
    const nowMs = clock.now();
    reported = state &&
      { ...state, sinceMs: nowMs, newsMs: nowMs, evidence: `report of ${state.state} to the terminal` };
  };
  const watch = events.watch(paneId, take);
  return {
    name: log.name,
    get sessionId() {
      return log.sessionId;
    },
    read: async () => newer(await log.read(), reported),
    expectPrompt: (text) => log.expectPrompt(text),
    doubt: () => log.doubt(),
    lastAnswer: () => log.lastAnswer(),
    lastFailure: async () => await log.lastFailure?.(),
    usage: async () => await log.usage?.(),
    sandboxReport: () => log.sandboxReport?.() ?? { turns: 0 },
    takeWork: async () => await log.takeWork?.() ?? [],
    pendingRequests: async () => await log.pendingRequests?.() ?? [],
    [Symbol.dispose]() {
      watch[Symbol.dispose]();
      log[Symbol.dispose]();
    },
  };
}

function newer(logged: StatusReport | undefined, reported: StatusReport | undefined): StatusReport | undefined {
  if (logged === undefined || reported === undefined) return logged ?? reported;
  // A command of the agent's may write what looks like a report to the terminal; it cannot end a turn in the log.
  if (logged.state === reported.state || (logged.state === "working" && reported.state === "at_rest")) return logged;
  // A dialog was answered, and the report of that was missed.
  if (reported.state === "waiting" && logged.newsMs - reported.sinceMs > LOG_LAG_MS) return logged;
  return reported.sinceMs > logged.sinceMs ? reported : logged;
}
