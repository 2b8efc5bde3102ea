import type { ReportedState } from "../pane/status_source.ts";

/** What Claude Code's file about one of its processes says (`sessions/PID.json`, 2.1.156 and later). */
export interface ClaudeStatus {
  readonly pid: number;
  readonly procStart: string | undefined;
  readonly sessionId: string;
  readonly cwd: string;
  readonly reported: ReportedState | undefined;
  readonly words: string;
  /** Since when it is so, in milliseconds since the epoch; `NaN` where it does not say. */
  readonly statusSince: number;
  /** When the file was written last, in milliseconds since the epoch; `NaN` where it does not say. */
  readonly updatedAt: number;
}

/**
 * Reads the text of a status file; `undefined` where it is none, or only half of it is written.
 *
 * `idle` and `shell` (a background shell is left) are at rest, `busy` works, also on behalf of a background agent, and
 * `waiting` waits for an answer (2.1.328).
 */
export function parseClaudeStatus(text: string): ClaudeStatus | undefined {
  const fields = parseObject(text);
  if (fields === undefined) return undefined;
  const { pid, procStart, sessionId, cwd, status, waitingFor, statusUpdatedAt, updatedAt } = fields;
  if (typeof pid !== "number" || typeof sessionId !== "string" || typeof cwd !== "string") return undefined;
  if (typeof status !== "string") return undefined;
  return {
    pid,
    procStart: typeof procStart === "string" ? procStart : undefined,
    sessionId,
    cwd,
    reported: toReportedState(status),
    words: typeof waitingFor === "string" ? `${status} (${waitingFor})` : status,
    statusSince: typeof statusUpdatedAt === "number" ? statusUpdatedAt : NaN,
    updatedAt: typeof updatedAt === "number" ? updatedAt : NaN,
  };
}

function toReportedState(status: string): ReportedState | undefined {
  switch (status) {
    case "idle":
    case "shell":
      return { state: "at_rest" };
    case "busy":
      return { state: "working" };
    case "waiting":
      return { state: "waiting" };
    default:
      return undefined;
  }
}

function parseObject(text: string): Readonly<Record<string, unknown>> | undefined {
  try {
    const value: unknown = JSON.parse(text);
    return typeof value === "object" && value !== null ? value as Readonly<Record<string, unknown>> : undefined;
  } catch {
    return undefined;
  }
}
