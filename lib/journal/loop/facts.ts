import { present } from "../../base/schema.ts";
import type { Recorded } from "../job.ts";
import { type FactsOf, foldsOf } from "../entry.ts";
import { NOTHING_COUNTED } from "../usage.ts";
import { AGENT_RECORDS } from "./agent.ts";
import { DIALOG_RECORDS } from "./dialog.ts";
import { OUTSIDE_RECORDS } from "./outside.ts";
import { ROUND_BEGINS, ROUND_RECORDS } from "./round.ts";
import { RUN_BEGINS, RUN_ENDS } from "./run.ts";
import type { RunRecords } from "./state.ts";
import { TURN_BEGINS } from "./turn.ts";
import { TURN_GOES } from "./turn_course.ts";
import { WORK_RECORDS } from "./work.ts";

/**
 * The records of a review loop. They are the NDJSON of `--json`, the progress lines for a person and the lines of the
 * run's journal, from which a run that was broken off resumes.
 */
export const REVIEW_RECORDS = {
  ...RUN_BEGINS,
  ...AGENT_RECORDS,
  ...ROUND_BEGINS,
  ...TURN_BEGINS,
  ...WORK_RECORDS,
  ...TURN_GOES,
  ...DIALOG_RECORDS,
  ...OUTSIDE_RECORDS,
  ...ROUND_RECORDS,
  ...RUN_ENDS,
} as const;

export type ReviewFact = FactsOf<typeof REVIEW_RECORDS>;

export const REVIEW_FOLDS = foldsOf<ReviewFact, RunRecords>(REVIEW_RECORDS);

export function firstRecords(
  { runId: id, workdir, task, settings, origin, at, rules, folder }: Extract<
    Recorded<ReviewFact>,
    { type: "run_started" }
  >,
): RunRecords {
  return {
    head: { id, workdir, task, settings, origin, startedAt: at, folder, ...present({ rules }) },
    session: undefined,
    agents: {},
    restarts: {},
    turn: undefined,
    changesDue: undefined,
    messages: [],
    responses: [],
    tokens: NOTHING_COUNTED,
    questions: 0,
    postProcessed: [],
    gitActs: undefined,
    finished: undefined,
  };
}

export type DialogFact = Without<Extract<ReviewFact, { type: keyof typeof DIALOG_RECORDS }>, "runId" | "attachCommand">;

type Without<Of, Names extends string> = Of extends unknown ? Omit<Of, Names> : never;
