import type { AgentFact } from "../../base/activity.ts";
import { type FactsOf, foldsOf } from "../entry.ts";
import { ATTEMPT_RECORDS } from "./attempt.ts";
import { CHECK_RECORDS } from "./check.ts";
import { CHOICE_RECORDS } from "./choice.ts";
import { LANE_RECORDS } from "./lane.ts";
import { QUESTION_RECORDS } from "./question.ts";
import { RUN_BEGINS, RUN_ENDS } from "./run.ts";
import type { ExecState } from "./state.ts";
import { TASK_BEGINS, TASK_ENDS } from "./task.ts";

/**
 * The records of `panewright exec`. They are the NDJSON of `--json`, the progress lines for a person and the lines of
 * the run's journal, from which its state is folded.
 */
export const EXEC_RECORDS = {
  ...RUN_BEGINS,
  ...TASK_BEGINS,
  ...ATTEMPT_RECORDS,
  ...QUESTION_RECORDS,
  ...CHECK_RECORDS,
  ...LANE_RECORDS,
  ...CHOICE_RECORDS,
  ...TASK_ENDS,
  ...RUN_ENDS,
} as const;

export type ExecFact = FactsOf<typeof EXEC_RECORDS>;

export const EXEC_FOLDS = foldsOf<ExecFact, ExecState>(EXEC_RECORDS);

/**
 * {@linkcode ExecFact}, and what the agent says and does at this moment: the attempt's folder has that, not the
 * journal.
 */
export type ExecEvent =
  | ExecFact
  | {
    readonly type: "agent_activity";
    readonly task: number;
    readonly step: number;
    readonly attempt: number;
    readonly fact: AgentFact;
  };
