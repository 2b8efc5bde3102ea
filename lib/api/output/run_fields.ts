import { isGone, type RunRow } from "../control/list_runs.ts";
// A type only: zod is not loaded for it.
import type { OutputFields } from "./outputs.ts";

export function runFields(row: RunRow): OutputFields["run"] {
  const { folder, condition, executed, progress, question, answered, problem, agentsLeft } = row;
  return {
    run: folder.id,
    job: progress?.job ?? null,
    state: condition,
    executed,
    startedAt: progress?.startedAt ?? null,
    lastRecordAt: progress?.lastAt ?? null,
    ...(progress === undefined ? {} : { about: progress.about }),
    ...(question === undefined ? {} : { question: question.id ?? null, answered }),
    ...(isGone(row) ? { agentsAlive: agentsLeft } : {}),
    ...(progress?.finished === undefined ? {} : { reason: progress.finished.reason }),
    ...(problem === undefined ? {} : { problem: problem.message }),
    folder: folder.path,
  };
}
