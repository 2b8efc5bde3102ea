import { UsageError } from "../base/errors.ts";
import { JOBS } from "../jobs/mod.ts";
import { PIPELINE } from "../jobs/pipeline/mod.ts";
import { REVIEW_LOOP } from "../jobs/review_loop/mod.ts";
import type { ExecFact } from "../journal/exec/facts.ts";
import type { ReviewFact } from "../journal/loop/facts.ts";
import { isJournalOf, readFacts } from "../journal/read_facts.ts";
import { readOverview } from "../run/overview.ts";
import { requireOneTask } from "../workspace/turns.ts";
import type { Workspace } from "../workspace/workspace.ts";
import { newestRunIn } from "./meant_workspace.ts";

export interface EarlierSteps {
  readonly by: "steps";
  readonly started: Extract<ExecFact, { type: "run_started" }>;
  readonly tasks: readonly Extract<ExecFact, { type: "task_started" }>[];
}

export interface EarlierLoop {
  readonly by: "roles";
  readonly started: Extract<ReviewFact, { type: "run_started" }>;
}

export type Earlier = EarlierSteps | EarlierLoop;

/** When the newest run in a workspace began: ISO 8601. */
export async function newestRunAt(workspace: Workspace): Promise<string> {
  const newest = await newestRunIn(workspace);
  return newest === undefined ? "" : (await readOverview(newest, JOBS, { brief: true })).progress?.startedAt ?? "";
}

/**
 * How the newest run in a workspace began, and what it was to do.
 *
 * @param act what is to be done with that. @default {"reply to"}
 * @throws {UsageError} where nobody can be replied to there
 */
export async function earlierIn(workspace: Workspace, act = "reply to"): Promise<Earlier> {
  const { name } = workspace;
  requireOneTask(workspace, act);
  const newest = await newestRunIn(workspace);
  if (newest === undefined) throw new UsageError(`Cannot ${act} ${name}: no run has worked in it`);
  const journal = await readFacts(newest, JOBS);
  if (isJournalOf(journal, REVIEW_LOOP)) {
    const [started] = journal.facts;
    if (started?.type === "run_started") return { by: "roles", started };
  }
  if (isJournalOf(journal, PIPELINE)) {
    const { facts } = journal;
    const [started] = facts;
    const tasks = facts.flatMap((fact) => fact.type === "task_started" ? [fact] : []);
    if (started?.type === "run_started") return { by: "steps", started, tasks };
  }
  throw new UsageError(`Cannot ${act} ${name}: its run has not begun`);
}
