import type { JobId, RunEnd } from "../journal/run_facts.ts";

/**
 * How a run is, in one word for both jobs and all commands.
 *
 * - `running`: a process executes it; `waiting`: for the answer to a question, executed or not
 * - `passed`, `failed`: it is over
 * - `stopped`: interrupted by a person; `killed`: no process executes it, and it did not end
 * - `needs_person`: it ended at something that only a person may decide; `error`: something else went wrong
 * - `empty`: nothing was written down; `unreadable`: what was written down is damaged
 */
export const CONDITIONS = [
  "running",
  "waiting",
  "passed",
  "failed",
  "stopped",
  "killed",
  "needs_person",
  "error",
  "empty",
  "unreadable",
] as const;

export type Condition = typeof CONDITIONS[number];

interface Signs {
  readonly executed: boolean;
  /** How the run ended by its journal; undefined where the journal does not say so. */
  readonly outcome: RunEnd | undefined;
  readonly asked: boolean;
  readonly begun: boolean;
  /** Whether something in the journal cannot be read. */
  readonly damaged: boolean;
}

export function conditionOf({ executed, outcome, asked, begun, damaged }: Signs): Condition {
  if (damaged) return "unreadable";
  if (asked && outcome === "needs_human") return "waiting";
  if (outcome !== undefined && outcome !== "interrupted") return ENDS[outcome];
  if (asked) return "waiting";
  if (outcome === "interrupted") return "stopped";
  if (executed) return "running";
  return begun ? "killed" : "empty";
}

const ENDS: Readonly<Record<Exclude<RunEnd, "interrupted">, Condition>> = {
  pass: "passed",
  fail: "failed",
  waiting: "waiting",
  needs_human: "needs_person",
  error: "error",
};

/**
 * Whether `panewright resume` can resume a run. A step of `panewright exec` that failed is tried again; a damaged
 * journal has to be repaired first.
 *
 * @param known.elsewhere the job of a fleet whose run it is: other machines resume that
 */
export function canResume(
  condition: Condition,
  { job, executed, elsewhere }: {
    readonly job: JobId | undefined;
    readonly executed: boolean;
    readonly elsewhere?: string | undefined;
  },
): boolean {
  if (elsewhere !== undefined) return false;
  switch (condition) {
    case "waiting":
    case "stopped":
    case "killed":
    case "needs_person":
    case "error":
      return !executed;
    case "failed":
      return !executed && job === "exec";
    case "running":
    case "passed":
    case "empty":
    case "unreadable":
      return false;
  }
}
