import type { ReportedState } from "../pane/status_source.ts";
import { numberOf, objectOf, parseJsonObject, textOf } from "../../base/text/json.ts";

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

/** `shell`: a background shell is left; `busy` also on behalf of a background agent (2.1.328). */
const STATES: ReadonlyMap<string, ReportedState> = new Map([
  ["idle", { state: "at_rest" }],
  ["shell", { state: "at_rest" }],
  ["busy", { state: "working" }],
  ["waiting", { state: "waiting" }],
]);

/** Reads the text of a status file; `undefined` where it is none, or only half of it is written. */
export function parseClaudeStatus(text: string): ClaudeStatus | undefined {
  const fields = objectOf(parseJsonObject(text));
  const [pid, sessionId] = [numberOf(fields["pid"]), textOf(fields["sessionId"])];
  const [cwd, status] = [textOf(fields["cwd"]), textOf(fields["status"])];
  if (pid === undefined || sessionId === undefined || cwd === undefined || status === undefined) return undefined;
  const waitingFor = textOf(fields["waitingFor"]);
  return {
    pid,
    procStart: textOf(fields["procStart"]),
    sessionId,
    cwd,
    reported: STATES.get(status),
    words: waitingFor === undefined ? status : `${status} (${waitingFor})`,
    statusSince: numberOf(fields["statusUpdatedAt"]) ?? NaN,
    updatedAt: numberOf(fields["updatedAt"]) ?? NaN,
  };
}
