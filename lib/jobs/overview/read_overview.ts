import { readAnswer } from "../../dialogs/answers.ts";
import type { PanewrightError } from "../../errors.ts";
import { isLocked, readLockHolder } from "../../run/lock_file.ts";
import type { RunFolder } from "../../run/run_folder.ts";
import { type Condition, conditionOf } from "./condition.ts";
import { readSummary } from "./read_summary.ts";
import type { AskedQuestion, RunSummary } from "./summary.ts";

/** A run as its folder tells of it. */
export interface RunOverview {
  readonly folder: RunFolder;
  readonly condition: Condition;
  /** Whether a process executes it. */
  readonly executed: boolean;
  /** Who executes it, as its lock says: `process 1234`. Undefined where nobody does, or it is not known who. */
  readonly owner: string | undefined;
  /** Undefined where nothing was written down, or it cannot be read. */
  readonly summary: RunSummary | undefined;
  readonly problem: PanewrightError | undefined;
  /** What can be answered now, or has its answer and only has to be gone on with. */
  readonly question: AskedQuestion | undefined;
  /** Whether the question has its answer. */
  readonly answered: boolean;
}

/**
 * Reads how a run is. Whatever is wrong with its folder is told as its problem.
 *
 * @param options.brief as {@linkcode readSummary} has it
 */
export async function readOverview(
  folder: RunFolder,
  options: { readonly brief?: boolean } = {},
): Promise<RunOverview> {
  // Asked first: a run that ends in between is then told as one that is executed, and not as one that was killed.
  const owner = await readLockHolder(folder.lockPath).catch(() => undefined);
  const executed = owner !== undefined;
  const { summary, problem } = await readSummary(folder, options);
  // A dialog can be answered while its run is executed; the question of a step whenever there is time.
  const question = executed || summary?.job === "exec" ? summary?.question : undefined;
  const condition = conditionOf({
    executed,
    outcome: summary?.finished?.outcome,
    asked: question !== undefined,
    begun: summary !== undefined,
    damaged: problem !== undefined,
  });
  const answered = question?.id !== undefined && await readAnswer(folder, question.id).catch(() => {}) !== undefined;
  return { folder, condition, executed, owner: owner || undefined, summary, problem, question, answered };
}

/** Whether a process executes a run; a lock that cannot be looked at is held by none of ours. */
export async function isExecuted({ lockPath }: RunFolder): Promise<boolean> {
  return await isLocked(lockPath).catch(() => false);
}
