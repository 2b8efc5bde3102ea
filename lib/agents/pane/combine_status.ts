import type { Decision } from "../../screen/classify.ts";
import { isAtRest, type TerminalStatus } from "../../base/status.ts";
import type { StatusReport } from "./status_source.ts";

export interface StatusHistory {
  readonly nowMs: number;
  /** Since when the screen has stood still. */
  readonly stillSinceMs: number;
  readonly submittedMs: number | undefined;
  readonly disagreeSinceMs: number | undefined;
  readonly doubtLifted: boolean;
  /** How long a doubtful screen must stand still to be believed without a source. */
  readonly quietMs: number;
}

interface CombinedStatus {
  readonly status: TerminalStatus;
  /**
   * Who decided. `quiet`: the screen says that the agent rests, but is not believed until it has stood still.
   */
  readonly by: "screen" | "source" | "quiet";
  /** Whether the two contradict each other. For a moment, a delay between them may explain that. */
  readonly disagree: boolean;
}

/**
 * How far a screen and a record may lag behind each other; 40 to 140 ms were seen (Codex 0.169.0, Claude Code 2.1.328).
 */
export const LAG_MS = 2000;

/** How long before a dialog shows it may be announced: Claude Code defers one while somebody types (2.1.328). */
const DEFERRED_DIALOG_MS = 10_000;

/**
 * A source that has said "working" and nothing else for so long counts as silent: Codex gives up a stream after 300 s.
 */
const SILENT_MS = 330_000;

/**
 * Decides between what a screen shows and what the agent's own record says. Pure.
 *
 * In this order: a process that is gone; a dialog on the screen; the record, if it belongs to the present turn and is
 * not silent; the screen. While the two have only just begun to disagree, the agent counts as at work: a rest that is
 * reported too late costs a poll, one that is reported too early costs the turn.
 */
export function combineStatus(
  screen: Decision,
  report: StatusReport | undefined,
  history: StatusHistory,
): CombinedStatus {
  const byScreen = { status: screen.status, by: "screen", disagree: false } as const;
  if (isProcessError(screen)) return byScreen;
  if (screen.status === "waiting_user_answer") return { ...byScreen, disagree: report?.state === "at_rest" };
  if (report === undefined || isStale(report, history)) return screenAlone(screen, history);
  const atRest = isAtRest(screen.status);
  switch (report.state) {
    case "working": {
      if (screen.status === "processing") return byScreen;
      // A screen that has doubts itself contradicts nobody.
      const disagree = screen.status !== "unknown" && !isDoubtful(screen, history);
      if (isSilent(report, history)) return { ...screenAlone(screen, history), disagree };
      return { status: "processing", by: "source", disagree };
    }
    case "waiting": {
      const deferred = history.nowMs - report.sinceMs < DEFERRED_DIALOG_MS;
      if (deferred) {
        return { status: "processing", by: screen.status === "processing" ? "screen" : "source", disagree: false };
      }
      return { status: "waiting_user_answer", by: "source", disagree: true };
    }
    case "at_rest": {
      const status = restStatus(screen.status, report.outcome);
      if (atRest || screen.status === "error") {
        return { status, by: status === screen.status ? "screen" : "source", disagree: false };
      }
      if (screen.status === "unknown") return { status, by: "source", disagree: false };
      const lasts = history.disagreeSinceMs !== undefined && history.nowMs - history.disagreeSinceMs >= LAG_MS;
      return lasts ? { status, by: "source", disagree: true } : { ...byScreen, disagree: true };
    }
  }
}

function isProcessError({ status, evidence }: Decision): boolean {
  return status === "error" && evidence.some(({ row }) => row < 0);
}

/** Whether a report is about a turn before the present one. Work lasts until its end is recorded. */
function isStale(report: StatusReport, { submittedMs }: StatusHistory): boolean {
  return report.state === "at_rest" && submittedMs !== undefined && report.sinceMs < submittedMs;
}

/** Whether nothing at all has moved for so long that "working" is no longer believed. */
function isSilent(report: StatusReport, { nowMs, stillSinceMs }: StatusHistory): boolean {
  return nowMs - Math.max(report.newsMs, stillSinceMs) >= SILENT_MS;
}

function isDoubtful({ doubtful }: Decision, { doubtLifted }: StatusHistory): boolean {
  return doubtful !== undefined && !(doubtful.unlessSeen !== undefined && doubtLifted);
}

function screenAlone(screen: Decision, history: StatusHistory): CombinedStatus {
  const still = history.nowMs - history.stillSinceMs >= history.quietMs;
  if (still || !isDoubtful(screen, history)) return { status: screen.status, by: "screen", disagree: false };
  return { status: "processing", by: "quiet", disagree: false };
}

/** What a rest is called. Where the record does not know how the turn ended, the screen may. */
function restStatus(
  shown: TerminalStatus,
  outcome: Extract<StatusReport, { state: "at_rest" }>["outcome"],
): TerminalStatus {
  switch (outcome) {
    case "completed":
      return "completed";
    case "error":
      return "error";
    case "interrupted":
      return "idle";
    case undefined:
      return isAtRest(shown) || shown === "error" ? shown : "idle";
  }
}
