import { objectOf, parseJsonObject, textOf } from "../../base/text/json.ts";
import type { SandboxReport } from "../sandbox.ts";
import { findTurnProblem } from "./sandbox.ts";

/** What counts in a session log for an agent's sandbox. */
export interface TurnContextOptions {
  /** The folders in which commands may write. */
  readonly folders: readonly string[];
  /**
   * When the agent was started, in milliseconds since the epoch: turns of an earlier process had what that was given.
   */
  readonly startedAt: number;
}

/**
 * Adds one line of a session log to what it says of the sandbox: each turn begins with its `turn_context`, before the
 * model is asked (0.169.0).
 */
export function foldTurnContext(
  report: SandboxReport,
  line: string,
  { folders, startedAt }: TurnContextOptions,
): SandboxReport {
  if (report.problem !== undefined || !line.includes('"turn_context"')) return report;
  const record = parseJsonObject(line);
  // A record that does not say when it was written counts.
  if (record?.["type"] !== "turn_context" || Date.parse(textOf(record["timestamp"]) ?? "") < startedAt) return report;
  const problem = findTurnProblem(objectOf(record["payload"]), folders);
  return problem === undefined ? { turns: report.turns + 1 } : { turns: report.turns, problem };
}
