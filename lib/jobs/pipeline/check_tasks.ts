import { relative } from "@std/path/posix";
import { UsageError } from "../../errors.ts";
import type { ExecOverrides, ExecPlan } from "./plan.ts";
import { pipelineProblem, problemText, readTask, type TaskProblem } from "./task.ts";
import { sourceOf } from "./task_folder.ts";

/** What tasks are checked with. */
export interface TaskCheckOptions {
  /** @default the pipelines that tasks name are not looked up */
  readonly plan?: Pick<ExecPlan, "pipelines" | "defaultPipeline">;
  readonly overrides: ExecOverrides;
  /** The one task, where it is in no file. */
  readonly text?: string;
}

/** A mistake in a task's file. */
export interface TaskFileProblem extends TaskProblem {
  /** As it was given. */
  readonly file: string;
}

/** Everything that is wrong with the files of tasks. */
export function checkTasks(files: readonly string[], options: TaskCheckOptions): readonly TaskFileProblem[] {
  return files.flatMap((file) => problemsOf(file, options).map((problem) => ({ file, ...problem })));
}

/**
 * Lets tasks pass that can be done.
 *
 * @param options.cwd what messages name their files from
 * @throws {UsageError} that lists everything that is wrong with them
 */
export function requireTasks(
  files: readonly string[],
  { cwd, ...options }: TaskCheckOptions & { readonly cwd: string },
): void {
  const problems = checkTasks(files, options).map((problem) => problemText(shownPath(problem.file, cwd), problem));
  if (problems.length === 0) return;
  const count = problems.length === 1 ? "" : `${problems.length} problems\n  `;
  throw new UsageError(`Cannot do the ${files.length === 1 ? "task" : "tasks"}: ${count}${problems.join("\n  ")}`);
}

/** A path from a folder, unless it leads out of it. */
export function shownPath(path: string, cwd: string): string {
  const shown = relative(cwd, path);
  return shown.startsWith("../") ? path : shown;
}

function problemsOf(file: string, { plan, overrides, ...target }: TaskCheckOptions): readonly TaskProblem[] {
  try {
    const { problems, ...task } = readTask(sourceOf(file, target));
    const message = plan && pipelineProblem(plan, { task, overrides });
    return message === undefined ? problems : [...problems, { message }];
  } catch (error) {
    if (!(error instanceof UsageError)) throw error;
    return [{ message: error.message }];
  }
}
