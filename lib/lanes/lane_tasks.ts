import { UsageError } from "../base/errors.ts";
import { choosePipeline, parseTask } from "../jobs/pipeline/task.ts";
import { neededFiles, orderProblems } from "../jobs/pipeline/task_order.ts";
import { filesOf, sourceOf } from "../jobs/pipeline/task_folder.ts";
import type { ExecPlan } from "../jobs/pipeline/plan.ts";
import type { ExecOverrides, ExecTarget } from "../journal/exec/fields.ts";

/** A task, as far as its order is concerned. Files are absolute paths. */
export interface LaneTask {
  readonly file: string;
  readonly number: number;
  readonly pipeline: string;
  readonly text: string;
  /** The files of the tasks that come before it. */
  readonly needs: readonly string[];
  /** Patterns of the files that it writes; none where it does not say. */
  readonly writes: readonly string[];
}

/**
 * The tasks of a folder, in the order of their names, or the only one.
 *
 * @throws {UsageError} where one cannot be used
 */
export async function readLaneTasks(
  target: ExecTarget,
  { plan, overrides }: { readonly plan: ExecPlan; readonly overrides: ExecOverrides },
): Promise<readonly LaneTask[]> {
  const files = await filesOf(target, overrides);
  const tasks = files.map((file) => ({ file, ...parseTask(sourceOf(file, target), { file }) }));
  const [problem] = orderProblems(tasks);
  if (problem !== undefined) throw new UsageError(`Cannot do the task ${problem.file}: ${problem.message}`);
  return tasks.map(({ file, text, writes = [], ...task }, index) => ({
    ...{ file, text, writes, number: index + 1, needs: neededFiles(task, files) },
    pipeline: choosePipeline(plan, { task, overrides, file }),
  }));
}

/** Whether two tasks say that they write the same files: by what of their patterns comes before the first wildcard. */
export function writesSame(one: LaneTask, other: LaneTask): boolean {
  const starts = ({ writes }: LaneTask) => writes.map((pattern) => /^[^*?[{]*/.exec(pattern)?.[0] ?? "");
  return starts(one).some((left) => starts(other).some((right) => left.startsWith(right) || right.startsWith(left)));
}
